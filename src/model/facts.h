// facts: what inspection found. Two halves. `shape_class` is everything a kernel may be specialized on: a flat POD
// without padding, compared byte by byte, that is the fingerprint of the kernel table and, printed, a part of the cache
// key. `call_data` is everything that stays a kernel argument: rows, extents, pointers, strides, scalars.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

#include "model/op.h"
#include "rowsmith/tensor_view.h"

namespace rowsmith {

// How the reduced axis lies in memory.
enum class inner : std::uint8_t {
  contiguous = 1,  // stride 1 (or width 1)
  broadcast = 2,   // stride 0
  strided = 3,     // any other run-time stride
};

struct operand_facts {
  role what = role::x;
  rowsmith::dtype dtype = rowsmith::dtype::f32;
  rowsmith::inner inner = rowsmith::inner::contiguous;
  std::uint8_t align = 1;  // every row starts at a multiple of this many bytes: 1, 2, 4, 8 or 16
};

enum fact_flags : std::uint8_t {
  fact_dense = 1,       // one outer axis, contiguous rows, and row r+1 starts where row r ends, in every operand
  fact_same_phase = 2,  // in every row, all operands start at the same element offset from a 16-byte boundary
  fact_in_place = 4,    // an output is an input
};

struct shape_class {
  op_id op = op_id::none;
  device_kind vendor = device_kind::host;
  std::uint8_t flags = 0;
  std::uint8_t operand_count = 0;
  std::uint8_t outer_rank = 0;  // axes beside the reduced one after collapsing, 1 to 7
  std::uint16_t device_index = 0;
  std::int64_t width = 0;  // elements along the reduced axis
  std::uint64_t options = 0;
  operand_facts operands[max_operands];

  bool has(fact_flags f) const noexcept { return (flags & f) != 0; }
  friend bool operator==(const shape_class& a, const shape_class& b) noexcept {
    return std::memcmp(&a, &b, sizeof a) == 0;
  }
};
static_assert(sizeof(shape_class) == 8 + 8 + 8 + 4 * max_operands, "no padding: it is compared as bytes");

struct call_data {
  struct memory {
    void* data;
    std::int64_t inner_stride;
    std::int64_t stride[max_rank - 1];  // one per outer axis, slowest first; elements
  };
  std::int64_t rows = 0;  // product of extent
  std::int64_t extent[max_rank - 1];
  memory operands[max_operands];
  float param[max_params];
  void* workspace = nullptr;  // of at least plan::workspace_bytes, where the plan asks for any
};

struct facts {
  shape_class fixed;
  call_data call;
};

// The fixed half as text, without the device index: "softmax width=512 outer=1 dense in_place x:f16/contiguous/16 …".
std::string to_string(const shape_class& c);

}  // namespace rowsmith
