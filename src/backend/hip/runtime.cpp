#include "backend/hip/runtime.h"

#include <array>
#include <cctype>
#include <cstdlib>
#include <cstring>

#include "backend/hip/places.h"
#include "backend/library_search.h"
#include "backend/symbol_binder.h"
#include "base/no_destructor.h"

namespace rowsmith::hip {

runtime& runtime::get() {
  static no_destructor<runtime*> instance(new runtime());
  return **instance;
}

runtime::runtime() {
  probe_.purpose = "driver";
  for (const std::string& candidate : library_candidates(runtime_names(), {})) {
    library_ = shared_object::open_first({&candidate, 1}, &probe_.tried);
    if (!library_) continue;
    const std::string missing = bind();
    if (missing.empty()) {
      probe_.found = library_.path();
      dtk_ = probe_.found.find("libgalaxyhip") != std::string::npos ||
             library_.symbol("hipGetDeviceProperties_v2") != nullptr;
      if (dtk_) probe_.version = "DTK";
      return;
    }
    probe_.tried.push_back(candidate + ": lacks " + missing);
  }
  library_ = {};
  usable_ = status(code::not_found,
                   "the HIP runtime (libamdhip64.so or libgalaxyhip.so) was not found; set "
                   "ROWSMITH_HIP_LIBS or ROCM_PATH, or install ROCm or DTK")
                .with_detail("tried, in order:\n" + lines(probe_.tried));
}

std::string runtime::bind() {
  runtime_functions& f = functions_;
  symbol_binder binder(library_);
  binder.need(f.error_name, "hipGetErrorName")
      .need(f.error_string, "hipGetErrorString")
      .need(f.device_get_count, "hipGetDeviceCount")
      .need(f.device_get, "hipDeviceGet")
      .need(f.device_name, "hipDeviceGetName")
      .need(f.device_total_memory, "hipDeviceTotalMem")
      .need(f.device_attribute, "hipDeviceGetAttribute")
      .need(f.current_device, "hipGetDevice")
      .need(f.set_device, "hipSetDevice")
      .need(f.module_load, "hipModuleLoadData")
      .need(f.module_unload, "hipModuleUnload")
      .need(f.module_function, "hipModuleGetFunction")
      .need(f.launch, "hipModuleLaunchKernel")
      .need(f.stream_capturing, "hipStreamIsCapturing")
      .need(f.stream_synchronize, "hipStreamSynchronize")
      .need(f.allocate, "hipMalloc")
      .need(f.release, "hipFree")
      .need(f.copy, "hipMemcpy")
      .want(f.allocate_async, "hipMallocAsync")
      .want(f.release_async, "hipFreeAsync")
      .want(f.stream_device, "hipStreamGetDevice");
  // ROCm 6 and later, DTK, ROCm 5: the layouts differ, see arch_of().
  if (!library_.bind(f.device_properties, "hipGetDevicePropertiesR0600") &&
      !library_.bind(f.device_properties, "hipGetDeviceProperties_v2")) {
    binder.need(f.device_properties, "hipGetDeviceProperties");
  }
  return binder.missing();
}

int runtime::device_count() noexcept {
  if (!usable_.ok()) return 0;
  static const int count = [this] {
    int n = 0;
    return functions_.device_get_count(&n) == success ? n : 0;
  }();
  return count;
}

status runtime::has_device(int index) {
  if (!usable_.ok()) return usable_;
  const int count = device_count();
  if (index >= 0 && index < count) return {};
  return {code::not_found, "device: found hip:" + std::to_string(index) + ", this process sees " +
                               std::to_string(count) + " HIP device(s)"};
}

result<std::string> runtime::arch_of(int index) {
  if (status s = has_device(index); !s.ok()) return s;
  // Only the architecture's name is taken from the property structure, and wherever it lies: the structure has had
  // three layouts so far. It begins with the device's name, 256 bytes, which must not be mistaken for it.
  constexpr std::size_t name_bytes = 256;
  std::array<char, 8192> properties{};
  if (runtime_result error = functions_.device_properties(properties.data(), index)) {
    return failure(error, "describe the device");
  }
  for (std::size_t at = name_bytes; at + 5 < properties.size(); ++at) {
    const char* text = properties.data() + at;
    if (std::memcmp(text, "gfx", 3) == 0 && std::isdigit(static_cast<unsigned char>(text[3]))) {
      return std::string(text, strnlen(text, properties.size() - at));
    }
  }
  return status(code::device_error, "the HIP runtime does not tell the architecture of hip:" + std::to_string(index));
}

status runtime::failure(runtime_result error, const std::string& doing) const {
  const char* name = functions_.error_name(error);
  const char* text = functions_.error_string(error);
  const code kind = error == error_out_of_memory ? code::out_of_memory
                    : error == error_no_device   ? code::not_found
                                                 : code::device_error;
  return {kind, "the HIP runtime could not " + doing, error,
          std::string(name != nullptr ? name : "unknown error") + ": " + (text != nullptr ? text : "no text")};
}

}  // namespace rowsmith::hip
