// layer_norm, rms_norm and their forms with a residual.
#include "mechanisms/cases.h"
#include "support/norm_check.h"
#include "support/values.h"

namespace rowsmith::test {
namespace {

// Rows far from 0: what is not shifted by the first element loses their spread.
std::vector<float> far(std::int64_t n, float mean) {
  std::vector<float> x = normal(n, 1);
  for (float& v : x) v += mean;
  return x;
}

void check(std::int64_t rows, std::int64_t width, dtype type, bool batch_invariant = false) {
  for (const norm_kind kind : {norm_kind::layer, norm_kind::rms}) {
    norm_call c;
    c.options.batch_invariant(batch_invariant);
    c.kind = kind;
    c.x = c.y = type;
    c.shape = {rows, width};
    c.weight = normal(width, 1, 3);
    c.bias = normal(width, 1, 4);
    c.rstd = true;
    c.mean = kind == norm_kind::layer;
    check_norm(c, far(rows * width, type == dtype::f32 ? 3e4f : 60));
  }
}

void check_added(std::int64_t rows, std::int64_t width, dtype type) {
  for (const norm_kind kind : {norm_kind::layer, norm_kind::rms}) {
    for (const residual_order order : {residual_order::first, residual_order::last}) {
      norm_call c;
      c.kind = kind;
      c.add = true;
      c.x = c.y = c.residual = type;
      c.shape = {rows, width};
      c.weight = normal(width, 1, 3);
      c.options.order = order;
      if (order == residual_order::first) c.sum = type;
      check_norm(c, normal(rows * width, 2), normal(rows * width, 1, 6));
    }
  }
}

void lanes() {
  check(rows_for(37, 9001), 192, dtype::bf16);
  check(rows_for(9, 3001), 1000, dtype::f32);
  check_added(9, 192, dtype::f16);
}
void staged() {
  check(rows_for(200, 100001), 49, dtype::bf16);
  check_added(rows_for(70, 50001), 49, dtype::f32);
}
void block() {
  check(rows_for(3, 2001), 4096, dtype::bf16);
  check(2, 8192, dtype::f32);
  check_added(2, 4096, dtype::f16);
}
void streamed() {
  check(2, 50257, dtype::bf16, on_a_card());
  check(2, 40000, dtype::f32, on_a_card());
  check_added(1, 50257, dtype::f16);
}
void columns() {
  for (const std::int64_t width : {33, 700, 3001}) {
    norm_call c;
    c.x = c.y = dtype::f32;
    c.shape = {40, width};
    c.x_stride = {1, 40};
    c.y_stride = {1, 40};
    std::vector<float> x = far(40 * width, 1000);
    check_norm(c, x);
    // Some rows of a block have no finite variance, and need a reduction more than their neighbours.
    for (std::int64_t i = 0; i < width; ++i) x[static_cast<std::size_t>(7 * width + i)] = i % 2 == 0 ? 3e38f : -3e38f;
    x[static_cast<std::size_t>(21 * width)] = not_a_number;
    check_norm(c, x);
  }
}
void one_row() { check(1, 131072, dtype::bf16), check(1, 100000, dtype::f32); }

// A constant row is exactly the bias; one whose variance overflows, too; NaN and infinity make theirs NaN.
void special() {
  for (const std::int64_t width : {49, 192, 4096, 33000}) {
    for (const norm_kind kind : {norm_kind::layer, norm_kind::rms}) {
      norm_call c;
      c.kind = kind;
      c.x = c.y = dtype::f32;
      c.shape = {6, width};
      c.weight = constant(width, 2);
      c.bias = normal(width, 1, 4);
      std::vector<float> x = normal(6 * width);
      for (std::int64_t i = 0; i < width; ++i) {
        x[static_cast<std::size_t>(i)] = 1234567.0f;
        x[static_cast<std::size_t>(width + i)] = i % 2 == 0 ? 1e30f : -1e30f;
        x[static_cast<std::size_t>(5 * width + i)] = i % 2 == 0 ? 3e38f : -3e38f;
      }
      x[static_cast<std::size_t>(3 * width - 1)] = not_a_number;
      x[static_cast<std::size_t>(3 * width)] = infinity;
      check_norm(c, x);
    }
  }
}

// Of a row of zeros nothing but epsilon is left.
void zeros() {
  for (const std::int64_t width : {49, 192, 4096}) {
    for (const norm_kind kind : {norm_kind::layer, norm_kind::rms}) {
      norm_call c;
      c.kind = kind;
      c.shape = {3, width};
      c.bias = normal(width, 1, 4);
      c.rstd = true;
      check_norm(c, constant(3 * width, 0));
    }
  }
}

void picked() {
  for (const std::int64_t width : {49, 192, 4096, 33000}) {
    for (const bool add : {false, true}) {
      norm_call c;
      c.kind = width == 192 ? norm_kind::rms : norm_kind::layer;
      c.shape = {6, width};
      c.table_rows = 5;
      c.rows = {4, -1, 0, 5, 0, 2};
      c.weight = normal(width, 1, 3);
      c.bias = constant(width, 3);
      c.add = add;
      if (add) c.residual_rows = {1, -1, -1, 2, 0, 7};
      check_norm(c, normal(5 * width), normal(5 * width, 1, 6));
    }
  }
}

void options() {
  for (const std::int64_t width : {64, 4096}) {
    norm_call c;
    c.shape = {7, width};
    c.weight = normal(width, 0.1f, 3);
    c.options.weight_as = weight_form::one_plus;
    c.options.cast_at = norm_cast::before_weight;
    check_norm(c, normal(7 * width));
    c.add = true;
    c.options.rounding = residual_rounding::fp32;
    check_norm(c, normal(7 * width), normal(7 * width, 1, 6));
  }
}

}  // namespace

std::vector<mechanism_case> norm_mechanisms() {
  return {
      {"norm_lanes",
       lanes,
       {"rs_layer_norm_lanes", "rs_rms_norm_lanes", "rs_add_layer_norm_lanes", "rs_add_rms_norm_lanes"}},
      {"norm_staged",
       staged,
       {"rs_layer_norm_staged", "rs_rms_norm_staged", "rs_add_layer_norm_staged", "rs_add_rms_norm_staged"}},
      {"norm_block",
       block,
       {"rs_layer_norm_block", "rs_rms_norm_block", "rs_add_layer_norm_block", "rs_add_rms_norm_block"}},
      {"norm_streamed",
       streamed,
       {"rs_layer_norm_streamed", "rs_rms_norm_streamed", "rs_add_layer_norm_streamed", "rs_add_rms_norm_streamed"}},
      {"norm_columns", columns, {"rs_layer_norm_columns"}},
      {"norm_one_row", one_row, {}},
      {"norm_special", special, {}},
      {"norm_zeros", zeros, {}},
      {"norm_picked", picked, {}},
      {"norm_options", options, {}}};
}

}  // namespace rowsmith::test
