// Gradients: of the softmaxes, of the norms, and of a gather.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "mechanisms/cases.h"
#include "support/norm_check.h"
#include "support/rows_check.h"
#include "support/softmax_family_check.h"
#include "support/values.h"

namespace rowsmith::test {
namespace {

// What a forward pass gives; of every third row nothing survived.
std::vector<float> forward(std::int64_t rows, std::int64_t width, bool log, bool masked) {
  std::vector<float> y = normal(rows * width);
  for (std::int64_t r = 0; r < rows; ++r) {
    float* row = &y[static_cast<std::size_t>(r * width)];
    double sum = 0;
    for (std::int64_t i = 0; i < width; ++i) sum += std::exp(static_cast<double>(row[i]));
    for (std::int64_t i = 0; i < width; ++i) {
      const double s = row[i] - std::log(sum);
      const bool removed = masked && (i + r) % 5 == 4;
      row[i] = removed ? (log ? -infinity : 0.0f) : static_cast<float>(log ? s : std::exp(s));
      if (masked && r % 3 == 2) row[i] = 0;
    }
  }
  return y;
}

void check_softmaxes(std::int64_t rows, std::int64_t width, dtype type) {
  for (const bool log : {false, true}) {
    for (const bool masked : {false, true}) {
      backward_call c;
      c.y = c.dy = c.dx = type;
      c.shape = {rows, width};
      c.log = log;
      c.masked = masked;
      c.scale = masked ? 0.125f : 1.0f;
      std::vector<float> dy = normal(rows * width, 1, 9);
      if (masked) {
        for (std::int64_t r = 0; r < rows; ++r) {  // a removed position may hold anything
          for (std::int64_t i = 0; i < width; ++i) {
            if ((i + r) % 5 == 4) dy[static_cast<std::size_t>(r * width + i)] = not_a_number;
          }
        }
      }
      check_backward(c, forward(rows, width, log, masked), dy);
    }
  }
}

void softmax_lanes() { check_softmaxes(rows_for(37, 9001), 512, dtype::f16); }
void softmax_staged() { check_softmaxes(rows_for(200, 50001), 49, dtype::f16); }
void softmax_block() { check_softmaxes(5, 4096, dtype::f32); }
void softmax_streamed() { check_softmaxes(2, 50257, dtype::f16); }
void softmax_columns() {
  for (const bool log : {false, true}) {
    backward_call c;
    c.shape = {130, 40};
    c.axis = 0;
    c.log = log;
    check_backward(c, normal(130 * 40, 0.1f), normal(130 * 40, 1, 9));
  }
}

// A sum of equal terms, as long as a row.
void softmax_equal_terms() {
  const std::int64_t width = under_test().where.kind == device_kind::hip ? 60001 : rows_for(2000001, 16000001);
  for (const bool log : {false, true}) {
    backward_call c;
    c.y = c.dy = c.dx = dtype::f32;
    c.shape = {1, width};
    c.log = log;
    check_backward(c, constant(width, log ? -3.0f : 0.3f), constant(width, 0.1f));
  }
}

void check_norms(std::int64_t rows, std::int64_t width, dtype type, bool weights = true) {
  for (const norm_kind kind : {norm_kind::layer, norm_kind::rms}) {
    norm_backward_call c;
    c.kind = kind;
    c.x = c.dy = c.dx = type;
    c.shape = {rows, width};
    c.weight = normal(width, 1, 5);
    c.wants_dweight = c.wants_dbias = weights;
    c.dsum = true;
    std::vector<float> x = normal(rows * width, 2);
    for (float& v : x) v += 30;
    check_norm_backward(c, x, normal(rows * width, 1, 4));
  }
}

void norm_lanes() {
  check_norms(rows_for(77, 9001), 192, dtype::bf16), check_norms(19, 49, dtype::f32);
  if (on_a_card()) check_norms(21, 64, dtype::bf16);  // several rows to a wave of 32, too, and a team without one
}
void norm_staged() { check_norms(70, 49, dtype::f16, false); }
void norm_block() { check_norms(rows_for(9, 3001), 4096, dtype::bf16); }
void norm_streamed() { check_norms(rows_for(5, 2001), 5120, dtype::f32); }
void norm_columns() {
  norm_backward_call c;
  c.x = c.dy = c.dx = dtype::f32;
  c.shape = {70, 33};
  c.x_stride = {1, 70};
  c.dy_stride = {1, 70};
  c.wants_dweight = c.wants_dbias = false;
  check_norm_backward(c, normal(70 * 33, 2), normal(70 * 33, 1, 4));
}
// So many equal terms that a plain sum would be too far off.
void norm_equal_terms() {
  norm_backward_call c;
  c.x = c.dy = c.dx = dtype::f32;
  c.shape = {rows_for(9000, 400000), 8};
  check_norm_backward(c, normal(c.shape[0] * 8), constant(8, 0.1f));
}

void gather_chained() {
  for (const std::int64_t width : {8, 49, 192}) {
    gather_call c;
    c.type = width == 49 ? f32 : f16;
    c.table_rows = 23;
    c.row_shape = {width};
    c.index_shape = {67};
    std::vector<std::int64_t> index;
    for (std::int64_t i = 0; i < 67; ++i) {
      index.push_back(i % 7 == 3    ? -1
                      : i % 11 == 5 ? (i % 2 == 0 ? 23 : 1 << 24)
                      : i < 30      ? 4
                                    : i * 7919 % 20);  // 4: more than fit a sorted list
    }
    check_gather_backward(c, index, normal(67 * width));
  }
}

// The bits do not depend on which thread came first.
void gather_order() {
  gather_call c;
  c.type = f32;
  c.table_rows = 40;
  c.row_shape = {64};
  c.index_shape = {rows_for(160, 16000)};
  std::vector<std::int64_t> index;
  for (std::int64_t i = 0; i < c.index_shape[0]; ++i) index.push_back(i * 17 % 40);
  const std::vector<float> dy = normal(c.index_shape[0] * 64, 1e4f);
  std::vector<unsigned char> bits;
  for (int turn = 0; turn < 4; ++turn) {
    ::setenv("HIPSIM_ORDER", std::to_string(turn).c_str(), 1);  // the simulated card's waves begin in another order
    const auto now = check_gather_backward(c, index, dy);
    if (turn > 0) {
      EXPECT_EQ(now, bits);
    }
    bits = now;
  }
  ::unsetenv("HIPSIM_ORDER");
}

}  // namespace

std::vector<mechanism_case> gradient_mechanisms() {
  return {
      {"softmax_backward_lanes", softmax_lanes, {"rs_softmax_backward_lanes", "rs_log_softmax_backward_lanes"}},
      {"softmax_backward_staged", softmax_staged, {"rs_softmax_backward_staged", "rs_log_softmax_backward_staged"}},
      {"softmax_backward_block", softmax_block, {"rs_softmax_backward_block", "rs_log_softmax_backward_block"}},
      {"softmax_backward_streamed",
       softmax_streamed,
       {"rs_softmax_backward_streamed", "rs_log_softmax_backward_streamed"}},
      {"softmax_backward_columns", softmax_columns, {"rs_softmax_backward_columns", "rs_log_softmax_backward_columns"}},
      {"softmax_backward_equal_terms", softmax_equal_terms, {}},
      {"gather_backward_order", gather_order, {}},
      {"norm_backward_lanes",
       norm_lanes,
       {"rs_layer_norm_backward_lanes", "rs_rms_norm_backward_lanes", "rs_layer_norm_backward_totals",
        "rs_rms_norm_backward_totals"}},
      {"norm_backward_staged", norm_staged, {"rs_layer_norm_backward_staged", "rs_rms_norm_backward_staged"}},
      {"norm_backward_block", norm_block, {"rs_layer_norm_backward_block", "rs_rms_norm_backward_block"}},
      {"norm_backward_streamed", norm_streamed, {"rs_layer_norm_backward_streamed", "rs_rms_norm_backward_streamed"}},
      {"norm_backward_columns", norm_columns, {}},
      {"norm_backward_equal_terms", norm_equal_terms, {}},
      {"gather_backward_chained",
       gather_chained,
       {"rs_gather_rows_backward_chained_clear", "rs_gather_rows_backward_chained_link",
        "rs_gather_rows_backward_chained_sum"}}};
}

}  // namespace rowsmith::test
