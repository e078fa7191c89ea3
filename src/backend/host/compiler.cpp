#include "backend/host/compiler.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
#include <string_view>
#include <system_error>

#include "backend/host/features.h"
#include "backend/host/temporary_folder.h"
#include "backend/library_identity.h"
#include "base/environment.h"
#include "base/subprocess.h"

namespace rowsmith::host {
namespace {

namespace fs = std::filesystem;

// A $CXX is a path, or words as make would split them: "ccache g++ -m64".
std::vector<std::string> words_of(const std::string& text) {
  if (::access(text.c_str(), X_OK) == 0 && text.find('/') != std::string::npos) return {text};
  std::vector<std::string> words;
  std::string word;
  for (const char c : text + ' ') {
    if (c != ' ' && c != '\t') {
      word += c;
    } else if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  return words;
}

// Where PATH leads for `program`, links followed; empty when nowhere.
std::string resolve(const std::string& program) {
  std::error_code failed;
  const auto usable = [&](const fs::path& p) {
    return ::access(p.c_str(), X_OK) == 0 && fs::is_regular_file(p, failed);
  };
  if (program.find('/') != std::string::npos) return usable(program) ? fs::canonical(program, failed).string() : "";
  const char* path = std::getenv("PATH");
  std::string_view rest = path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin";
  while (true) {
    const std::size_t colon = rest.find(':');
    const std::string_view folder = rest.substr(0, colon);
    const fs::path p = fs::path(folder.empty() ? "." : std::string(folder)) / program;
    if (usable(p)) return fs::canonical(p, failed).string();
    if (colon == std::string_view::npos) return {};
    rest = rest.substr(colon + 1);
  }
}

// A candidate before anybody has asked it who it is.
struct located {
  std::vector<std::string> command;
  std::string path;  // of what compiles, links followed; empty: there is no such program
};

// Behind a launcher such as ccache it is the next word that compiles.
located locate(const std::string& candidate) {
  located l;
  l.command = words_of(candidate);
  if (l.command.empty()) return l;
  l.path = resolve(l.command[0]);
  if (l.path.empty() || l.command.size() < 2 || l.command[1][0] == '-') return l;
  if (std::string second = resolve(l.command[1]); !second.empty()) l.path = std::move(second);
  return l;
}

// The file and the switches that a $CXX may carry: they make other code.
std::string build_of(const located& l) {
  std::string build = library_identity(std::span(&l.path, 1));
  for (const std::string& word : l.command) {
    if (word[0] == '-') build += " " + word;
  }
  return build;
}

// Is this program the compiler, rather than one that starts it? GCC and Clang call theirs x86_64-linux-gnu-g++-12,
// clang-14.
bool is_a_compiler(const std::string& path) {
  const std::string name = fs::path(path).filename().string();
  if (name.find("g++") == std::string::npos && name.find("clang") == std::string::npos) return false;
  char magic[4] = {};
  std::ifstream(path, std::ios::binary).read(magic, sizeof magic);
  return std::string_view(magic, sizeof magic) == "\177ELF";
}

bool is_clang(std::string_view version_text) { return version_text.find("clang") != std::string_view::npos; }

// "c++ (Debian 12.2.0-14) 12.2.0" and "Debian clang version 14.0.6": the first number with a dot at a word's start
// that follows the last parenthesis or the word "version".
std::string version_of(std::string_view first_line) {
  std::size_t from = first_line.find(" version ");
  from = from != std::string_view::npos ? from + 9 : first_line.rfind(") ");
  const std::string_view rest = from == std::string_view::npos ? first_line : first_line.substr(from);
  const std::size_t digit = rest.find_first_of("0123456789");
  if (digit == std::string_view::npos) return std::string(first_line);
  const std::string_view number = rest.substr(digit);
  return std::string(number.substr(0, number.find_first_of(" \t\r\n")));
}

std::vector<std::string> flags_for(const compiler& with, const traits& target) {
  std::vector<std::string> flags = {
      "-x", "c++", "-std=c++17", "-O3", "-fPIC", "-shared", "-nostdlib", "-fvisibility=hidden",
      // The numbers' contract: no contraction, no fast-math. What is off here changes no value, only errno and traps.
      "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math",
      // Nothing a kernel does can throw; distributions' hardening would call into libraries that are not linked.
      "-fno-exceptions", "-fno-rtti", "-fno-stack-protector", "-U_FORTIFY_SOURCE",
      // The same bytes from the same text.
      "-Wl,--build-id=none", "-Wno-psabi"};
  if (target.arch.starts_with("x86-64")) flags.emplace_back("-fcf-protection=none");
  if (with.id.name == "g++") flags.emplace_back("-pipe");
  for (std::string& f : feature_flags(target)) flags.push_back(std::move(f));
  return flags;
}

result<bytes> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return status(code::io_error, fmt::format("{}: the compiler left no such file", path));
  bytes all(static_cast<std::size_t>(file.tellg()));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(all.data()), static_cast<std::streamsize>(all.size()));
  if (!file) return status(code::io_error, fmt::format("{}: could not be read", path));
  return all;
}

}  // namespace

std::vector<std::string> default_candidates() {
  const environment& e = the_environment();
  if (!e.cxx.empty()) return {e.cxx};
  std::vector<std::string> all;
  if (!e.system_cxx.empty()) all.push_back(e.system_cxx);
  for (const char* name : {"c++", "g++", "clang++"}) all.emplace_back(name);
  return all;
}

result<compiler> find_compiler(const std::vector<std::string>& candidates, library_probe* probe) {
  probe->purpose = "compiler";
  for (const std::string& candidate : candidates) {
    const located there = locate(candidate);
    if (there.command.empty()) continue;
    const auto pass_over = [&](std::string why) { probe->tried.push_back(candidate + ": " + std::move(why)); };

    if (there.path.empty()) {
      pass_over("no such program");
      continue;
    }
    std::vector<std::string> ask = there.command;
    ask.emplace_back("--version");
    const result<subprocess_result> answer = run(ask, {}, {"LC_ALL=C"});
    if (!answer) {
      pass_over(answer.status().to_string());
      continue;
    }
    if (answer->exit_status > 0 || answer->output.empty()) {
      pass_over(fmt::format("--version ended with {}", answer->exit_status));
      continue;
    }
    const std::string line = answer->output.substr(0, answer->output.find('\n'));
    compiler c{there.command, there.path, {}};
    c.id.name = is_clang(answer->output) ? "clang++" : "g++";
    c.id.version = version_of(line);
    c.id.build = build_of(there);
    probe->found = c.path;
    probe->version = line;
    probe->tried.push_back(candidate + ": " + line);
    return c;
  }
  std::string list;
  for (const std::string& line : probe->tried) list += (list.empty() ? "" : "; ") + line;
  return status(code::not_found, "no C++ compiler was found: " + (list.empty() ? "none was named" : list));
}

std::string build_by_files(const std::vector<std::string>& candidates) {
  for (const std::string& candidate : candidates) {
    const located there = locate(candidate);
    if (!there.path.empty()) return is_a_compiler(there.path) ? build_of(there) : std::string();
  }
  return {};
}

result<binary> compile(const compiler& with, const source& s, const traits& target) {
  const auto start = std::chrono::steady_clock::now();
  result<temporary_folder> folder = temporary_folder::make();
  if (!folder) return folder.status();

  std::vector<std::string> argv = with.command;
  for (std::string& f : flags_for(with, target)) argv.push_back(std::move(f));
  argv.insert(argv.end(), s.options.begin(), s.options.end());
  const std::string out = folder->path() + "/kernel.so";
  for (const char* last : {"-o", out.c_str(), "-"}) argv.emplace_back(last);

  // English messages: logs are quoted in reports.
  const result<subprocess_result> ran = run(argv, s.text, {"LC_ALL=C", "TMPDIR=" + folder->path()});
  if (!ran) return ran.status();

  std::string command;
  for (const std::string& word : argv) command += (command.empty() ? "" : " ") + word;
  // -1: the status was lost, the file tells.
  if (ran->exit_status > 0 || ::access(out.c_str(), R_OK) != 0) {
    return status(code::compile_failed, fmt::format("{} {} did not compile {} for {} (exit status {})", with.id.name,
                                                    with.id.version, s.name, target.arch, ran->exit_status))
        .with_detail(command + "\n" + ran->output);
  }
  result<bytes> code = read_file(out);
  if (!code) return code.status();
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  return binary{std::move(*code), ran->output, took.count()};
}

}  // namespace rowsmith::host
