// Compiled where AMD's headers are installed: every function, number and layout that src/backend/hip declares by itself
// agrees with them.
#define __HIP_PLATFORM_AMD__ 1
#define __HIP_PLATFORM_HCC__ 1
#include <hip/hip_runtime_api.h>
#include <hip/hiprtc.h>

#include "backend/hip/declarations.h"
#include "same_call.h"

namespace {

using namespace rowsmith::hip;
using R = runtime_functions;
using H = hiprtc_functions;

// Overloads for C++ stand beside some of the functions: this picks the one of the C interface.
template <class F>
constexpr F pick(F f) {
  return f;
}
#define SAME_OVERLOAD(table, member, function, type)                                               \
  static_assert(::rowsmith::same_call<decltype(table::member), type>::value, #table "::" #member); \
  static_assert(pick<type>(&(function)) != nullptr)

SAME_CALL(R, error_name, hipGetErrorName);
SAME_CALL(R, error_string, hipGetErrorString);
SAME_CALL(R, device_get_count, hipGetDeviceCount);
SAME_CALL(R, device_get, hipDeviceGet);
SAME_CALL(R, device_name, hipDeviceGetName);
SAME_CALL(R, device_total_memory, hipDeviceTotalMem);
SAME_CALL(R, device_attribute, hipDeviceGetAttribute);
SAME_CALL(R, device_properties, hipGetDeviceProperties);
SAME_CALL(R, current_device, hipGetDevice);
SAME_CALL(R, set_device, hipSetDevice);
SAME_CALL(R, module_load, hipModuleLoadData);
SAME_CALL(R, module_unload, hipModuleUnload);
SAME_CALL(R, module_function, hipModuleGetFunction);
SAME_CALL(R, launch, hipModuleLaunchKernel);
SAME_CALL(R, stream_capturing, hipStreamIsCapturing);
SAME_CALL(R, stream_synchronize, hipStreamSynchronize);
SAME_OVERLOAD(R, allocate, hipMalloc, hipError_t (*)(void**, size_t));
SAME_OVERLOAD(R, allocate_async, hipMallocAsync, hipError_t (*)(void**, size_t, hipStream_t));
SAME_CALL(R, release_async, hipFreeAsync);
SAME_CALL(R, release, hipFree);
SAME_CALL(R, copy, hipMemcpy);
#if HIP_VERSION_MAJOR > 5 || (HIP_VERSION_MAJOR == 5 && HIP_VERSION_MINOR >= 6)
SAME_CALL(R, stream_device, hipStreamGetDevice);
#endif

static_assert(sizeof(hipDeviceProp_t) <= 8192, "the buffer that it is read into");
static_assert(offsetof(hipDeviceProp_t, gcnArchName) >= 256, "the name comes first");
static_assert(sizeof(hipDevice_t) == sizeof(device_handle));
SAME_VALUE(success, hipSuccess);
SAME_VALUE(error_out_of_memory, hipErrorOutOfMemory);
SAME_VALUE(error_no_device, hipErrorNoDevice);
SAME_VALUE(error_not_supported, hipErrorNotSupported);
SAME_VALUE(attribute_l2_bytes, hipDeviceAttributeL2CacheSize);
SAME_VALUE(attribute_multiprocessors, hipDeviceAttributeMultiprocessorCount);
SAME_VALUE(attribute_warp_size, hipDeviceAttributeWarpSize);
SAME_VALUE(copy_default, hipMemcpyDefault);
SAME_VALUE(capture_none, hipStreamCaptureStatusNone);
SAME_VALUE(success, HIPRTC_SUCCESS);
SAME_VALUE(hiprtc_compilation, HIPRTC_ERROR_COMPILATION);

SAME_CALL(H, error_string, hiprtcGetErrorString);
SAME_CALL(H, create, hiprtcCreateProgram);
SAME_CALL(H, destroy, hiprtcDestroyProgram);
SAME_CALL(H, compile, hiprtcCompileProgram);
SAME_CALL(H, log_size, hiprtcGetProgramLogSize);
SAME_CALL(H, log, hiprtcGetProgramLog);
SAME_CALL(H, code_size, hiprtcGetCodeSize);
SAME_CALL(H, code, hiprtcGetCode);

}  // namespace
