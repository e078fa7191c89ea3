#include "backend/cuda/nvrtc.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <utility>

#include "backend/cuda/target.h"
#include "backend/library_identity.h"
#include "backend/library_search.h"
#include "backend/symbol_binder.h"
#include "base/environment.h"

namespace rowsmith::cuda {
namespace {

constexpr const char* k_no_cache = "--no-cache";
const std::string k_names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"};

bool exists(const std::string& path) { return access(path.c_str(), R_OK) == 0; }

// The symbolic link followed, so that the builtins are also looked for beside the real file.
std::string real_path(const std::string& path) {
  char* resolved = realpath(path.c_str(), nullptr);
  std::string text = resolved != nullptr ? resolved : path;
  std::free(resolved);
  return text;
}

// NVRTC asks the loader for libnvrtc-builtins.so.<major.minor> and does not look beside itself.
std::string builtins_beside(const std::string& library, const std::string& version) {
  for (const std::string& folder : {folder_of(library), folder_of(real_path(library))}) {
    const std::string path = folder + "/libnvrtc-builtins.so." + version;
    if (!folder.empty() && exists(path)) return path;
  }
  return {};
}

// The version of a library that is not loaded: its builtins carry it in their name. Empty unless exactly one fits.
std::string version_by_neighbours(const std::string& library) {
  std::string real = real_path(library), major;
  const std::size_t so = real.find(".so.");
  if (so == std::string::npos) return {};
  major = real.substr(so + 4, real.find('.', so + 4) - (so + 4));
  const std::string stem = folder_of(real) + "/libnvrtc-builtins.so.";
  std::vector<std::string> versions;
  for (const std::string& path : matching(stem + major + ".*")) {
    const std::string version = path.substr(stem.size());
    if (std::count(version.begin(), version.end(), '.') == 1) versions.push_back(version);
  }
  return versions.size() == 1 ? versions[0] : std::string();
}

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

std::vector<std::string> nvrtc::usual_candidates() {
  const environment& env = the_environment();
  std::vector<std::string> places = env.cuda_libs;
  if (!env.cuda_home.empty()) places.insert(places.end(), {env.cuda_home + "/lib64", env.cuda_home + "/lib"});
  places.emplace_back("/usr/local/cuda/lib64");
  return candidates(places, k_names);
}

std::vector<std::string> nvrtc::searched_candidates() {
  const environment& env = the_environment();
  std::vector<std::string> places = {"/usr/local/cuda-*/lib64"};
  // Python's packages: nvidia/cuda_nvrtc/lib (12) or nvidia/cu13/lib (13).
  std::vector<std::string> prefixes = {"/usr/local", "/usr"};
  if (!env.home.empty()) prefixes.insert(prefixes.begin(), env.home + "/.local");
  const std::string program = real_path("/proc/self/exe");  // <prefix>/bin/python3.11 when Python is the program
  if (program.find("/bin/python") != std::string::npos)
    prefixes.insert(prefixes.begin(), folder_of(folder_of(program)));
  for (const std::string& prefix : prefixes) {
    places.push_back(prefix + "/lib/python3*/*-packages/nvidia/*/lib");
  }
  std::vector<std::string> list = candidates(places, k_names);
  append_new(list, k_names);
  return list;
}

void nvrtc::search_on() {
  if (more_) append_new(candidates_, std::exchange(more_, {})());
}

status nvrtc::load() {
  const std::lock_guard lock(mutex_);
  if (!loaded_) {
    load_status_ = load_locked();
    loaded_ = true;
  }
  return load_status_;
}

status nvrtc::load_locked() {
  probe_.purpose = "compiler";
  for (std::size_t i = 0;; ++i) {
    if (i == candidates_.size()) search_on();
    if (i == candidates_.size()) break;
    const std::string candidate = candidates_[i];
    library_ = shared_object::open_first({&candidate, 1}, &probe_.tried);
    if (!library_) continue;
    const std::string lacks = bind();
    if (lacks.empty()) {
      probe_.found = library_.path();
      builtins_path_ = builtins_beside(library_.path(), probe_.version);
      // Left to the loader's own search when there is none beside it; a failure shows as NVRTC's error 7 with its log.
      const std::string builtins = builtins_path_.empty() ? "libnvrtc-builtins.so." + probe_.version : builtins_path_;
      builtins_ = shared_object::open_first({&builtins, 1}, &probe_.tried);
      if (builtins_) builtins_path_ = builtins_.path();
      if (identified_file_ != library_.path()) identified_file_.clear();  // the file named before does not open
      return {};
    }
    probe_.tried.push_back(candidate + ": lacks " + lacks);
  }
  library_ = {};
  return status(code::not_found,
                "NVRTC, the CUDA run-time compiler, was not found; set ROWSMITH_CUDA_LIBS or CUDA_HOME, "
                "or install the package nvidia-cuda-nvrtc")
      .with_detail("tried, in order:\n" + lines(probe_.tried));
}

std::string nvrtc::bind() {
  nvrtc_functions& f = functions_;
  symbol_binder binder(library_);
  binder.need(f.version, "nvrtcVersion")
      .need(f.error_string, "nvrtcGetErrorString")
      .need(f.create, "nvrtcCreateProgram")
      .need(f.destroy, "nvrtcDestroyProgram")
      .need(f.compile, "nvrtcCompileProgram")
      .need(f.log_size, "nvrtcGetProgramLogSize")
      .need(f.log, "nvrtcGetProgramLog")
      .need(f.cubin_size, "nvrtcGetCUBINSize")
      .need(f.cubin, "nvrtcGetCUBIN")
      .need(f.ptx_size, "nvrtcGetPTXSize")
      .need(f.ptx, "nvrtcGetPTX")
      .want(f.supported_count, "nvrtcGetNumSupportedArchs")
      .want(f.supported_archs, "nvrtcGetSupportedArchs");
  if (!binder.missing().empty()) return binder.missing();
  int major = 0, minor = 0;
  if (f.version(&major, &minor) != nvrtc_success) return "a working nvrtcVersion";
  probe_.version = std::to_string(major) + "." + std::to_string(minor);
  return {};
}

library_probe nvrtc::probe() {
  (void)load();
  const std::lock_guard lock(mutex_);
  return probe_;
}

result<compiler_id> nvrtc::identity() {
  {
    const std::lock_guard lock(mutex_);
    if (!identified_file_.empty()) return identity_;
    if (!loaded_ && identify_by_files()) return identity_;
  }
  if (status s = load(); !s.ok()) return s;
  const std::lock_guard lock(mutex_);
  identify(library_.path(), builtins_path_, probe_.version);
  return identity_;
}

void nvrtc::identify(const std::string& library, const std::string& builtins, const std::string& version) {
  std::vector<std::string> files = {library};
  if (!builtins.empty()) files.push_back(builtins);
  identity_ = {"nvrtc", version, library_identity(files)};
  identified_file_ = library;
}

// The loader will open the first file that exists; where its neighbours tell the version, nothing need be loaded.
bool nvrtc::identify_by_files() {
  const auto there = [](const std::string& c) { return c.find('/') == std::string::npos || exists(c); };
  auto first = std::find_if(candidates_.begin(), candidates_.end(), there);
  if (first == candidates_.end()) {
    search_on();
    first = std::find_if(candidates_.begin(), candidates_.end(), there);
  }
  if (first == candidates_.end() || first->find('/') == std::string::npos) return false;
  const std::string version = version_by_neighbours(*first);
  const std::string builtins = version.empty() ? std::string() : builtins_beside(*first, version);
  if (builtins.empty()) return false;
  identify(*first, builtins, version);
  return true;
}

std::vector<int> nvrtc::known_archs() const {
  int count = 0;
  if (functions_.supported_count == nullptr || functions_.supported_archs == nullptr ||
      functions_.supported_count(&count) != nvrtc_success || count <= 0) {
    return {};
  }
  std::vector<int> archs(static_cast<std::size_t>(count));
  if (functions_.supported_archs(archs.data()) != nvrtc_success) return {};
  return archs;
}

result<binary> nvrtc::compile(const source& s, const std::string& arch, const std::function<bool()>& ptx_allowed) {
  if (status loaded = load(); !loaded.ok()) return loaded;
  const nvrtc_functions& f = functions_;
  const auto wanted = parse_target(arch);
  if (!wanted) return status(code::invalid_argument, "target: \"" + arch + "\" is no NVIDIA architecture");

  // An architecture newer than this compiler: its newest older relative as PTX, which the driver translates at load.
  std::string target_option = "--gpu-architecture=" + arch, note;
  bool as_ptx = wanted->ptx;
  const std::vector<int> known = known_archs();
  if (!known.empty() && std::find(known.begin(), known.end(), wanted->number) == known.end()) {
    std::string list;
    int best = 0;
    for (int a : known) {
      list += (list.empty() ? "sm_" : ", sm_") + std::to_string(a);
      if (a < wanted->number) best = std::max(best, a);
    }
    if (best == 0 || !ptx_allowed()) {
      return status(code::unsupported,
                    "target: NVRTC " + probe_.version + " does not know " + arch + ", it knows " + list);
    }
    as_ptx = true;
    target_option = "--gpu-architecture=compute_" + std::to_string(best);
    note = "PTX for compute_" + std::to_string(best) + ", second choice: NVRTC " + probe_.version + " does not know " +
           arch + "\n";
  }

  std::vector<const char*> options = {target_option.c_str(), "-std=c++17", "--fmad=false", "-default-device"};
  for (const std::string& option : s.options) {
    if (option != k_no_cache || no_cache_accepted_.load(std::memory_order_relaxed)) options.push_back(option.c_str());
  }

  struct program {
    const nvrtc_functions& f;
    program_handle handle = nullptr;
    ~program() {
      if (handle != nullptr) f.destroy(&handle);
    }
  };
  const auto failure = [&](nvrtc_result error, const char* doing, const std::string& log) {
    return status(code::compile_failed,
                  "NVRTC " + probe_.version + " could not " + doing + " " + s.name + " for " + arch, error,
                  f.error_string(error))
        .with_detail(log + "\n--- " + s.name + "\n" + s.text);
  };

  const auto start = std::chrono::steady_clock::now();
  program p{f};
  if (nvrtc_result error = f.create(&p.handle, s.text.c_str(), s.name.c_str(), 0, nullptr, nullptr)) {
    return failure(error, "take", "");
  }
  nvrtc_result compiled = f.compile(p.handle, static_cast<int>(options.size()), options.data());
  const auto no_cache =
      std::find_if(options.begin(), options.end(), [](const char* o) { return std::string_view(o) == k_no_cache; });
  if (compiled == nvrtc_invalid_option && no_cache != options.end()) {
    // Older versions refuse the switch; they have no cache of their own either.
    options.erase(no_cache);
    compiled = f.compile(p.handle, static_cast<int>(options.size()), options.data());
    if (compiled != nvrtc_invalid_option) no_cache_accepted_.store(false, std::memory_order_relaxed);
  }
  std::size_t size = 0;
  std::string log;
  if (f.log_size(p.handle, &size) == nvrtc_success && size > 1) {
    log.resize(size);
    if (f.log(p.handle, log.data()) != nvrtc_success) log.clear();
    while (!log.empty() && log.back() == '\0') log.pop_back();
  }
  if (compiled != nvrtc_success) return failure(compiled, "compile", log);

  binary out;
  out.log = note + log;
  nvrtc_result got = as_ptx ? f.ptx_size(p.handle, &size) : f.cubin_size(p.handle, &size);
  if (got == nvrtc_success) {
    out.code.resize(size);
    char* to = reinterpret_cast<char*>(out.code.data());
    got = as_ptx ? f.ptx(p.handle, to) : f.cubin(p.handle, to);
  }
  if (got != nvrtc_success) return failure(got, "hand out the machine code of", log);
  if (as_ptx && !out.code.empty() && out.code.back() == std::byte{0}) out.code.pop_back();  // its size counts a NUL
  out.compile_ms = milliseconds_since(start);
  return out;
}

}  // namespace rowsmith::cuda
