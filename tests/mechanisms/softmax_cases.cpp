// softmax and log_softmax.
#include <algorithm>

#include "mechanisms/cases.h"
#include "support/softmax_family_check.h"
#include "support/values.h"

namespace rowsmith::test {
namespace {

// Rows whose largest element lies anywhere, large enough that it must be subtracted, with exponentials of every size.
std::vector<float> steep(std::int64_t n) { return normal(n, 40); }

void check(std::int64_t rows, std::int64_t width, dtypes type, bool log, bool batch_invariant = false) {
  masked_call c;
  c.batch_invariant = batch_invariant;
  c.type = type;
  c.shape = {rows, width};
  c.log = log;
  c.lse = false;
  check_masked(c, steep(rows * width));
}

// The first, the last and a middle element of a row that holds nothing else than -inf, and rows of NaN and infinity.
void check_special(std::int64_t width, bool log) {
  const std::int64_t rows = 7;
  std::vector<float> x = normal(rows * width);
  const auto row = [&](std::int64_t r) { return x.begin() + r * width; };
  std::fill(row(0), row(1), -infinity);
  for (const std::int64_t r : {1, 2, 3}) {
    std::fill(row(r), row(r + 1), -infinity);
    row(r)[r == 1 ? 0 : r == 2 ? width - 1 : width / 2] = 2;
  }
  row(4)[width - 1] = not_a_number;
  row(5)[width / 3] = infinity;
  masked_call c;
  c.type = f32;
  c.shape = {rows, width};
  c.log = log;
  check_masked(c, x);
}

void check_masks(std::int64_t width) {
  std::vector<float> keep = normal(6 * width, 1, 3);
  for (float& v : keep) v = v > 0.3f ? 1.0f : 0.0f;
  std::fill(keep.begin() + 2 * width, keep.begin() + 3 * width, 0.0f);
  for (const bool log : {false, true}) {
    masked_call c;
    c.shape = {2, 3, width};
    c.log = log;
    c.masked = true;
    c.form = mask_form::keep;
    c.mask = {dtype::b8, {2, 3, width}, keep};
    c.bias = side_operand{dtype::f32, {width}, normal(width, 2, 4)};
    c.scale = 0.125f;
    check_masked(c, steep(6 * width));
  }
  masked_call added;
  added.type = f32;
  added.shape = {2, 3, width};
  added.form = mask_form::additive;
  added.mask = {dtype::f32, {3, width}, normal(3 * width, 3, 5)};
  added.causal = width / 2;
  check_masked(added, normal(6 * width, 3));
  added.form = mask_form::none;
  added.mask = {};
  added.masked = true;
  added.causal = -1;  // the first query has no key
  check_masked(added, normal(6 * width, 3));
}

void check_picked(std::int64_t width) {
  masked_call c;
  c.shape = {6, width};
  c.rows = {4, -1, 0, 5, 0, 2};
  c.table_rows = 5;
  check_masked(c, normal(5 * width, 3));
}

void lanes() {
  for (const bool log : {false, true}) {
    check(rows_for(133, 70001), 64, f16, log);
    check(rows_for(19, 9001), 512, f16, log);
    check(7, 1024, bf16, log);
    check(13, 192, f32, log);
  }
}
void staged() {
  for (const bool log : {false, true}) {
    check(rows_for(300, 600001), 49, f16, log);
    check(rows_for(150, 100003), 71, f32, log);
    check(rows_for(41, 20003), 1023, f16, log);
  }
  masked_call c;  // tiles that begin between two 16-byte boundaries
  c.shape = {150, 49};
  c.x_at.phase = 3;
  c.y_at.phase = 5;
  check_masked(c, steep(150 * 49));
}
void block() {
  check(5, 2048, f32, false);
  check(rows_for(3, 1500), 8192, f16, false);
  for (const bool log : {false, true}) check(3, 16384, bf16, log);
}
void streamed() {
  check(rows_for(2, 150), 50257, f16, false);
  check(2, 40000, f32, true, on_a_card());
  masked_call c;  // the largest element is far below 0
  c.type = f32;
  c.batch_invariant = on_a_card();
  c.shape = {1, 30001};
  std::vector<float> x = normal(30001, 3);
  for (float& v : x) v -= 500;
  check_masked(c, x);
}
void columns() {
  for (const auto& [width, columns] : {std::pair{64, 70}, {300, 33}, {5003, 3}}) {
    for (const bool log : {false, true}) {
      masked_call c;
      c.shape = {width, columns};
      c.axis = 0;
      c.log = log;
      check_masked(c, steep(width * columns));
    }
  }
}
void one_row() {
  check(1, 128256, f32, false);
  check(1, 131072, f16, false);
  if (on_a_card()) check(300, 131072, f16, false);  // clusters that take several rows
}
void special_lanes() { check_special(512, false), check_special(256, true); }
void special_staged() { check_special(49, false), check_special(67, true); }
void special_block() { check_special(4096, false); }
void special_streamed() { check_special(20001, false), check_special(20001, true); }
void masks_lanes() { check_masks(512); }
void masks_staged() { check_masks(49); }
void masks_block() { check_masks(2048); }
void masks_streamed() { check_masks(33000); }
// Finite elements whose product with log2(e) keeps no digit behind the point.
void huge() {
  for (const std::int64_t width : {2, 64, 4096}) {
    std::vector<float> x = normal(3 * width, 3e9f);
    masked_call c;
    c.type = f32;
    c.exponential = exp_mode::fast;
    c.shape = {3, width};
    check_masked(c, x);
  }
}

// Far below the maximum, where an exponential without its compensation is a hundred ulp off.
void accurate() {
  for (const std::int64_t width : {64, 2048, 20001}) {
    std::vector<float> x;
    for (std::int64_t i = 0; i < width; ++i) x.push_back(-static_cast<float>(i % 64) * 1.2345678f);
    masked_call c;
    c.type = f32;
    c.shape = {2, width};
    c.exponential = exp_mode::accurate;
    check_masked(c, x);
  }
}

void dropped() {
  for (const std::int64_t width : {49, 512}) {
    std::vector<float> drop = normal(4 * width, 1, 3);
    for (float& v : drop) v = v > 0.3f ? 1.0f : 0.0f;
    masked_call c;
    c.shape = {4, width};
    c.form = mask_form::drop;
    c.mask = {dtype::b8, {4, width}, drop};
    check_masked(c, normal(4 * width, 3));
  }
}

// Terms that all round the same way: a plain sum of so many would be too far off.
void equal_terms() {
  const std::int64_t width = under_test().where.kind == device_kind::hip ? 60001 : 8000003;
  for (const float above : {0.3f, 1.3f}) {
    std::vector<float> x(static_cast<std::size_t>(width), 0.0f);
    x[0] = above;
    masked_call c;
    c.type = f32;
    c.shape = {1, width};
    check_masked(c, x);
  }
}

void narrow() {
  for (const std::int64_t width : {1, 2, 3, 5, 7}) check(9, width, f32, width == 3);
}

void picked() { check_picked(64), check_picked(1001), check_picked(4096); }

}  // namespace

std::vector<mechanism_case> softmax_mechanisms() {
  return {{"softmax_lanes", lanes, {"rs_softmax_lanes", "rs_log_softmax_lanes"}},
          {"softmax_staged", staged, {"rs_softmax_staged", "rs_log_softmax_staged"}},
          {"softmax_block", block, {"rs_softmax_block", "rs_log_softmax_block"}},
          {"softmax_streamed", streamed, {"rs_softmax_streamed", "rs_log_softmax_streamed"}},
          {"softmax_columns", columns, {"rs_softmax_columns", "rs_log_softmax_columns"}},
          {"softmax_one_row", one_row, {"rs_softmax_streamed"}},
          {"softmax_special_lanes", special_lanes, {}},
          {"softmax_special_staged", special_staged, {}},
          {"softmax_special_block", special_block, {}},
          {"softmax_special_streamed", special_streamed, {}},
          {"softmax_masks_lanes", masks_lanes, {}},
          {"softmax_masks_staged", masks_staged, {}},
          {"softmax_masks_block", masks_block, {}},
          {"softmax_masks_streamed", masks_streamed, {}},
          {"softmax_huge", huge, {}},
          {"softmax_accurate", accurate, {}},
          {"softmax_drop", dropped, {}},
          {"softmax_equal_terms", equal_terms, {}},
          {"softmax_narrow", narrow, {}},
          {"softmax_picked", picked, {}}};
}

}  // namespace rowsmith::test
