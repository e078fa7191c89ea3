#include "plan/columns.h"

#include <algorithm>
#include <bit>

#include "plan/layout.h"

namespace rowsmith {

namespace {

constexpr int elements_a_thread = 8;  // aimed at
constexpr int least_threads = 128;
constexpr int most_threads = 512;
constexpr std::int64_t line_bytes = 64;
constexpr int turned_bytes = 256;  // of neighbouring rows at once: every element of a row lies on a page of its own
constexpr std::int64_t most_turned_bytes = 512 << 10;  // on a thread's stack, and in its L2
constexpr int fewest_turned_rows = 8;

}  // namespace

column_block column_block_of(std::int64_t width, int wave, int most_held) noexcept {
  column_block b;
  const auto wanted = std::bit_ceil(static_cast<std::uint64_t>(ceil_div(width, elements_a_thread)));
  b.members = static_cast<int>(std::min<std::uint64_t>(wanted, static_cast<std::uint64_t>(most_threads / wave)));
  b.span = std::max(wave, least_threads / b.members);
  b.held = ceil_div(width, b.members) <= most_held;
  return b;
}

int turned_rows_of(const shape_class& c) noexcept {
  std::int64_t row_bytes = 0;
  for (const operand_facts& o : operands_of(c)) {
    if (o.has(operand_full)) row_bytes += c.width * static_cast<std::int64_t>(size_of(o.dtype)) + 2 * line_bytes;
  }
  int rows = turned_bytes / narrowest_element(c);
  while (rows >= fewest_turned_rows && rows * row_bytes > most_turned_bytes) rows /= 2;
  return rows >= fewest_turned_rows ? rows : 0;
}

}  // namespace rowsmith
