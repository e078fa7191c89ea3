// rowsmith_mutants [--on host|host_scalar|cuda:0|gfx906|…]… [--few] [--only NAME]… [--jobs N] [--verbose] [--list]
// Puts one fault after the other into the kernels and runs the cases that must notice, each trial in a process of its
// own. Ends with 1 when a mutant survives.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "mutants/mutant.h"
#include "mutants/trial.h"
#include "render/embedded.h"
#include "support/private_folder.h"

namespace rowsmith::mutants {
namespace {

namespace fs = std::filesystem;
using words = std::vector<std::string>;

constexpr int every_fourteenth = 14;  // of the list, with --few
constexpr double most_seconds = 60;   // of a trial: an endless kernel is noticed, too

struct arguments {
  std::vector<place> on;
  std::set<std::string> only;
  bool few = false, verbose = false, list = false;
  int jobs = 0;
  std::string trial, cases, scalar_library;  // of a trial
  bool is_trial = false;
};

place place_of(const std::string& name) {
  if (name == "host") return {name, host, "host"};
  if (name == "host_scalar") return {name, host_scalar, "host"};
  if (name.substr(0, 4) == "cuda") return {name, cuda, name};
  return {name, amd, "hip:0"};
}

arguments parse_arguments(int argc, char** argv) {
  arguments a;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto next = [&] { return i + 1 < argc ? std::string(argv[++i]) : std::string(); };
    if (word == "--on")
      a.on.push_back(place_of(next()));
    else if (word == "--only")
      a.only.insert(next());
    else if (word == "--few")
      a.few = true;
    else if (word == "--verbose")
      a.verbose = true;
    else if (word == "--list")
      a.list = true;
    else if (word == "--jobs")
      a.jobs = std::atoi(next().c_str());
    else if (word == "--trial")
      a.trial = next(), a.is_trial = true;
    else if (word == "--cases")
      a.cases = next();
    else if (word == "--scalar-library")
      a.scalar_library = next();
    else
      std::fprintf(stderr, "%s is not known\n", word.c_str()), std::exit(2);
  }
  if (a.on.empty()) a.on = {place_of("host"), place_of("host_scalar"), place_of("gfx906")};
  if (a.jobs <= 0) a.jobs = static_cast<int>(std::max(1u, std::min(std::thread::hardware_concurrency(), 8u)));
  return a;
}

// A program's exit status; its output goes to `log`. 128 + n: ended by signal n. -1: too slow.
int run(const words& command, const fs::path& log) {
  std::vector<char*> argv;
  for (const std::string& w : command) argv.push_back(const_cast<char*>(w.c_str()));
  argv.push_back(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    if (std::freopen(log.c_str(), "w", stdout) == nullptr || ::dup2(1, 2) < 0) std::_Exit(127);
    ::execv(argv[0], argv.data());
    std::_Exit(127);
  }
  const auto start = std::chrono::steady_clock::now();
  for (int state = 0;;) {
    if (::waitpid(child, &state, WNOHANG) == child)
      return WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
    if (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() > most_seconds) {
      ::kill(child, SIGKILL);
      ::waitpid(child, &state, 0);
      return -1;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

std::string end_of(const fs::path& log) {
  std::ifstream in(log);
  std::string text((std::istreambuf_iterator<char>(in)), {});
  return text.substr(text.size() - std::min<std::size_t>(text.size(), 1500));
}

// kernel_src with the mutant in it, and the host's fallback made of that. Empty: it does not compile.
std::string scalar_library_with(const mutant& m, const fs::path& folder) {
  for (const embedded_header& h : embedded_headers()) {
    const fs::path to = folder / "kernel_src" / h.path;
    fs::create_directories(to.parent_path());
    std::ofstream(to) << (h.path == m.file ? mutated(m, h.text) : std::string(h.text));
  }
  const std::string source = ROWSMITH_SOURCE_FOLDER, made = folder / "fallback.so";
  const words command = {ROWSMITH_CXX,
                         "-std=c++20",
                         "-O1",
                         "-ffp-contract=off",
                         "-shared",
                         "-fPIC",
                         "-Wl,-Bsymbolic",
                         "-I" + (folder / "kernel_src").string(),
                         "-I" + source + "/src",
                         "-I" + source + "/include",
                         source + "/tests/mutants/scalar_library.cpp",
                         "-o",
                         made};
  return run(command, folder / "compiler.txt") == 0 ? made : std::string();
}

class contest {
 public:
  contest(const arguments& a, const place& where) : a_(a), where_(where) {
    ::setenv("ROWSMITH_CACHE_DIR", (folder_ / "cache").c_str(), 1);
    fs::create_directory(folder_ / "cache");
    fs::permissions(folder_ / "cache", fs::perms::owner_all);
  }

  // True: every mutant was caught.
  bool hold() {
    std::vector<const mutant*> tried;
    int number = 0;
    for (const mutant& m : all_mutants()) {
      if ((m.on & where_.on) == 0) continue;
      if (!a_.only.empty() ? a_.only.count(m.name) != 0 : !a_.few || number++ % every_fourteenth == 0)
        tried.push_back(&m);
    }
    if (!sound(tried)) return false;
    std::atomic<std::size_t> next{0};
    std::vector<std::thread> others;
    const auto work = [&] {
      for (std::size_t i; (i = next++) < tried.size();) try_one(*tried[i]);
    };
    for (int n = 1; n < a_.jobs; ++n) others.emplace_back(work);
    work();
    for (std::thread& t : others) t.join();
    std::printf("%s: %d of %zu mutants caught\n", where_.name.c_str(), caught_, tried.size());
    for (const std::string& s : survivors_) std::printf("  survived: %s\n", s.c_str());
    for (const std::string& s : invalid_) std::printf("  not tried: %s\n", s.c_str());
    return survivors_.empty() && invalid_.empty();
  }

 private:
  words trial(const std::string& name, const std::string& cases, const std::string& scalar_library) const {
    words w = {"/proc/self/exe", "--trial", name, "--cases", cases, "--on", where_.name};
    w[0] = fs::read_symlink("/proc/self/exe").string();
    if (!scalar_library.empty()) w.insert(w.end(), {"--scalar-library", scalar_library});
    return w;
  }

  // The cases pass without a fault, case by case.
  bool sound(const std::vector<const mutant*>& tried) {
    std::set<std::string> cases;
    for (const mutant* m : tried) {
      const std::string all = m->cases;
      for (std::size_t begin = 0; begin <= all.size();) {
        const std::size_t end = std::min(all.find(':', begin), all.size());
        cases.insert(all.substr(begin, end - begin));
        begin = end + 1;
      }
    }
    bool all_pass = true;
    std::atomic<std::size_t> next{0};
    const words list(cases.begin(), cases.end());
    std::vector<std::thread> others;
    const auto work = [&] {
      for (std::size_t i; (i = next++) < list.size();) {
        const fs::path log = folder_ / ("sound-" + list[i]);
        const int end = run(trial("", list[i], ""), log);
        if (end == passed) continue;
        const std::lock_guard lock(guard_);
        std::printf("%s: %s ends with %d without any fault\n%s\n", where_.name.c_str(), list[i].c_str(), end,
                    end_of(log).c_str());
        all_pass = false;
      }
    };
    for (int n = 1; n < a_.jobs; ++n) others.emplace_back(work);
    work();
    for (std::thread& t : others) t.join();
    return all_pass;
  }

  void try_one(const mutant& m) {
    const fs::path own = folder_ / m.name;
    fs::create_directory(own);
    std::string library;
    if (where_.on == host_scalar && (library = scalar_library_with(m, own)).empty()) {
      return note(m, not_compiled, own / "compiler.txt");
    }
    const int end = run(trial(m.name, m.cases, library), own / "log");
    note(m, end, own / "log");
    fs::remove_all(own);
  }

  void note(const mutant& m, int end, const fs::path& log) {
    const std::lock_guard lock(guard_);
    const bool invalid = end == not_compiled || end == nothing_ran || end == broken || end == 127;
    if (end == passed) survivors_.push_back(m.name);
    if (invalid) invalid_.push_back(std::string(m.name) + (end == not_compiled ? " does not compile" : " did not run"));
    if (end != passed && !invalid) ++caught_;
    if (a_.verbose || invalid) std::printf("%s %s: %d\n%s\n", where_.name.c_str(), m.name, end, end_of(log).c_str());
  }

  const arguments& a_;
  const place& where_;
  test::private_folder private_{"mutants"};
  const fs::path folder_ = private_.path();
  std::mutex guard_;
  int caught_ = 0;
  words survivors_, invalid_;
};

int run_all(const arguments& a) {
  if (a.list) {
    for (const mutant& m : all_mutants()) std::printf("%s  %s  %s\n", m.name, m.file, m.cases);
    return 0;
  }
  bool all_caught = true;
  for (const place& where : a.on) all_caught = contest(a, where).hold() && all_caught;
  return all_caught ? 0 : 1;
}

}  // namespace
}  // namespace rowsmith::mutants

int main(int argc, char** argv) {
  using namespace rowsmith::mutants;
  const arguments a = parse_arguments(argc, argv);
  if (a.is_trial) return hold_trial(a.trial, a.cases, a.on.front(), a.scalar_library);
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  return run_all(a);
}
