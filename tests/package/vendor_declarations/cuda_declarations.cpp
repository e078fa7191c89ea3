// Compiled where NVIDIA's headers are installed: every function, number and layout that src/backend/cuda declares by
// itself agrees with them.
#include <cuda.h>
#include <nvrtc.h>

#include <cstddef>

#include "backend/cuda/declarations.h"
#include "same_call.h"

namespace {

using namespace rowsmith::cuda;
using D = driver_functions;
using N = nvrtc_functions;

SAME_CALL(D, init, cuInit);
SAME_CALL(D, driver_version, cuDriverGetVersion);
SAME_CALL(D, error_name, cuGetErrorName);
SAME_CALL(D, error_string, cuGetErrorString);
SAME_CALL(D, device_get_count, cuDeviceGetCount);
SAME_CALL(D, device_get, cuDeviceGet);
SAME_CALL(D, device_name, cuDeviceGetName);
SAME_CALL(D, device_total_memory, cuDeviceTotalMem_v2);
SAME_CALL(D, device_attribute, cuDeviceGetAttribute);
SAME_CALL(D, primary_retain, cuDevicePrimaryCtxRetain);
SAME_CALL(D, context_current, cuCtxGetCurrent);
SAME_CALL(D, context_push, cuCtxPushCurrent_v2);
SAME_CALL(D, context_pop, cuCtxPopCurrent_v2);
SAME_CALL(D, context_device, cuCtxGetDevice);
SAME_CALL(D, module_load, cuModuleLoadData);
SAME_CALL(D, module_unload, cuModuleUnload);
SAME_CALL(D, module_function, cuModuleGetFunction);
SAME_CALL(D, function_set_attribute, cuFuncSetAttribute);
SAME_CALL(D, launch, cuLaunchKernel);
SAME_CALL(D, stream_capturing, cuStreamIsCapturing);
SAME_CALL(D, stream_context, cuStreamGetCtx);
SAME_CALL(D, stream_synchronize, cuStreamSynchronize);
SAME_CALL(D, allocate, cuMemAlloc_v2);
SAME_CALL(D, allocate_async, cuMemAllocAsync);
SAME_CALL(D, release_async, cuMemFreeAsync);
SAME_CALL(D, release, cuMemFree_v2);
SAME_CALL(D, copy, cuMemcpy);
#if CUDA_VERSION >= 12000
SAME_CALL(D, launch_ex, cuLaunchKernelEx);
SAME_CALL(D, library_load, cuLibraryLoadData);
SAME_CALL(D, library_unload, cuLibraryUnload);
SAME_CALL(D, library_kernel, cuLibraryGetKernel);
SAME_CALL(D, kernel_function, cuKernelGetFunction);
SAME_CALL(D, kernel_set_attribute, cuKernelSetAttribute);

SAME_VALUE(launch_cluster_dimension, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
static_assert(sizeof(launch_attribute) == sizeof(CUlaunchAttribute));
static_assert(offsetof(launch_attribute, id) == offsetof(CUlaunchAttribute, id));
static_assert(offsetof(launch_attribute, value) == offsetof(CUlaunchAttribute, value));
static_assert(offsetof(launch_attribute, value.cluster.y) == offsetof(CUlaunchAttribute, value.clusterDim.y));
static_assert(offsetof(launch_attribute, value.cluster.z) == offsetof(CUlaunchAttribute, value.clusterDim.z));
static_assert(sizeof(launch_config) == sizeof(CUlaunchConfig));
static_assert(offsetof(launch_config, grid_x) == offsetof(CUlaunchConfig, gridDimX));
static_assert(offsetof(launch_config, grid_z) == offsetof(CUlaunchConfig, gridDimZ));
static_assert(offsetof(launch_config, block_x) == offsetof(CUlaunchConfig, blockDimX));
static_assert(offsetof(launch_config, block_z) == offsetof(CUlaunchConfig, blockDimZ));
static_assert(offsetof(launch_config, shared_bytes) == offsetof(CUlaunchConfig, sharedMemBytes));
static_assert(offsetof(launch_config, stream) == offsetof(CUlaunchConfig, hStream));
static_assert(offsetof(launch_config, attributes) == offsetof(CUlaunchConfig, attrs));
static_assert(offsetof(launch_config, attribute_count) == offsetof(CUlaunchConfig, numAttrs));
#endif
#if CUDA_VERSION >= 12080
SAME_CALL(D, stream_device, cuStreamGetDevice);
#endif

static_assert(sizeof(device_handle) == sizeof(CUdevice) && sizeof(device_pointer) == sizeof(CUdeviceptr));
static_assert(sizeof(driver_result) == sizeof(CUresult) && sizeof(nvrtc_result) == sizeof(nvrtcResult));
static_assert(sizeof(int) == sizeof(CUstreamCaptureStatus) && sizeof(int) == sizeof(CUfunction_attribute));

SAME_VALUE(success, CUDA_SUCCESS);
SAME_VALUE(error_out_of_memory, CUDA_ERROR_OUT_OF_MEMORY);
SAME_VALUE(error_deinitialized, CUDA_ERROR_DEINITIALIZED);
SAME_VALUE(error_no_device, CUDA_ERROR_NO_DEVICE);
SAME_VALUE(error_invalid_context, CUDA_ERROR_INVALID_CONTEXT);
SAME_VALUE(error_invalid_handle, CUDA_ERROR_INVALID_HANDLE);
SAME_VALUE(error_not_supported, CUDA_ERROR_NOT_SUPPORTED);
SAME_VALUE(error_context_is_destroyed, CUDA_ERROR_CONTEXT_IS_DESTROYED);
SAME_VALUE(error_capture_implicit, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
SAME_VALUE(attribute_multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
SAME_VALUE(attribute_l2_bytes, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
SAME_VALUE(attribute_capability_major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
SAME_VALUE(attribute_capability_minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
SAME_VALUE(function_max_dynamic_shared, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
SAME_VALUE(function_non_portable_cluster, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED);
SAME_VALUE(capture_none, CU_STREAM_CAPTURE_STATUS_NONE);
SAME_VALUE(nvrtc_success, NVRTC_SUCCESS);
SAME_VALUE(nvrtc_invalid_option, NVRTC_ERROR_INVALID_OPTION);
SAME_VALUE(nvrtc_compilation, NVRTC_ERROR_COMPILATION);

SAME_CALL(N, version, nvrtcVersion);
SAME_CALL(N, error_string, nvrtcGetErrorString);
SAME_CALL(N, supported_count, nvrtcGetNumSupportedArchs);
SAME_CALL(N, supported_archs, nvrtcGetSupportedArchs);
SAME_CALL(N, create, nvrtcCreateProgram);
SAME_CALL(N, destroy, nvrtcDestroyProgram);
SAME_CALL(N, compile, nvrtcCompileProgram);
SAME_CALL(N, log_size, nvrtcGetProgramLogSize);
SAME_CALL(N, log, nvrtcGetProgramLog);
SAME_CALL(N, cubin_size, nvrtcGetCUBINSize);
SAME_CALL(N, cubin, nvrtcGetCUBIN);
SAME_CALL(N, ptx_size, nvrtcGetPTXSize);
SAME_CALL(N, ptx, nvrtcGetPTX);

}  // namespace
