// facts: what inspection found. Two halves. `shape_class` is everything a kernel may be specialized on: a flat POD
// without padding, compared byte by byte, that is the fingerprint of the kernel table and, printed, a part of the cache
// key. `call_data` is everything that stays a kernel argument: rows, extents, pointers, strides, scalars.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "model/op.h"
#include "rowsmith/expression_id.h"
#include "rowsmith/tensor_view.h"

namespace rowsmith {

// How the fastest of the reduced axes lies in memory.
enum class inner : std::uint8_t {
  contiguous = 1,  // stride 1 (or width 1)
  broadcast = 2,   // stride 0: one element a row
  strided = 3,     // any other run-time stride
};

enum operand_flags : std::uint8_t {
  operand_output = 1,
  operand_shared = 2,   // the same elements for every row
  operand_indexed = 4,  // its rows are found through an operand of role index
  operand_virtual = 8,  // no memory: a number made of the row's place
  operand_full = 16,    // of the shape that the op runs over
};

struct operand_facts {
  role what = role::x;
  rowsmith::dtype dtype = rowsmith::dtype::f32;
  rowsmith::inner inner = rowsmith::inner::contiguous;
  std::uint8_t align = 1;  // every row starts at a multiple of this many bytes: 1, 2, 4, 8 or 16
  std::uint8_t flags = 0;
  std::uint8_t rows_from = 0;  // of an indexed operand: which operand holds the index
  std::uint16_t reserved = 0;

  bool has(operand_flags f) const noexcept { return (flags & f) != 0; }
};

enum fact_flags : std::uint8_t {
  fact_dense = 1,         // contiguous rows, and row r+1 starts where row r ends, in every full operand
  fact_same_phase = 2,    // in every row, all full operands start at the same element offset from a 16-byte boundary
  fact_in_place = 4,      // an output is an input
  fact_side_by_side = 8,  // neighbouring rows are neighbours in memory, in every full operand: stride 1 across rows
  // So few rows, and so long, that a multiprocessor a row would leave most of a card idle. Of ops that reduce nothing:
  // so few elements that it would idle with several packs a thread.
  fact_few = 16,
  // Of ops that reduce nothing:
  fact_one_row = 32,  // there is one row
  fact_crossed = 64,  // the first operand is contiguous along an outer axis; its `align` is that of its lines there
};

// What a call asks of its kernel; of ops that reduce rows.
enum ask_flags : std::uint32_t {
  ask_any_width = 1,        // one kernel for all widths of a bucket: see model/any_width.h
  ask_batch_invariant = 2,  // a plan by op, width and dtypes alone: see rowsmith/row_options.h
};

struct shape_class {
  op_id op = op_id::none;
  device_kind vendor = device_kind::host;
  std::uint8_t flags = 0;
  std::uint8_t operand_count = 0;
  std::uint8_t outer_rank = 0;  // axes beside the reduced ones after collapsing, 1 to 7
  std::uint8_t inner_rank = 1;  // reduced axes after collapsing, 1 to 8
  // Where inner_rank > 1: the largest power of two, at most 16, that divides the extent of the fastest of them.
  std::uint8_t run = 0;
  // Elements of a row. 0: any, the kernel takes it at run time (ops that reduce nothing); with ask_any_width the most
  // that the kernel is for.
  std::int64_t width = 0;
  std::uint64_t options = 0;
  expression_id pre;
  expression_id post;
  std::uint32_t device_index = 0;
  std::uint32_t asks = 0;  // ask_flags
  operand_facts operands[max_operands];

  bool has(fact_flags f) const noexcept { return (flags & f) != 0; }
  bool asks_for(ask_flags a) const noexcept { return (asks & a) != 0; }

  // Bytes that say something: operands behind the last one are zero.
  std::size_t used_bytes() const noexcept {
    return offsetof(shape_class, operands) + operand_count * sizeof(operand_facts);
  }
  // Word by word up to the last operand: most calls have few, and a call of memcmp costs more than they do.
  friend bool operator==(const shape_class& a, const shape_class& b) noexcept {
    std::uint64_t differs = a.operand_count ^ b.operand_count;
    const std::size_t used = std::min(a.used_bytes(), b.used_bytes());
    for (std::size_t at = 0; at < used; at += sizeof(std::uint64_t)) {
      std::uint64_t x, y;
      std::memcpy(&x, reinterpret_cast<const char*>(&a) + at, sizeof x);
      std::memcpy(&y, reinterpret_cast<const char*>(&b) + at, sizeof y);
      differs |= x ^ y;
    }
    return differs == 0;
  }
};
static_assert(sizeof(operand_facts) == sizeof(std::uint64_t) && sizeof(shape_class) == 64 + 8 * max_operands,
              "no padding: it is compared as bytes");

struct call_data {
  struct memory {
    void* data;
    // Elements; the outer axes slowest first, then the reduced ones. Of an operand of role index the last is the number
    // of rows of the table it points into; of an indexed operand the last outer one is the step from row to row of its
    // table.
    std::int64_t stride[max_rank + 1];
  };
  std::int64_t rows = 0;  // product of the outer extents
  std::int64_t width = 0;
  std::int64_t table_rows = 0;        // of the table that an index points into
  bool nothing = false;               // there is no element to write
  std::int64_t extent[max_rank + 1];  // as `stride`
  memory operands[max_operands];
  float param[max_params];
  void* workspace = nullptr;
  std::size_t workspace_bytes = 0;
};

struct facts {
  shape_class fixed;
  call_data call;
};

// The fixed half as text, without the device index: "softmax width=512 outer=1 dense in_place x:f16/contiguous/16 …".
std::string to_string(const shape_class& c);

}  // namespace rowsmith
