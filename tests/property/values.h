// values: what inputs are filled with: ordinary numbers, and what breaks kernels: infinities, NaN, subnormals, 1e15,
// constant rows with large means.
#pragma once

#include <cstdint>
#include <vector>

#include "property/dice.h"
#include "property/space.h"
#include "rowsmith/tensor_view.h"

namespace rowsmith::test {

// What an input may hold without leaving the contract: how far fp32 reaches inside an op is not a part of it
// everywhere.
enum class profile {
  anything,         // also infinities, NaN, the largest numbers
  squares,          // the same without rows of nothing but -inf: squares of them may be infinite
  tame,             // so are sums of products of two such, with three factors of ordinary size
  weight,           // finite, of ordinary size
  probability,      // rows that add up to 1, removed positions 0
  log_probability,  // their logarithms
  truth,            // of a mask: 0 or not
  additive,         // of a mask: 0, -inf, large negative, ordinary
  bytes,            // whole numbers and truths as they are stored, NaN of every kind
};

// Values of a tensor in row-major order of its own shape, whose rows `over` finds.
std::vector<float> draw_values(profile p, dtype type, const walk& over, std::size_t count, dice& d);

// Rows of a table: mostly ones that are there, some -1, some far outside.
std::vector<std::int64_t> draw_index(std::size_t count, std::int64_t table_rows, dtype type, dice& d);

std::vector<unsigned char> draw_bytes(std::size_t count, dice& d);

}  // namespace rowsmith::test
