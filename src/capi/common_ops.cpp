// common_ops: ops that are called so often that they have a function without structures.
#include <vector>

#include "capi/call_of.h"
#include "capi/guard.h"
#include "capi/sized.h"

namespace rowsmith::capi {
namespace {

struct given {
  rs_role role;
  const char* name;
  const rs_tensor* view;
  bool optional = false;
  rs_role rows_from = 0;
};

result<std::vector<rs_operand>> operands_of(std::initializer_list<given> all) {
  std::vector<rs_operand> operands;
  for (const given& g : all) {
    if (g.view == nullptr) {
      if (g.optional) continue;
      return null_argument(g.name);
    }
    rs_operand o = {};
    o.role = g.role;
    o.rows_from = g.rows_from;
    o.view = *g.view;
    operands.push_back(o);
  }
  return operands;
}

status run(rs_op op, std::initializer_list<given> all, const rs_op_options& options, rs_stream on) {
  const auto operands = operands_of(all);
  if (!operands) return operands.status();
  auto call = call_of(op, operands->data(), operands->size(), &options);
  return call ? call->run(stream{on}) : call.status();
}

status run_norm(rs_op op, std::initializer_list<given> all, int32_t axes, float eps, rs_stream on) {
  const rs_scalar scalar = {"eps", eps};
  rs_op_options o = RS_OP_OPTIONS_INIT;
  o.axis = axes;
  o.axis_is_given = 1;
  o.scalars = &scalar;
  o.scalar_count = 1;
  return run(op, all, o, on);
}

}  // namespace
}  // namespace rowsmith::capi

using namespace rowsmith;

rs_status rs_layer_norm(const rs_tensor* x, const rs_tensor* weight, const rs_tensor* bias, const rs_tensor* y,
                        const rs_tensor* mean, const rs_tensor* rstd, int32_t axes, float eps, rs_stream stream) {
  return capi::guarded([&] {
    return capi::run_norm(RS_OP_LAYER_NORM,
                          {{RS_ROLE_X, "x", x},
                           {RS_ROLE_WEIGHT, "weight", weight, true},
                           {RS_ROLE_BIAS, "bias", bias, true},
                           {RS_ROLE_Y, "y", y},
                           {RS_ROLE_MEAN, "mean", mean, true},
                           {RS_ROLE_RSTD, "rstd", rstd, true}},
                          axes, eps, stream);
  });
}

rs_status rs_rms_norm(const rs_tensor* x, const rs_tensor* weight, const rs_tensor* bias, const rs_tensor* y,
                      const rs_tensor* rstd, int32_t axes, float eps, rs_stream stream) {
  return capi::guarded([&] {
    return capi::run_norm(RS_OP_RMS_NORM,
                          {{RS_ROLE_X, "x", x},
                           {RS_ROLE_WEIGHT, "weight", weight, true},
                           {RS_ROLE_BIAS, "bias", bias, true},
                           {RS_ROLE_Y, "y", y},
                           {RS_ROLE_RSTD, "rstd", rstd, true}},
                          axes, eps, stream);
  });
}

rs_status rs_add_layer_norm(const rs_tensor* x, const rs_tensor* residual, const rs_tensor* weight,
                            const rs_tensor* bias, const rs_tensor* y, const rs_tensor* sum, int32_t axes, float eps,
                            rs_stream stream) {
  return capi::guarded([&] {
    return capi::run_norm(RS_OP_ADD_LAYER_NORM,
                          {{RS_ROLE_X, "x", x},
                           {RS_ROLE_RESIDUAL, "residual", residual},
                           {RS_ROLE_WEIGHT, "weight", weight, true},
                           {RS_ROLE_BIAS, "bias", bias, true},
                           {RS_ROLE_Y, "y", y},
                           {RS_ROLE_SUM, "sum", sum, true}},
                          axes, eps, stream);
  });
}

rs_status rs_add_rms_norm(const rs_tensor* x, const rs_tensor* residual, const rs_tensor* weight, const rs_tensor* bias,
                          const rs_tensor* y, const rs_tensor* sum, int32_t axes, float eps, rs_stream stream) {
  return capi::guarded([&] {
    return capi::run_norm(RS_OP_ADD_RMS_NORM,
                          {{RS_ROLE_X, "x", x},
                           {RS_ROLE_RESIDUAL, "residual", residual},
                           {RS_ROLE_WEIGHT, "weight", weight, true},
                           {RS_ROLE_BIAS, "bias", bias, true},
                           {RS_ROLE_Y, "y", y},
                           {RS_ROLE_SUM, "sum", sum, true}},
                          axes, eps, stream);
  });
}

rs_status rs_gather_rows(const rs_tensor* x, const rs_tensor* index, const rs_tensor* y, rs_stream stream) {
  return capi::guarded([&]() -> status {
    if (x == nullptr) return capi::null_argument("x");
    rs_op_options o = RS_OP_OPTIONS_INIT;
    o.axis = x->rank - 1;
    o.axis_is_given = 1;
    return capi::run(RS_OP_GATHER_ROWS,
                     {{RS_ROLE_X, "x", x, false, RS_ROLE_INDEX}, {RS_ROLE_INDEX, "index", index}, {RS_ROLE_Y, "y", y}},
                     o, stream);
  });
}

rs_status rs_copy_tensor(const rs_tensor* x, const rs_tensor* y, rs_stream stream) {
  return capi::guarded([&] {
    const rs_op_options o = RS_OP_OPTIONS_INIT;
    return capi::run(RS_OP_COPY, {{RS_ROLE_X, "x", x}, {RS_ROLE_Y, "y", y}}, o, stream);
  });
}
