// Kernels that learn their width at run time: few lanes, a wave, a block, neighbouring rows.
#include "mechanisms/cases.h"
#include "support/norm_check.h"
#include "support/rows_check.h"
#include "support/softmax_family_check.h"
#include "support/values.h"

namespace rowsmith::test {
namespace {

constexpr std::int64_t widths[] = {1, 49, 64, 300, 1100};

void softmax_of_any_width() {
  for (const std::int64_t width : widths) {
    masked_call c;
    c.width = width_mode::any;
    c.shape = {5, width};
    check_masked(c, normal(5 * width, 40));
    c.x_at.phase = 1, c.y_at.phase = 0;
    c.causal = 3;
    check_masked(c, normal(5 * width, 40));
  }
}

void columns_of_any_width() {
  for (const std::int64_t width : {7, 70}) {
    masked_call c;
    c.width = width_mode::any;
    c.shape = {width, 40};
    c.axis = 0;
    check_masked(c, normal(40 * width, 40));
  }
}

norm_call norm_of(norm_kind kind, std::int64_t width) {
  norm_call c;
  c.kind = kind;
  c.options.width(width_mode::any);
  c.shape = {5, width};
  c.weight = normal(width, 1, 3);
  return c;
}

void norms_of_any_width() {
  for (const std::int64_t width : widths) {
    check_norm(norm_of(norm_kind::layer, width), normal(5 * width, 3));
    check_norm(norm_of(norm_kind::rms, width), normal(5 * width, 3));
    norm_call c = norm_of(norm_kind::layer, width);
    c.add = true;
    check_norm(c, normal(5 * width, 3), normal(5 * width, 2, 7));
  }
}

void norm_backward_of_any_width() {
  for (const std::int64_t width : widths) {
    norm_backward_call c;
    c.options.width(width_mode::any);
    c.shape = {19, width};
    c.weight = normal(width, 1, 3);
    check_norm_backward(c, normal(19 * width, 2, 2), normal(19 * width, 1, 3));
  }
}

void gathers_of_any_width() {
  for (const std::int64_t width : widths) check_gathers_of_any_width(width);
}

void moments_of_any_width() {
  for (const std::int64_t width : widths) {
    moments_call c;
    c.options.width(width_mode::any);
    c.type = f16_to_f32;
    c.shape = {5, width};
    c.axes = {1};
    check_moments(c, normal(5 * width, 3));
  }
}

}  // namespace

std::vector<mechanism_case> width_mechanisms() {
  return {
      {"any_width_softmax", softmax_of_any_width, {"rs_softmax_any_width"}},
      {"any_width_columns", columns_of_any_width, {"rs_softmax_any_width"}},
      {"any_width_norms",
       norms_of_any_width,
       {"rs_layer_norm_any_width", "rs_rms_norm_any_width", "rs_add_layer_norm_any_width"}},
      {"any_width_norm_backward",
       norm_backward_of_any_width,
       {"rs_layer_norm_backward_any_width", "rs_layer_norm_backward_totals"}},
      {"any_width_gathers", gathers_of_any_width, {"rs_gather_rows_any_width", "rs_gather_rows_backward_chained_sum"}},
      {"any_width_moments", moments_of_any_width, {"rs_moments_any_width"}}};
}

}  // namespace rowsmith::test
