#include "base/environment.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <cstdlib>

#include "base/no_destructor.h"

namespace rowsmith {

namespace {

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const auto end = text.find(separator);
    if (end != 0) parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return parts;
}

// Each parser answers what is allowed when it refuses, or an empty text.
std::string parse_into(bool* out, std::string_view text) {
  if (text == "1" || text == "true" || text == "on") return *out = true, "";
  if (text == "0" || text == "false" || text == "off" || text.empty()) return *out = false, "";
  return "1 or 0";
}

std::string parse_into(std::string* out, std::string_view text) { return *out = text, ""; }
std::string parse_into(std::vector<std::string>* out, std::string_view text) { return *out = split(text, ':'), ""; }

std::string parse_into(std::uint64_t* out, std::string_view text) {
  constexpr const char* allowed = "a number of bytes, with an optional suffix K, M or G";
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return allowed;
  std::string_view suffix = text.substr(static_cast<std::size_t>(end - text.data()));
  int shift = 0;
  if (!suffix.empty()) {
    switch (std::toupper(static_cast<unsigned char>(suffix.front()))) {
      case 'K':
        shift = 10;
        break;
      case 'M':
        shift = 20;
        break;
      case 'G':
        shift = 30;
        break;
      default:
        return allowed;
    }
    suffix.remove_prefix(1);
  }
  if (!suffix.empty() || (number << shift) >> shift != number) return allowed;
  return *out = number << shift, "";
}

std::string parse_into(compile_policy* out, std::string_view text) {
  if (text == "blocking") return *out = compile_policy::blocking, "";
  if (text == "background") return *out = compile_policy::background, "";
  if (text == "never") return *out = compile_policy::never, "";
  return "blocking, background or never";
}

std::string parse_into(amd_compiler* out, std::string_view text) {
  if (text == "auto") return *out = amd_compiler::automatic, "";
  if (text == "comgr") return *out = amd_compiler::comgr, "";
  if (text == "hiprtc") return *out = amd_compiler::hiprtc, "";
  if (text == "hipcc") return *out = amd_compiler::hipcc, "";
  return "auto, comgr, hiprtc or hipcc";
}

std::string parse_into(width_mode* out, std::string_view text) {
  if (text == "auto") return *out = width_mode::automatic, "";
  if (text == "exact") return *out = width_mode::exact, "";
  if (text == "any") return *out = width_mode::any, "";
  return "auto, exact or any";
}

std::string parse_into(log_level* out, std::string_view text) {
  constexpr std::string_view names[] = {"debug", "info", "warn", "error", "off"};
  for (int i = 0; i < 5; ++i) {
    if (text == names[i]) return *out = static_cast<log_level>(i), "";
  }
  return "debug, info, warn, error or off";
}

bool is_relative(const std::string& path) { return !path.empty() && path.front() != '/'; }

class reader {
 public:
  explicit reader(environment* e) : e_(e) {}

  template <class T>
  void read(const char* name, T* out, const char* meaning) {
    const char* text = std::getenv(name);
    e_->rows.push_back({name, text != nullptr ? text : "", text != nullptr, meaning});
    if (text == nullptr) return;
    const std::string allowed = parse_into(out, text);
    if (!allowed.empty()) e_->complaints.push_back(fmt::format("{} is \"{}\": allowed is {}", name, text, allowed));
  }

 private:
  environment* e_;
};

}  // namespace

environment read_environment() {
  environment e;
  reader r(&e);
  r.read("ROWSMITH_FORCE_SCALAR", &e.force_scalar, "answer every call by the scalar fallback");
  r.read("ROWSMITH_CACHE_DIR", &e.cache_dir, "the cache directory");
  if (is_relative(e.cache_dir)) {
    e.complaints.push_back(fmt::format(
        "ROWSMITH_CACHE_DIR is \"{}\": allowed is an absolute path; kernels are kept in memory only", e.cache_dir));
  }
  r.read("ROWSMITH_SITE_DIRS", &e.site_dirs, "read-only cache directories, colon-separated");
  for (const std::string& dir : e.site_dirs) {
    if (!is_relative(dir)) continue;
    e.complaints.push_back(
        fmt::format("ROWSMITH_SITE_DIRS has \"{}\": allowed are absolute paths; this one is not used", dir));
  }
  r.read("ROWSMITH_CACHE_MAX_BYTES", &e.cache_max_bytes, "byte cap of the cache directory");
  r.read("ROWSMITH_COMPILE", &e.compile, "what a missing kernel does: blocking, background or never");
  r.read("ROWSMITH_STRICT", &e.strict, "with never: fail instead of falling back");
  r.read("ROWSMITH_WIDTH", &e.width, "kernels of calls that leave it open: auto, exact or any width");
  r.read("ROWSMITH_RECORD", &e.record, "file that gathers the requests of this process");
  r.read("ROWSMITH_REMOTE", &e.remote, "remote cache");
  r.read("ROWSMITH_REMOTE_KEY_FILE", &e.remote_key_file, "key that signs entries of the remote cache");
  r.read("ROWSMITH_LOG", &e.log, "debug, info, warn, error or off");
  r.read("ROWSMITH_PROFILE", &e.profile, "reserved for a profile of the calls");
  if (!e.profile.empty()) e.complaints.emplace_back("ROWSMITH_PROFILE is set, but this version makes no profiles");
  r.read("ROWSMITH_CUDA_LIBS", &e.cuda_libs, "folders or files searched first for the CUDA driver and NVRTC");
  r.read("ROWSMITH_HIP_LIBS", &e.hip_libs, "folders or files searched first for the HIP runtime, hipRTC and comgr");
  r.read("ROWSMITH_HIP_COMPILER", &e.hip_compiler, "who compiles for AMD and Hygon: auto, comgr, hiprtc or hipcc");
  r.read("ROWSMITH_CXX", &e.cxx, "the compiler of host kernels");
  r.read("XDG_CACHE_HOME", &e.xdg_cache_home, "where user caches live");
  r.read("HOME", &e.home, "the home directory");
  r.read("TMPDIR", &e.tmpdir, "temporary files");
  r.read("CXX", &e.system_cxx, "the system's C++ compiler");
  r.read("CUDA_HOME", &e.cuda_home, "an installed CUDA toolkit");
  r.read("ROCM_PATH", &e.rocm_path, "an installed ROCm or DTK");
  r.read("HIP_PATH", &e.hip_path, "an installed HIP");
  return e;
}

const environment& the_environment() {
  static no_destructor<environment> e(read_environment());
  return *e;
}

}  // namespace rowsmith
