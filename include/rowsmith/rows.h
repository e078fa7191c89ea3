// Rows of a table picked by an index, and the way back. What is common to all ops is said in ops.h.
#pragma once

#include <cstddef>
#include <cstdint>

#include "rowsmith/export.h"
#include "rowsmith/row_options.h"
#include "rowsmith/status.h"
#include "rowsmith/tensor_view.h"

namespace rowsmith {

struct rows_options {
  std::uint32_t struct_size = sizeof(rows_options);
  // The same bits at every call of the process: under ROWSMITH_COMPILE=background the first call waits for its kernel.
  bool deterministic_answer = false;
  // A stream that is being captured meets a kernel that is not loaded: freeze the scalar fallback into the graph
  // instead of failing with would_compile.
  bool fallback_in_capture = false;
  // See row_options.h.
  width_mode width_as = width_mode::automatic;
  bool batch_invariant_rows = false;
  // Before anything is launched the call waits for the stream, reads the index, and refuses it if an entry is neither
  // -1 nor a row of the table. Not in a capture.
  bool checked_index = false;
  // Device memory for gather_rows_backward, 8 bytes for every row of dy and of dx; null: the library finds its own.
  void* workspace_memory = nullptr;
  std::size_t workspace_size = 0;

  rows_options& deterministic(bool on = true) noexcept { return deterministic_answer = on, *this; }
  rows_options& capture_fallback(bool on = true) noexcept { return fallback_in_capture = on, *this; }
  rows_options& width(width_mode m) noexcept { return width_as = m, *this; }
  rows_options& batch_invariant(bool on = true) noexcept { return batch_invariant_rows = on, *this; }
  rows_options& checked(bool on = true) noexcept { return checked_index = on, *this; }
  rows_options& workspace(void* memory, std::size_t bytes) noexcept {
    return workspace_memory = memory, workspace_size = bytes, *this;
  }
};

// y[r] = x[index[r]], a row of +0 where index[r] is -1.
//   x: [rows, the axes of a row…], f32, f16 or bf16, rank 2 to 8.
//   index: any shape, i32 or i64. Any entry that is not a row of x gives +0 like -1; none is ever made an address.
//   y: [index's axes…, the axes of a row…]; f32, f16 or bf16. Equal dtypes: moved bit for bit, NaN payloads too; else
//      rounded once to nearest even.
// Errors: as softmax; with `checked`, invalid_argument names the first entry that is wrong.
ROWSMITH_EXPORT status gather_rows(const const_tensor_view& x, const const_tensor_view& index, const tensor_view& y,
                                   const rows_options& options = {}, stream on = {});

// dx[n] = the sum of dy[r] over those r whose index[r] is n, in ascending r, in fp32 (compensated where more than one
// is added), rounded once. The same bits at every call. Rows of dx that no entry names are +0; entries that name no row
// of dx add nothing.
//   dy: [index's axes…, the axes of a row…], f32, f16 or bf16.   index: as above.
//   dx: [rows, the axes of a row…], f32, f16 or bf16, rank 2 to 8; every element is written.
// Fast where few rows are named more than once; right for any number of them. Errors: as gather_rows.
ROWSMITH_EXPORT status gather_rows_backward(const const_tensor_view& dy, const const_tensor_view& index,
                                            const tensor_view& dx, const rows_options& options = {}, stream on = {});

}  // namespace rowsmith
