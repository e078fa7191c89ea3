// hip_api: the numbers of HIP's interface that the double answers with, and its own exports for tests. Handles are
// pointers to the double's own objects.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hipsim {

using error = int;
enum : int {
  ok = 0,
  invalid_value = 1,
  out_of_memory = 2,
  not_initialized = 3,
  invalid_configuration = 9,
  no_device = 100,
  invalid_device = 101,
  invalid_image = 200,
  no_binary_for_gpu = 209,
  invalid_handle = 400,
  not_found = 500,
  not_ready = 600,
  illegal_address = 700,
  launch_failure = 719,
  capture_unsupported = 900,
  capture_invalidated = 901,
  capture_unmatched = 903,
  capture_implicit = 906,
};

}  // namespace hipsim

#define HIPSIM_API extern "C" __attribute__((visibility("default")))

// The double's own: what tests ask it about itself. Looked up by name like everything else.
//   hipsim_calls   calls of HIP's interface so far, error texts aside
//   hipsim_report  what the last fault was, in the interpreter's words; "" before the first
//   hipsim_launches, hipsim_instructions  kernels run, and wave-instructions executed by them
//   hipsim_has_run whether a kernel of this name was launched
//   hipsim_kernel  names of the kernels that histograms are kept of, in the order of their first runs; null behind the
//                  last
//   hipsim_count   one line of a kernel's histogram of executed instructions: 0 for the number of waves, from 1 on a
//                  class of instructions each; false behind the last
//   hipsim_forget_counts  begins the histograms anew
//   hipsim_recover forgets a fault, which otherwise every later call reports
HIPSIM_API std::uint64_t hipsim_calls();
HIPSIM_API const char* hipsim_report();
HIPSIM_API std::uint64_t hipsim_launches();
HIPSIM_API std::uint64_t hipsim_instructions();
HIPSIM_API bool hipsim_has_run(const char* kernel);
HIPSIM_API const char* hipsim_kernel(int index);
HIPSIM_API bool hipsim_count(int kernel, int index, const char** name, std::uint64_t* value);
HIPSIM_API void hipsim_forget_counts();
HIPSIM_API void hipsim_recover();
