#include "backend/hip/hiprtc.h"

#include <chrono>
#include <cstdlib>
#include <cstring>

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
const char* const k_probe_kernel = "extern \"C\" __attribute__((global)) void probe(int* y) { *y = 1; }\n";

// "5.2.21153" of a library whose real file is libamdhip64.so.5.2.21153.
std::string version_by_file(const std::string& path) {
  char* resolved = realpath(path.c_str(), nullptr);
  const std::string real = resolved != nullptr ? resolved : path;
  std::free(resolved);
  const std::size_t so = real.rfind(".so.");
  return so == std::string::npos ? std::string() : real.substr(so + 4);
}

// The code object inside an offload bundle, which some versions hand out; the bytes themselves where they are none.
bytes unbundled(bytes code) {
  constexpr std::string_view magic = "__CLANG_OFFLOAD_BUNDLE__";
  if (code.size() < magic.size() + 8 || std::memcmp(code.data(), magic.data(), magic.size()) != 0) return code;
  const auto word = [&](std::size_t at) {
    std::uint64_t value = ~std::uint64_t{0};
    if (at <= code.size() && code.size() - at >= sizeof value) std::memcpy(&value, code.data() + at, sizeof value);
    return value;
  };
  std::size_t at = magic.size();
  const std::uint64_t count = word(at);
  at += 8;
  for (std::uint64_t i = 0; i < count && at + 24 <= code.size(); ++i) {
    const std::uint64_t offset = word(at), size = word(at + 8), name = word(at + 16);
    if (name > code.size() - at - 24 || offset > code.size() || size > code.size() - offset) break;
    const std::string_view triple(reinterpret_cast<const char*>(code.data()) + at + 24, name);
    if (size != 0 && triple.find("amdgcn") != std::string_view::npos) {
      return bytes(code.begin() + static_cast<std::ptrdiff_t>(offset),
                   code.begin() + static_cast<std::ptrdiff_t>(offset + size));
    }
    at += 24 + name;
  }
  return code;
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
                "hipRTC, the HIP run-time compiler, was not found (compiling with comgr alone or with hipcc is not "
                "supported yet); set ROWSMITH_HIP_LIBS or ROCM_PATH, or install ROCm or DTK")
      .with_detail("tried, in order:\n" + lines(probe_.tried));
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

result<compiler_id> hiprtc::identity() {
  if (status s = load(); !s.ok()) return s;
  return identity_;
}

// hipRTC 5.x aborts the process on an unknown architecture. On Hygon's DTK the names go straight through to its own
// compiler, unless its own comgr is there to say no: a stock one, found elsewhere, knows nothing of Hygon's names.
status hiprtc::guard(const std::string& arch) const {
  const comgr& reader = comgr::get();
  const runtime& host = runtime::get();
  const bool dtk = host.usable().ok() && host.is_dtk();
  if (!reader.usable().ok()) return dtk ? status() : reader.usable();
  if (reader.knows(arch)) return {};
  if (dtk && reader.probe().found.find("dtk") == std::string::npos) return {};
  std::string list;
  for (const std::string& a : reader.known_archs()) list += (list.empty() ? "" : ", ") + a;
  return {code::unsupported, "target: the compiler of comgr " + reader.probe().version + " does not know " + arch +
                                 ", it knows " + list};
}

hiprtc::attempt hiprtc::try_compile(const std::string& text, const std::string& name, const std::string& arch,
                                    const std::vector<std::string>& options, bool own_header) const {
  const hiprtc_functions& f = functions_;
  // Without --offload-arch it would go and ask the device.
  const std::string target = "--offload-arch=" + arch;
  std::vector<const char*> list = {target.c_str(), "-O3", "-std=c++17", "-ffp-contract=off"};
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
  if (status loaded = load(); !loaded.ok()) return loaded;
  if (status known = guard(arch); !known.ok()) return known;
  const auto start = std::chrono::steady_clock::now();
  const bool own_header = own_header_.load(std::memory_order_relaxed);
  attempt a = try_compile(s.text, s.name, arch, s.options, own_header);
  // Is it the source, or does this version not take our header? A kernel of one line tells.
  if (a.result != success && own_header &&
      try_compile(k_probe_kernel, "probe.hip", arch, {}, true).result != success &&
      try_compile(k_probe_kernel, "probe.hip", arch, {}, false).result == success) {
    own_header_.store(false, std::memory_order_relaxed);
    a = try_compile(s.text, s.name, arch, s.options, false);
  }
  if (a.result != success) {
    return status(code::compile_failed, std::string("hipRTC ") + probe_.version + " could not " + a.doing + " " +
                                            s.name + " for " + arch,
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
