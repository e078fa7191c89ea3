#include "call/norm_request.h"

#include <fmt/format.h>

#include <cmath>

#include "call/common_options.h"
#include "model/op_table.h"

namespace rowsmith {

namespace {

template <class... A>
status refuse(fmt::format_string<A...> format, A&&... values) {
  return status(code::invalid_argument, fmt::format(format, std::forward<A>(values)...));
}

template <class Enum>
status check_choice(const char* name, Enum value) {
  if (static_cast<int>(value) <= 1) return {};
  return refuse("options.{}: is {}, 0 and 1 are allowed", name, static_cast<int>(value));
}

status check(const norm_options& o) {
  if (o.struct_size != sizeof(norm_options)) {
    return refuse("options.struct_size: is {}, this version has {}", o.struct_size, sizeof(norm_options));
  }
  if (!(o.epsilon > 0) || !std::isfinite(o.epsilon)) {
    return refuse("options.epsilon: is {}, a finite number above 0 is needed", o.epsilon);
  }
  if (status s = check_width(o.width_as); !s) return s;
  if (status s = check_choice("weight_as", o.weight_as); !s) return s;
  if (status s = check_choice("cast_at", o.cast_at); !s) return s;
  if (status s = check_choice("rounding", o.rounding); !s) return s;
  return check_choice("order", o.order);
}

request start(op_id op, const norm_options& o, stream on) {
  request r;
  r.op = op;
  r.axis = o.trailing_axes;
  if (o.weight_as == weight_form::one_plus) r.options |= option_one_plus_weight;
  r.flags = flags_of(o);
  r.param[first_op_param] = o.epsilon;
  r.workspace = o.workspace_pointer;
  r.workspace_bytes = o.workspace_bytes;
  r.on = on;
  return r;
}

template <class View>
void add_given(request* r, role what, const View& v) {
  if (is_given(v)) r->add(what, v);
}

// What does not go together. `plain`: an op without a residual.
status check_inputs(op_id op, const norm_inputs& more, const norm_options& o, bool plain) {
  const bool centered = op == op_id::layer_norm || op == op_id::add_layer_norm;
  if (!centered && is_given(more.mean_view)) return refuse("mean: {} has none to give out", describe(op).name);
  if (plain && is_given(more.residual_rows_view)) return refuse("residual_rows: {} has no residual", describe(op).name);
  if (plain && is_given(more.sum_view)) return refuse("sum: {} has no residual", describe(op).name);
  if (!plain && o.order == residual_order::last && is_given(more.sum_view)) {
    return refuse("sum: residual + norm(x) stores no x + residual");
  }
  return {};
}

}  // namespace

result<request> norm_request(op_id op, const const_tensor_view& x, const const_tensor_view* residual,
                             const tensor_view& y, const norm_inputs& more, const norm_options& o, stream on) {
  if (status s = check(o); !s) return s;
  if (status s = check_inputs(op, more, o, residual == nullptr); !s) return s;
  request r = start(op, o, on);
  if (o.cast_at == norm_cast::before_weight) r.options |= option_cast_before_weight;
  if (residual != nullptr && o.order == residual_order::last) r.options |= option_residual_after;
  if (residual != nullptr && o.rounding == residual_rounding::fp32) r.options |= option_fp32_residual;

  r.add(role::x, x);
  if (residual != nullptr) r.add(role::residual, *residual);
  add_given(&r, role::weight, more.weight_view);
  add_given(&r, role::bias, more.bias_view);
  r.add(role::y, y);
  if (residual != nullptr) add_given(&r, role::sum, more.sum_view);
  add_given(&r, role::mean, more.mean_view);
  add_given(&r, role::rstd, more.rstd_view);
  if (is_given(more.rows_view)) {
    r.operands[0].rows_from = static_cast<std::int8_t>(r.operand_count);
    r.add(role::index, more.rows_view);
  }
  if (residual != nullptr && is_given(more.residual_rows_view)) {
    r.operands[1].rows_from = static_cast<std::int8_t>(r.operand_count);
    r.add(role::index2, more.residual_rows_view);
  }
  return r;
}

result<request> norm_backward_request(op_id op, const const_tensor_view& x, const const_tensor_view& dy,
                                      const norm_gradients& g, const norm_options& o, stream on) {
  if (status s = check(o); !s) return s;
  if (!is_given(g.dx_view) && !is_given(g.dweight_view) && !is_given(g.dbias_view)) {
    return refuse("gradients: none of dx, dweight and dbias is asked for");
  }
  request r = start(op, o, on);
  r.add(role::x, x);
  r.add(role::dy, dy);
  add_given(&r, role::weight, g.weight_view);
  add_given(&r, role::dx, g.dx_view);
  add_given(&r, role::dweight, g.dweight_view);
  add_given(&r, role::dbias, g.dbias_view);
  add_given(&r, role::sum, g.dsum_view);
  return r;
}

}  // namespace rowsmith
