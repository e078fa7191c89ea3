#include "backend/hip/hiprtc.h"

#include <chrono>
#include <cstdlib>

#include "backend/hip/comgr.h"
#include "backend/hip/places.h"
#include "backend/hip/runtime.h"
#include "backend/library_identity.h"
#include "backend/library_search.h"
#include "backend/symbol_binder.h"

namespace rowsmith::hip {
namespace {

// Parsing hipRTC's own 9,000-line header is most of the time of a compile, and our sources need nothing of it: an empty
// one of the same name stands in.
const char* const k_header_name = "hiprtc_runtime.h";
const char* const k_empty_header = "/* nothing is needed of it */\n";

// "5.2.21153" of a library whose real file is libamdhip64.so.5.2.21153.
std::string version_by_file(const std::string& path) {
  char* resolved = realpath(path.c_str(), nullptr);
  const std::string real = resolved != nullptr ? resolved : path;
  std::free(resolved);
  const std::size_t so = real.rfind(".so.");
  return so == std::string::npos ? std::string() : real.substr(so + 4);
}

}  // namespace

status hiprtc::load() {
  const std::lock_guard lock(mutex_);
  if (!loaded_) {
    load_status_ = load_locked();
    loaded_ = true;
  }
  return load_status_;
}

status hiprtc::load_locked() {
  probe_.purpose = "compiler";
  // Up to ROCm 6 it is part of the runtime; from 5.6 on there is a library of its own, from 7 on only that. Any other
  // runtime that lies about comes last.
  const runtime& host = runtime::get();
  const std::string names[] = {"libhiprtc.so.8", "libhiprtc.so.7", "libhiprtc.so.6", "libhiprtc.so.5", "libhiprtc.so"};
  std::vector<std::string> list;
  if (host.usable().ok()) list.push_back(host.library().path());
  append_new(list, library_candidates(names, host.library().path()));
  append_new(list, library_candidates(runtime_names(), {}));
  for (const std::string& candidate : list) {
    library_ = shared_object::open_first({&candidate, 1}, &probe_.tried);
    if (!library_) continue;
    if (const std::string missing = bind(); !missing.empty()) {
      probe_.tried.push_back(candidate + ": lacks " + missing);
      continue;
    }
    probe_.found = library_.path();
    probe_.version = version_by_file(probe_.found);
    const comgr& reader = comgr::get();
    std::vector<std::string> files = {probe_.found};
    if (reader.usable().ok()) files.push_back(reader.probe().found);
    identity_ = {"hiprtc", probe_.version + " comgr " + reader.probe().version, library_identity(files)};
    return {};
  }
  library_ = {};
  return status(code::not_found,
                "hipRTC, the HIP run-time compiler, was not found; set ROWSMITH_HIP_LIBS or ROCM_PATH, or install ROCm "
                "or DTK")
      .with_detail("tried, in order:\n" + lines(probe_.tried));
}

// hipRTC 5.x crashes in a thread that meets one of its locks taken and has never called the HIP runtime.
void hiprtc::introduce_this_thread() const {
  int (*device_count)(int*) = nullptr;
  thread_local bool known = false;
  if (known || !library_.bind(device_count, "hipGetDeviceCount")) return;
  int ignored = 0;
  (void)device_count(&ignored);
  known = true;
}

std::string hiprtc::bind() {
  hiprtc_functions& f = functions_;
  symbol_binder binder(library_);
  binder.need(f.error_string, "hiprtcGetErrorString")
      .need(f.create, "hiprtcCreateProgram")
      .need(f.destroy, "hiprtcDestroyProgram")
      .need(f.compile, "hiprtcCompileProgram")
      .need(f.log_size, "hiprtcGetProgramLogSize")
      .need(f.log, "hiprtcGetProgramLog")
      .need(f.code_size, "hiprtcGetCodeSize")
      .need(f.code, "hiprtcGetCode");
  return binder.missing();
}

library_probe hiprtc::probe() {
  (void)load();
  const std::lock_guard lock(mutex_);
  return probe_;
}

result<compiler_id> hiprtc::identity(const std::string& arch) {
  if (status s = load(); !s.ok()) return s;
  if (status known = guard(arch); !known.ok()) return known;
  return identity_;
}

// hipRTC 5.x aborts the process on an unknown architecture, and the list of those that it knows is comgr's. Hygon's own
// hipRTC, which lies in or beside Hygon's runtime, gets every name as it is, unless Hygon's own comgr is there to say
// no: a stock one, found elsewhere, knows nothing of Hygon's names.
status hiprtc::guard(const std::string& arch) const {
  const comgr& reader = comgr::get();
  const runtime& host = runtime::get();
  const bool hygons =
      host.usable().ok() && host.is_dtk() && folder_of(library_.path()) == folder_of(host.library().path());
  const bool readers_word_counts =
      reader.usable().ok() && (!hygons || reader.probe().found.find("dtk") != std::string::npos);
  if (readers_word_counts) return reader.check_arch(arch);
  return hygons ? status() : reader.usable();
}

hiprtc::attempt hiprtc::try_compile(const std::string& text, const std::string& name, const std::string& arch,
                                    const std::vector<std::string>& options, bool own_header) const {
  const hiprtc_functions& f = functions_;
  // Without --offload-arch it would go and ask the device.
  const std::string target = "--offload-arch=" + arch;
  std::vector<const char*> list = {target.c_str()};
  for (const std::string& option : common_options()) list.push_back(option.c_str());
  for (const std::string& option : options) list.push_back(option.c_str());
  const char* headers[] = {k_empty_header};
  const char* header_names[] = {k_header_name};

  struct program {
    const hiprtc_functions& f;
    program_handle handle = nullptr;
    ~program() {
      if (handle != nullptr) f.destroy(&handle);
    }
  } p{f};
  const std::lock_guard alone(compiling_for_amd);
  attempt a;
  a.doing = "take";
  a.result = f.create(&p.handle, text.c_str(), name.c_str(), own_header ? 1 : 0, headers, header_names);
  if (a.result != success) return a;
  a.doing = "compile";
  a.result = f.compile(p.handle, static_cast<int>(list.size()), list.data());
  std::size_t size = 0;
  if (f.log_size(p.handle, &size) == success && size > 1) {
    a.log.resize(size);
    if (f.log(p.handle, a.log.data()) != success) a.log.clear();
    while (!a.log.empty() && a.log.back() == '\0') a.log.pop_back();
  }
  if (a.result != success) return a;
  a.doing = "hand out the machine code of";
  a.result = f.code_size(p.handle, &size);
  if (a.result != success) return a;
  a.code.resize(size);
  a.result = f.code(p.handle, reinterpret_cast<char*>(a.code.data()));
  a.code = unbundled(std::move(a.code));
  return a;
}

result<binary> hiprtc::compile(const source& s, const std::string& arch) {
  if (auto who = identity(arch); !who) return who.status();
  introduce_this_thread();
  const auto start = std::chrono::steady_clock::now();
  const bool own_header = own_header_.load(std::memory_order_relaxed);
  attempt a = try_compile(s.text, s.name, arch, s.options, own_header);
  // Is it the source, or does this version not take our header? A kernel of one line tells.
  if (a.result != success && own_header && try_compile(probe_kernel, "probe.hip", arch, {}, true).result != success &&
      try_compile(probe_kernel, "probe.hip", arch, {}, false).result == success) {
    own_header_.store(false, std::memory_order_relaxed);
    a = try_compile(s.text, s.name, arch, s.options, false);
  }
  if (a.result != success) {
    return status(code::compile_failed,
                  std::string("hipRTC ") + probe_.version + " could not " + a.doing + " " + s.name + " for " + arch,
                  a.result, functions_.error_string(a.result))
        .with_detail(a.log + "\n--- " + s.name + "\n" + s.text);
  }
  binary out;
  out.code = std::move(a.code);
  out.log = std::move(a.log);
  out.compile_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return out;
}

}  // namespace rowsmith::hip
