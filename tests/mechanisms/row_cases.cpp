// moments and gather_rows.
#include "mechanisms/cases.h"
#include "support/rows_check.h"
#include "support/values.h"

namespace rowsmith::test {
namespace {

void check_moments_of(dims shape, std::vector<int> axes, dtypes type, float mean) {
  moments_call c;
  c.type = type;
  c.shape = shape;
  c.axes = std::move(axes);
  std::vector<float> x = normal(count(shape), 1);
  for (float& v : x) v += mean;
  check_moments(c, x);
}

void moments_lanes() {
  check_moments_of({rows_for(19, 3001), 1024}, {1}, f16_to_f32, 100);
  check_moments_of({rows_for(33, 9001), 64}, {1}, f32, 1e4f);
}
void moments_block() { check_moments_of({3, 4096}, {1}, f32, 1e4f), check_moments_of({3, 8192}, {1}, f16_to_f32, 10); }
void moments_staged() { check_moments_of({rows_for(150, 50001), 49}, {1}, f16_to_f32, 100); }
void moments_streamed() {
  check_moments_of({2, 50001}, {1}, f32, 1e4f), check_moments_of({3, 5, 49, 7}, {0, 2, 3}, f16_to_f32, 100);
}
void moments_columns() { check_moments_of({300, 70}, {0}, f32, 1e4f); }
void moments_split() { check_moments_of({2, 600000}, {1}, f32, 1e3f); }
void moments_split_columns() { check_moments_of({4, 4096, 24}, {0, 1}, f32, 1e3f); }

void check_gather_of(std::int64_t width, dtypes type) {
  gather_call c;
  c.type = type;
  c.table_rows = 11;
  c.row_shape = {width};
  c.index_shape = {8};
  check_gather(c, {10, -1, 0, 11, 4, 4, -1000000, 3}, normal(11 * width));
}
void gather_lanes() { check_gather_of(49, f16), check_gather_of(192, f32), check_gather_of(64, f32_to_bf16); }
void gather_block() { check_gather_of(8192, f16), check_gather_of(8192, f32_to_bf16); }
void gather_streamed() { check_gather_of(50257, f16), check_gather_of(40000, f32_to_bf16); }

}  // namespace

std::vector<mechanism_case> row_mechanisms() {
  return {{"moments_lanes", moments_lanes, {"rs_moments_lanes"}},
          {"moments_block", moments_block, {"rs_moments_block"}},
          {"moments_staged", moments_staged, {"rs_moments_staged"}},
          {"moments_streamed", moments_streamed, {"rs_moments_streamed"}},
          {"moments_columns", moments_columns, {"rs_moments_columns"}},
          {"moments_split", moments_split, {"rs_moments_split_parts", "rs_moments_split_whole"}},
          {"moments_split_columns", moments_split_columns, {"rs_moments_split_parts", "rs_moments_split_whole"}},
          {"gather_lanes", gather_lanes, {"rs_gather_rows_lanes"}},
          {"gather_block", gather_block, {"rs_gather_rows_block"}},
          {"gather_streamed", gather_streamed, {"rs_gather_rows_streamed"}}};
}

}  // namespace rowsmith::test
