#include "backend/cuda/driver.h"

#include "backend/library_search.h"
#include "backend/symbol_binder.h"
#include "base/environment.h"
#include "base/no_destructor.h"

namespace rowsmith::cuda {
namespace {

std::vector<std::string> driver_candidates() {
  const std::vector<std::string> names = {"libcuda.so.1"};
  std::vector<std::string> list = candidates(the_environment().cuda_libs, names);
  // The loader's own search, then where Windows' Linux keeps it.
  list.insert(list.end(), {"libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1"});
  return list;
}

}  // namespace

driver& driver::get() {
  static no_destructor<driver*> instance(new driver());
  return **instance;
}

driver::driver() {
  probe_.purpose = "driver";
  library_ = shared_object::open_first(driver_candidates(), &probe_.tried);
  if (!library_) {
    usable_ = status(code::not_found,
                     "the CUDA driver library libcuda.so.1 was not found; set ROWSMITH_CUDA_LIBS or "
                     "install the NVIDIA driver")
                  .with_detail("tried, in order:\n" + lines(probe_.tried));
    return;
  }
  probe_.found = library_.path();
  if (const std::string missing = bind(); !missing.empty()) {
    usable_ = status(code::unsupported, "the CUDA driver " + probe_.found + " is too old, it lacks " + missing);
    return;
  }
  int version = 0;
  if (functions_.driver_version(&version) == success) {
    probe_.version = std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
  }
  if (driver_result error = functions_.init(0); error == error_no_device) {
    usable_ = failure(error, "find a device");
    return;
  } else if (error != success) {
    usable_ = failure(error, "start");
    return;
  }
  if (functions_.device_get_count(&count_) != success) count_ = 0;
  devices_ = std::make_unique<device_state[]>(static_cast<std::size_t>(count_));
}

std::string driver::bind() {
  driver_functions& f = functions_;
  symbol_binder binder(library_);
  binder.need(f.init, "cuInit")
      .need(f.driver_version, "cuDriverGetVersion")
      .need(f.error_name, "cuGetErrorName")
      .need(f.error_string, "cuGetErrorString")
      .need(f.device_get_count, "cuDeviceGetCount")
      .need(f.device_get, "cuDeviceGet")
      .need(f.device_name, "cuDeviceGetName")
      .need(f.device_total_memory, "cuDeviceTotalMem_v2")
      .need(f.device_attribute, "cuDeviceGetAttribute")
      .need(f.primary_retain, "cuDevicePrimaryCtxRetain")
      .need(f.context_current, "cuCtxGetCurrent")
      .need(f.context_push, "cuCtxPushCurrent_v2")
      .need(f.context_pop, "cuCtxPopCurrent_v2")
      .need(f.context_device, "cuCtxGetDevice")
      .need(f.module_load, "cuModuleLoadData")
      .need(f.module_unload, "cuModuleUnload")
      .need(f.module_function, "cuModuleGetFunction")
      .need(f.function_set_attribute, "cuFuncSetAttribute")
      .need(f.launch, "cuLaunchKernel")
      .need(f.stream_capturing, "cuStreamIsCapturing")
      .need(f.stream_context, "cuStreamGetCtx")
      .need(f.stream_synchronize, "cuStreamSynchronize")
      .need(f.allocate, "cuMemAlloc_v2")
      .need(f.release, "cuMemFree_v2")
      .need(f.copy, "cuMemcpy")
      .want(f.allocate_async, "cuMemAllocAsync")
      .want(f.release_async, "cuMemFreeAsync")
      .want(f.launch_ex, "cuLaunchKernelEx")
      .want(f.stream_device, "cuStreamGetDevice")
      .want(f.library_load, "cuLibraryLoadData")
      .want(f.library_unload, "cuLibraryUnload")
      .want(f.library_kernel, "cuLibraryGetKernel")
      .want(f.kernel_function, "cuKernelGetFunction")
      .want(f.kernel_set_attribute, "cuKernelSetAttribute");
  return binder.missing();
}

result<device_handle> driver::device(int index) const {
  if (!usable_.ok()) return usable_;
  if (index < 0 || index >= count_) {
    return status(code::not_found, "device: found cuda:" + std::to_string(index) + ", this process sees " +
                                       std::to_string(count_) + " CUDA device(s)");
  }
  device_handle handle = 0;
  if (driver_result error = functions_.device_get(&handle, index)) return failure(error, "open the device");
  return handle;
}

result<context_handle> driver::primary(int index, bool again) {
  auto handle = device(index);
  if (!handle) return handle.status();
  device_state& state = devices_[static_cast<std::size_t>(index)];
  const std::lock_guard lock(state.mutex);
  if (state.primary == nullptr || again) {
    context_handle context = nullptr;
    if (driver_result error = functions_.primary_retain(&context, *handle)) {
      return failure(error, "open the device's primary context");
    }
    state.primary = context;
  }
  return state.primary;
}

status driver::failure(driver_result error, const std::string& doing) const {
  const char *name = nullptr, *text = nullptr;
  if (functions_.error_name(error, &name) != success || name == nullptr) name = "unknown error";
  if (functions_.error_string(error, &text) != success || text == nullptr) text = "no text";
  const code kind = error == error_out_of_memory ? code::out_of_memory
                    : error == error_no_device   ? code::not_found
                                                 : code::device_error;
  std::string message = "the CUDA driver could not " + doing;
  if (error == error_deinitialized) message += ": it is shutting down";
  if (error == error_context_is_destroyed) message += ": the device was reset since";
  return {kind, std::move(message), error, std::string(name) + ": " + text};
}

}  // namespace rowsmith::cuda
