#include "plan/staging.h"

#include <algorithm>
#include <array>
#include <bit>

#include "plan/layout.h"

namespace rowsmith {

namespace {

// Found by measuring on an H200.
constexpr int staged_threads = 128;
constexpr int staged_stages = 3;
constexpr std::int64_t tile_bytes = 13 << 10;
constexpr std::int64_t tile_bytes_of_long_rows = 16 << 10;  // 1023 halves: 0.89 × copy, not 0.72
constexpr std::int64_t long_row_bytes = 1536;
constexpr int elements_a_lane = 24;   // at most, where the wave has lanes left: they are held in registers
constexpr int block_overhead = 1600;  // bytes of shared memory that a block takes beside its buffers

constexpr int banks = 32;

// Most distinct words that 32 lanes ask of one bank at once, with `lanes` lanes to a row of `row_bytes`.
int bank_conflicts(int lanes, std::int64_t row_bytes, std::int64_t element_bytes) {
  std::array<std::int64_t, banks> last;
  std::array<int, banks> words{};
  last.fill(-1);
  for (int lane = 0; lane < banks; ++lane) {
    const std::int64_t word = ((lane / lanes) * row_bytes + (lane % lanes) * element_bytes) / 4;
    const auto bank = static_cast<std::size_t>(word % banks);
    if (last[bank] != word) ++words[bank];
    last[bank] = word;
  }
  return *std::max_element(words.begin(), words.end());
}

// What a row costs a wave: each element is read and written once, slower where banks collide, and worked on; each
// halving of the lanes costs an exchange for every reduction. The weights are cycles, roughly.
double row_cost(int lanes, std::int64_t width, int conflicts) {
  constexpr double accesses = 2, arithmetic = 8, exchange = 4, reductions = 2;
  const double elements = static_cast<double>(ceil_div(width, lanes)) * (accesses * conflicts + arithmetic);
  return (elements + reductions * exchange * std::bit_width(static_cast<unsigned>(lanes) - 1)) * lanes / banks;
}

int cheapest_lanes(std::int64_t width, std::int64_t element_bytes, int wave) {
  const int most = std::min(wave, banks);
  const auto fewest = static_cast<int>(std::bit_ceil(static_cast<std::uint64_t>(ceil_div(width, elements_a_lane))));
  int best = std::min(fewest, most);
  double least = 1e300;
  for (int lanes = best; lanes <= most; lanes *= 2) {
    const double cost = row_cost(lanes, width, bank_conflicts(lanes, width * element_bytes, element_bytes));
    if (cost < least) best = lanes, least = cost;
  }
  return best;
}

// As kernel_src/row/staged.h lays its buffers out; the rendered source asserts that both agree.
int shared_bytes(const shape_class& c, std::int64_t rows, bool bulk) {
  const auto buffer = [&](dtype t) {
    const std::int64_t bytes = rows * c.width * static_cast<std::int64_t>(size_of(t));
    return ceil_div(bytes + widest_access - 1, 128) * 128;
  };
  const int in_buffers = bulk ? staged_stages : 1, out_buffers = bulk ? 2 : 1;
  std::int64_t bytes = 0;
  for (const operand_facts& o : operands_of(c)) {
    if (o.has(operand_full)) bytes += (o.has(operand_output) ? out_buffers : in_buffers) * buffer(o.dtype);
  }
  return static_cast<int>(bytes);
}

}  // namespace

std::optional<staging> stage(const shape_class& c, const traits& t) {
  staging s;
  s.threads = staged_threads;
  s.stages = staged_stages;
  s.lanes = cheapest_lanes(c.width, static_cast<std::int64_t>(size_of(c.operands[0].dtype)), t.wave);
  const std::int64_t rows_at_once = s.threads / s.lanes;
  const std::int64_t row_bytes = c.width * widest_element(c);
  const std::int64_t bytes = row_bytes < long_row_bytes ? tile_bytes : tile_bytes_of_long_rows;
  std::int64_t rows = std::max<std::int64_t>(bytes / row_bytes / rows_at_once, 1) * rows_at_once;
  while (rows > rows_at_once && shared_bytes(c, rows, t.bulk_copy) > t.shared_bytes / 2) rows -= rows_at_once;
  s.tile_rows = static_cast<int>(rows);
  s.shared_bytes = shared_bytes(c, rows, t.bulk_copy);
  if (s.shared_bytes > t.shared_bytes) return std::nullopt;
  s.blocks_per_unit =
      std::max(1, std::min(t.unit_shared_bytes / (s.shared_bytes + block_overhead), t.unit_threads / s.threads));
  return s;
}

}  // namespace rowsmith
