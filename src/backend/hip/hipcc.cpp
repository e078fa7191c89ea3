#include "backend/hip/hipcc.h"

#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "backend/library_identity.h"
#include "backend/library_search.h"
#include "base/environment.h"
#include "base/scratch.h"
#include "base/subprocess.h"

namespace rowsmith::hip {
namespace {

namespace fs = std::filesystem;

// A private folder for the compiler's output: standard output carries its remarks.
class scratch_folder {
 public:
  scratch_folder() {
    for (const std::string& parent : scratch_parents()) {
      std::string pattern = parent + "/rowsmith-XXXXXX";
      if (::mkdtemp(pattern.data()) == nullptr) continue;
      path_ = pattern;
      return;
    }
  }
  ~scratch_folder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;

  const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};

bytes content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return {};
  bytes all(static_cast<std::size_t>(file.tellg()));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(all.data()), static_cast<std::streamsize>(all.size()));
  return file ? all : bytes();
}

std::vector<std::string> usual_places() {
  const environment& env = the_environment();
  std::vector<std::string> all;
  for (const std::string& root : {env.rocm_path, env.hip_path, std::string("/opt/dtk"), std::string("/opt/rocm")}) {
    if (!root.empty()) all.insert(all.end(), {root + "/bin/hipcc", root + "/hip/bin/hipcc"});
  }
  append_new(all, matching("/opt/rocm-*/bin/hipcc"));
  all.emplace_back("hipcc");
  return all;
}

// "HIP version: 5.2.21153-0" of the text that --version prints.
std::string version_in(const std::string& text) {
  const std::string key = "HIP version: ";
  const std::size_t at = text.find(key);
  if (at == std::string::npos) return text.substr(0, text.find('\n'));
  const std::size_t from = at + key.size();
  return text.substr(from, text.find_first_of(" \t\r\n", from) - from);
}

constexpr const char* k_probe_kernel = "extern \"C\" __attribute__((global)) void probe(int* y) { *y = 1; }\n";

}  // namespace

hipcc::hipcc(std::vector<std::string> candidates) : candidates_(std::move(candidates)) { probe_.purpose = "compiler"; }

status hipcc::find_locked() {
  if (looked_) return found_;
  looked_ = true;
  for (const std::string& candidate : candidates_.empty() ? usual_places() : candidates_) {
    const auto answer = rowsmith::run({candidate, "--version"}, {}, {"LC_ALL=C"});
    if (!answer || answer->exit_status > 0 || answer->output.empty()) {
      probe_.tried.push_back(
          candidate + ": " +
          (answer ? "--version ended with " + std::to_string(answer->exit_status) : answer.status().message()));
      continue;
    }
    probe_.found = candidate;
    probe_.version = version_in(answer->output);
    // hipcc itself is a script around a compiler that may be exchanged beneath it; all of what --version says tells.
    scratch_folder folder;
    const std::string said = folder.path() + "/version";
    std::ofstream(said) << answer->output;
    identity_ = {"hipcc", probe_.version, library_identity({&said, 1})};
    return found_ = {};
  }
  return found_ = status(code::not_found, "hipcc was not found; set ROCM_PATH, or install ROCm or DTK")
                      .with_detail("tried, in order:\n" + lines(probe_.tried));
}

library_probe hipcc::probe() {
  const std::lock_guard lock(mutex_);
  (void)find_locked();
  return probe_;
}

result<compiler_id> hipcc::identity(const std::string& arch) {
  const std::lock_guard lock(mutex_);
  if (status s = find_locked(); !s.ok()) return s;
  // There is no list to be had of the architectures it knows: a kernel of one line tells.
  auto known = archs_.find(arch);
  if (known == archs_.end()) {
    source s;
    s.name = "probe.hip";
    s.text = k_probe_kernel;
    const auto tried = run(s, arch);
    known = archs_.emplace(arch, tried ? status() : tried.status()).first;
  }
  if (known->second.ok()) return identity_;
  return status(code::unsupported, "target: hipcc " + probe_.version + " does not compile for " + arch)
      .with_detail(known->second.detail());
}

result<binary> hipcc::compile(const source& s, const std::string& arch) {
  if (auto who = identity(arch); !who) return who.status();
  return run(s, arch);
}

result<binary> hipcc::run(const source& s, const std::string& arch) const {
  const auto start = std::chrono::steady_clock::now();
  const scratch_folder folder;
  if (folder.path().empty()) return status(code::io_error, "hipcc: no folder takes its output; set TMPDIR");
  const std::string out_file = folder.path() + "/kernel.co", in_file = folder.path() + "/kernel.hip";
  std::ofstream(in_file) << s.text;
  // Neither headers nor libraries for the device: the sources need none, and DTK has libraries for its own cards only.
  std::vector<std::string> argv = {probe_.found, "--genco", "--offload-arch=" + arch, "-nogpuinc", "-nogpulib"};
  argv.insert(argv.end(), common_options().begin(), common_options().end());
  argv.insert(argv.end(), s.options.begin(), s.options.end());
  argv.insert(argv.end(), {"-o", out_file, in_file});
  const auto ended = rowsmith::run(argv, {}, {"LC_ALL=C", "TMPDIR=" + folder.path()});
  if (!ended) return ended.status();
  binary made;
  made.code = unbundled(content_of(out_file));
  if (ended->exit_status > 0 || made.code.empty()) return refused("hipcc " + probe_.version, s, arch, ended->output);
  made.log = ended->output;
  made.compile_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return made;
}

}  // namespace rowsmith::hip
