// The part of the HIP runtime, hipRTC and comgr that this backend calls, declared by ourselves: building needs no ROCm.
// tests/package/vendor_declarations compares every line here with the vendor's own headers where they are installed.
// Looked up without symbol versions: Hygon's DTK has none.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rowsmith::hip {

// Enumerations travel as int: the same size and passing convention.
using runtime_result = int;
using hiprtc_result = int;
using comgr_result = int;
using device_handle = int;
using module_handle = struct module_object*;
using function_handle = struct function_object*;
using stream_handle = struct stream_object*;
using program_handle = struct program_object*;

enum : int {
  success = 0,  // of all three libraries
  error_out_of_memory = 2,
  error_no_device = 100,
  error_not_supported = 801,
  hiprtc_compilation = 6,
  // Attribute numbers are the same from 5.2 to 7; the property structure is not, so numbers come from here alone.
  attribute_l2_bytes = 19,
  attribute_multiprocessors = 63,
  attribute_warp_size = 87,
  copy_default = 4,
  capture_none = 0,
  comgr_source = 1,
  comgr_log = 5,
  comgr_bitcode = 6,
  comgr_relocatable = 7,
  comgr_executable = 8,
  comgr_compile_to_bitcode = 2,
};

// What comgr 3 renumbered.
struct comgr_numbers {
  int language_hip, bitcode_to_relocatable, link_to_executable;
};
inline constexpr comgr_numbers comgr_2_numbers{4, 6, 9}, comgr_3_numbers{3, 4, 7};

struct runtime_functions {
  const char* (*error_name)(runtime_result error);
  const char* (*error_string)(runtime_result error);
  runtime_result (*device_get_count)(int* count);
  runtime_result (*device_get)(device_handle* device, int index);
  runtime_result (*device_name)(char* name, int size, device_handle device);
  runtime_result (*device_total_memory)(std::size_t* bytes, device_handle device);
  runtime_result (*device_attribute)(int* value, int attribute, int index);
  runtime_result (*device_properties)(void* properties, int index);  // one of three names and layouts, see runtime.cpp
  runtime_result (*current_device)(int* index);
  runtime_result (*set_device)(int index);

  runtime_result (*module_load)(module_handle* module, const void* image);
  runtime_result (*module_unload)(module_handle module);
  runtime_result (*module_function)(function_handle* function, module_handle module, const char* name);
  runtime_result (*launch)(function_handle function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                           unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                           stream_handle stream, void** parameters, void** extra);

  runtime_result (*stream_capturing)(stream_handle stream, int* state);
  runtime_result (*stream_device)(stream_handle stream, int* index);  // 5.5 and later; null before
  runtime_result (*stream_synchronize)(stream_handle stream);

  runtime_result (*allocate)(void** memory, std::size_t size);
  runtime_result (*release)(void* memory);
  runtime_result (*allocate_async)(void** memory, std::size_t size,
                                   stream_handle stream);  // 5.2 and later; null before
  runtime_result (*release_async)(void* memory, stream_handle stream);
  runtime_result (*copy)(void* to, const void* from, std::size_t size, int kind);
};

struct hiprtc_functions {
  const char* (*error_string)(hiprtc_result error);
  hiprtc_result (*create)(program_handle* program, const char* source, const char* name, int header_count,
                          const char** headers, const char** header_names);
  hiprtc_result (*destroy)(program_handle* program);
  hiprtc_result (*compile)(program_handle program, int option_count, const char** options);
  hiprtc_result (*log_size)(program_handle program, std::size_t* size);
  hiprtc_result (*log)(program_handle program, char* text);
  hiprtc_result (*code_size)(program_handle program, std::size_t* size);
  hiprtc_result (*code)(program_handle program, char* code);
};

// comgr passes its handles by value, one word each.
struct comgr_data {
  std::uint64_t handle;
};
struct comgr_metadata {
  std::uint64_t handle;
};
struct comgr_disassembly {
  std::uint64_t handle;
};

struct comgr_functions {
  void (*version)(std::size_t* major, std::size_t* minor);
  comgr_result (*isa_count)(std::size_t* count);
  comgr_result (*isa_name)(std::size_t index, const char** name);
  comgr_result (*create_data)(int kind, comgr_data* data);
  comgr_result (*set_data)(comgr_data data, std::size_t size, const char* bytes);
  comgr_result (*release_data)(comgr_data data);
  comgr_result (*metadata)(comgr_data data, comgr_metadata* root);
  comgr_result (*destroy_metadata)(comgr_metadata node);
  comgr_result (*lookup)(comgr_metadata map, const char* key, comgr_metadata* value);
  comgr_result (*list_size)(comgr_metadata list, std::size_t* size);
  comgr_result (*list_item)(comgr_metadata list, std::size_t index, comgr_metadata* value);
  comgr_result (*text)(comgr_metadata node, std::size_t* size, char* text);
  comgr_result (*create_disassembly)(const char* isa,
                                     std::uint64_t (*read)(std::uint64_t from, char* to, std::uint64_t size,
                                                           void* user),
                                     void (*print)(const char* instruction, void* user),
                                     void (*print_address)(std::uint64_t address, void* user), comgr_disassembly* made);
  comgr_result (*destroy_disassembly)(comgr_disassembly made);
  comgr_result (*disassemble)(comgr_disassembly with, std::uint64_t address, void* user, std::uint64_t* size);
};

// Only the compiler behind comgr needs these.
struct comgr_data_set {
  std::uint64_t handle;
};
struct comgr_action {
  std::uint64_t handle;
};

struct comgr_compile_functions {
  comgr_result (*set_name)(comgr_data data, const char* name);
  comgr_result (*bytes_of)(comgr_data data, std::size_t* size, char* bytes);
  comgr_result (*create_set)(comgr_data_set* set);
  comgr_result (*destroy_set)(comgr_data_set set);
  comgr_result (*add)(comgr_data_set set, comgr_data data);
  comgr_result (*count)(comgr_data_set set, int kind, std::size_t* count);
  comgr_result (*item)(comgr_data_set set, int kind, std::size_t index, comgr_data* data);
  comgr_result (*create_action)(comgr_action* action);
  comgr_result (*destroy_action)(comgr_action action);
  comgr_result (*set_isa)(comgr_action action, const char* isa);
  comgr_result (*set_language)(comgr_action action, int language);
  comgr_result (*set_options)(comgr_action action, const char** options, std::size_t count);
  comgr_result (*set_logging)(comgr_action action, bool on);
  comgr_result (*act)(int kind, comgr_action action, comgr_data_set from, comgr_data_set to);
};

}  // namespace rowsmith::hip
