#include "plan/clustering.h"

#include <algorithm>
#include <string_view>

#include "model/op_table.h"
#include "plan/layout.h"

namespace rowsmith {

namespace {

// Figures that were found by measuring on an H200; see docs/tuning.md. A thread holds 8 packs: fewer leave too few
// loads in flight for what the barriers cost.
constexpr int packs_a_thread = 8;
constexpr int threads_of_many = 512;      // two such blocks a multiprocessor
constexpr int threads_of_values = 256;    // of rows kept as floats, which are reduced twice: short barriers
constexpr int threads_of_few = 256;       // the shortest way to a barrier
constexpr int most_blocks_that_hold = 8;  // more are faster where they pass over the row twice
constexpr int most_threads = 1024;
constexpr std::string_view measured_arch =
    "sm_90";  // elsewhere registers are not bounded: compilers spill other kernels
constexpr int least_packs_of_few = 2;

// As many blocks as there may be: what counts is how many multiprocessors work on the row.
std::optional<clustering> for_few_rows(const traits& t, std::int64_t packs, int held) {
  for (int threads = threads_of_few; threads <= most_threads; threads *= 2) {
    const int blocks = std::min(t.largest_cluster, power_of_two_from(packs / (threads * least_packs_of_few)));
    if (blocks > 1 && packs <= static_cast<std::int64_t>(blocks) * threads * held)
      return clustering{blocks, threads, 0};
  }
  return std::nullopt;
}

}  // namespace

std::optional<clustering> cluster(const shape_class& c, const traits& t, std::int64_t packs) {
  if (t.largest_cluster < 2 || !all_contiguous(c) || c.width > INT32_MAX / 2) return std::nullopt;
  const int held = std::max(packs_a_thread / held_values(c), 1);
  if (c.has(fact_few)) return for_few_rows(t, packs, held);

  const bool values = narrowest_element(c) == 4, alone = reads_one_tensor(c) && describe(c.op).lean;
  for (int threads = values || !alone ? threads_of_values : threads_of_many; threads <= threads_of_many; threads *= 2) {
    const int blocks = power_of_two_from(ceil_div(packs, static_cast<std::int64_t>(threads) * held));
    if (blocks < 2 || blocks > t.largest_cluster) continue;
    // Rows of two such blocks come out of the L2 when they are read a second time.
    const bool comes_again = !values && blocks <= 2;
    if (comes_again || (alone && !values && blocks > most_blocks_that_hold)) return std::nullopt;
    const bool bounded = alone && threads == threads_of_many && t.arch == measured_arch;
    return clustering{blocks, threads, bounded ? 2 : 0};
  }
  return std::nullopt;
}

}  // namespace rowsmith
