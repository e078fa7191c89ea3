// The part of the CUDA driver API and of NVRTC that this backend calls, declared by ourselves: building needs no
// toolkit. tests/package/vendor_declarations compares every line here with the vendor's own headers where they are
// installed.
#pragma once

#include <cstddef>

namespace rowsmith::cuda {

// Enumerations travel as int: the same size and passing convention.
using driver_result = int;
using nvrtc_result = int;
using device_handle = int;
using device_pointer = unsigned long long;
using context_handle = struct context_object*;
using module_handle = struct module_object*;
using library_handle = struct library_object*;
using kernel_handle = struct kernel_object*;
using function_handle = struct function_object*;
using stream_handle = struct stream_object*;
using program_handle = struct program_object*;

enum : driver_result {
  success = 0,
  error_out_of_memory = 2,
  error_deinitialized = 4,
  error_no_device = 100,
  error_invalid_context = 201,
  error_invalid_handle = 400,
  error_not_supported = 801,
  error_context_is_destroyed = 709,
  error_capture_implicit = 906,
};

enum : int {
  attribute_multiprocessors = 16,
  attribute_l2_bytes = 38,
  attribute_capability_major = 75,
  attribute_capability_minor = 76,
  function_max_dynamic_shared = 8,
  function_non_portable_cluster = 14,
  launch_cluster_dimension = 4,
  capture_none = 0,
};

enum : nvrtc_result {
  nvrtc_success = 0,
  nvrtc_invalid_option = 5,
  nvrtc_compilation = 6,
};

struct launch_attribute {
  int id;
  char pad[4];
  union {
    char bytes[64];
    struct {
      unsigned x, y, z;
    } cluster;
  } value;
};

struct launch_config {
  unsigned grid_x, grid_y, grid_z;
  unsigned block_x, block_y, block_z;
  unsigned shared_bytes;
  stream_handle stream;
  launch_attribute* attributes;
  unsigned attribute_count;
};

struct driver_functions {
  driver_result (*init)(unsigned flags);
  driver_result (*driver_version)(int* version);
  driver_result (*error_name)(driver_result error, const char** name);
  driver_result (*error_string)(driver_result error, const char** text);

  driver_result (*device_get_count)(int* count);
  driver_result (*device_get)(device_handle* device, int index);
  driver_result (*device_name)(char* name, int size, device_handle device);
  driver_result (*device_total_memory)(std::size_t* bytes, device_handle device);
  driver_result (*device_attribute)(int* value, int attribute, device_handle device);

  driver_result (*primary_retain)(context_handle* context, device_handle device);
  driver_result (*context_current)(context_handle* context);
  driver_result (*context_push)(context_handle context);
  driver_result (*context_pop)(context_handle* context);
  driver_result (*context_device)(device_handle* device);

  driver_result (*module_load)(module_handle* module, const void* image);
  driver_result (*module_unload)(module_handle module);
  driver_result (*module_function)(function_handle* function, module_handle module, const char* name);
  driver_result (*function_set_attribute)(function_handle function, int attribute, int value);

  // CUDA 12 and later; null before.
  driver_result (*library_load)(library_handle* library, const void* code, int* jit_options, void** jit_values,
                                unsigned jit_count, int* library_options, void** library_values,
                                unsigned library_count);
  driver_result (*library_unload)(library_handle library);
  driver_result (*library_kernel)(kernel_handle* kernel, library_handle library, const char* name);
  driver_result (*kernel_function)(function_handle* function, kernel_handle kernel);
  driver_result (*kernel_set_attribute)(int attribute, int value, kernel_handle kernel, device_handle device);

  driver_result (*launch)(function_handle function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                          unsigned block_y, unsigned block_z, unsigned shared_bytes, stream_handle stream,
                          void** parameters, void** extra);
  driver_result (*launch_ex)(const launch_config* config, function_handle function, void** parameters,
                             void** extra);  // CUDA 11.8 and later; null before

  driver_result (*stream_capturing)(stream_handle stream, int* state);
  driver_result (*stream_context)(stream_handle stream, context_handle* context);
  driver_result (*stream_device)(stream_handle stream, device_handle* device);  // CUDA 12.8 and later; null before
  driver_result (*stream_synchronize)(stream_handle stream);

  driver_result (*allocate)(device_pointer* memory, std::size_t size);
  driver_result (*release)(device_pointer memory);
  driver_result (*allocate_async)(device_pointer* memory, std::size_t size,
                                  stream_handle stream);  // CUDA 11.2 and later
  driver_result (*release_async)(device_pointer memory, stream_handle stream);
  driver_result (*copy)(device_pointer to, device_pointer from, std::size_t size);
};

struct nvrtc_functions {
  nvrtc_result (*version)(int* major, int* minor);
  const char* (*error_string)(nvrtc_result error);
  nvrtc_result (*supported_count)(int* count);  // 11.2 and later
  nvrtc_result (*supported_archs)(int* archs);
  nvrtc_result (*create)(program_handle* program, const char* source, const char* name, int header_count,
                         const char* const* headers, const char* const* header_names);
  nvrtc_result (*destroy)(program_handle* program);
  nvrtc_result (*compile)(program_handle program, int option_count, const char* const* options);
  nvrtc_result (*log_size)(program_handle program, std::size_t* size);
  nvrtc_result (*log)(program_handle program, char* text);
  nvrtc_result (*cubin_size)(program_handle program, std::size_t* size);
  nvrtc_result (*cubin)(program_handle program, char* code);
  nvrtc_result (*ptx_size)(program_handle program, std::size_t* size);
  nvrtc_result (*ptx)(program_handle program, char* code);
};

}  // namespace rowsmith::cuda
