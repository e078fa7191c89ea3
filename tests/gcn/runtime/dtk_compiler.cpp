// The hipRTC of the DTK face: inside the runtime, as in HIP 5.2, from which DTK descends. A stock hipRTC does the work
// for gfx906, and the result is named after the card. Like DTK's, it knows Hygon's cards and no other.
#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "gcn/runtime/dtk_image.h"
#include "gcn/runtime/hip_api.h"
#include "gcn/runtime/settings.h"

namespace {

constexpr int compilation_error = 6, internal_error = 11;
constexpr const char* const k_known[] = {"gfx906", "gfx926", "gfx928", "gfx936"};

struct program {
  void* stock = nullptr;
  std::string arch, log;
};

void* stock_symbol(const char* name) {
  static void* const library = [] {
    void* found = nullptr;
    for (const char* candidate : {"libamdhip64.so.5", "libhiprtc.so.6", "libhiprtc.so.7"}) {
      if (found == nullptr) found = ::dlopen(candidate, RTLD_NOW | RTLD_LOCAL);
    }
    return found;
  }();
  return library != nullptr ? ::dlsym(library, name) : nullptr;
}

template <class... P>
int stock(const char* name, P... arguments) {
  const auto function = reinterpret_cast<int (*)(P...)>(stock_symbol(name));
  return function != nullptr ? function(arguments...) : internal_error;
}

}  // namespace

HIPSIM_API const char* hiprtcGetErrorString(int e) {
  return e == 0                   ? "HIPRTC_SUCCESS"
         : e == compilation_error ? "HIPRTC_ERROR_COMPILATION"
                                  : "HIPRTC_ERROR_INTERNAL_ERROR";
}
HIPSIM_API int hiprtcCreateProgram(program** to, const char* text, const char* name, int count, const char** headers,
                                   const char** names) {
  *to = new program;
  return stock("hiprtcCreateProgram", &(*to)->stock, text, name, count, headers, names);
}
HIPSIM_API int hiprtcDestroyProgram(program** p) {
  const int e = stock("hiprtcDestroyProgram", &(*p)->stock);
  delete *p;
  *p = nullptr;
  return e;
}
HIPSIM_API int hiprtcCompileProgram(program* p, int count, const char** options) {
  const std::string key = "--offload-arch=", replaced = key + hipsim::executed_arch();
  std::vector<const char*> list(options, options + count);
  for (const char*& option : list) {
    if (std::strncmp(option, key.c_str(), key.size()) != 0) continue;
    p->arch = option + key.size();
    option = replaced.c_str();
  }
  for (const char* known : k_known) {
    if (p->arch == known) return stock("hiprtcCompileProgram", p->stock, count, list.data());
  }
  p->log = "error: cannot find ROCm device library for " + p->arch;
  return compilation_error;
}
HIPSIM_API int hiprtcGetProgramLogSize(program* p, std::size_t* size) {
  if (!p->log.empty()) return *size = p->log.size() + 1, 0;
  return stock("hiprtcGetProgramLogSize", p->stock, size);
}
HIPSIM_API int hiprtcGetProgramLog(program* p, char* text) {
  if (!p->log.empty()) return std::strcpy(text, p->log.c_str()), 0;
  return stock("hiprtcGetProgramLog", p->stock, text);
}
HIPSIM_API int hiprtcGetCodeSize(program* p, std::size_t* size) { return stock("hiprtcGetCodeSize", p->stock, size); }
HIPSIM_API int hiprtcGetCode(program* p, char* code) {
  std::size_t size = 0;
  if (const int e = hiprtcGetCodeSize(p, &size)) return e;
  if (const int e = stock("hiprtcGetCode", p->stock, code)) return e;
  auto* begin = reinterpret_cast<std::byte*>(code);
  std::vector<std::byte> image(begin, begin + size);
  if (p->arch != hipsim::executed_arch() && !hipsim::rename_target(image, hipsim::executed_arch(), p->arch)) {
    return internal_error;
  }
  return std::memcpy(code, image.data(), size), 0;
}
