// ops: any op by number and by name.
#include "rowsmith/ops.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "capi/call_of.h"
#include "capi/convert.h"
#include "capi/guard.h"
#include "capi/sized.h"
#include "model/op_table.h"

namespace rowsmith::capi {
namespace {

const rs_operand* find(const std::vector<rs_operand>& operands, rs_role role) {
  const auto at =
      std::find_if(operands.begin(), operands.end(), [role](const rs_operand& o) { return o.role == role; });
  return at == operands.end() ? nullptr : &*at;
}

rs_operand as(rs_role role, const rs_tensor& view) {
  rs_operand o = {};
  o.role = role;
  o.view = view;
  return o;
}

status read_softmax_options(const void* options, rs_softmax_options* o) {
  if (options == nullptr) return {};
  if (status s = read_sized("options", static_cast<const rs_softmax_options*>(options), o); !s) return s;
  if (o->exponential > RS_EXP_ACCURATE) {
    return {code::invalid_argument,
            "options.exponential: found " + std::to_string(o->exponential) + ", 0, 1 and 2 are allowed"};
  }
  if (o->deterministic > 1 || o->capture_fallback > 1 || o->batch_invariant > 1 || o->reserved != 0 ||
      o->reserved2[0] != 0 || o->reserved2[1] != 0) {
    return {code::invalid_argument,
            "options: deterministic, capture_fallback and batch_invariant are 0 or 1, reserved is 0"};
  }
  return {};
}

// softmax and log_softmax with their own options; without y, in place.
status run_softmax(rs_op op, std::vector<rs_operand> operands, const void* options, rs_stream on) {
  const rs_operand* x = find(operands, RS_ROLE_X);
  if (x == nullptr) {
    return {code::invalid_argument,
            "operands: " + std::string(describe(static_cast<op_id>(op)).name) + " needs role x (1), found none"};
  }
  if (find(operands, RS_ROLE_Y) == nullptr) operands.push_back(as(RS_ROLE_Y, x->view));
  rs_softmax_options o = RS_SOFTMAX_OPTIONS_INIT;
  if (status s = read_softmax_options(options, &o); !s) return s;
  auto call = call_of(op, operands.data(), operands.size(), nullptr);
  if (!call) return call.status();
  call->axis(o.axis).deterministic(o.deterministic != 0).capture_fallback(o.capture_fallback != 0);
  call->width(static_cast<width_mode>(o.width)).batch_invariant(o.batch_invariant != 0);
  if (o.exponential != RS_EXP_BY_OUTPUT) call->set("exp", o.exponential == RS_EXP_FAST ? "fast" : "accurate");
  return call->run(stream{on});
}

status run(rs_op op, const rs_operand* operands, size_t count, const void* options, rs_stream on) {
  if (operands == nullptr && count != 0) return null_argument("operands");
  if (op == RS_OP_SOFTMAX || op == RS_OP_LOG_SOFTMAX) {
    if (describe(static_cast<op_id>(op)).id != op_id::none) {
      return run_softmax(op, {operands, operands + count}, options, on);
    }
  }
  auto call = call_of(op, operands, count, static_cast<const rs_op_options*>(options));
  return call ? call->run(stream{on}) : call.status();
}

result<rs_op> number_of(std::string_view name) {
  if (const op_alias* as = find_alias(name)) return static_cast<rs_op>(as->number);
  const op_row& op = describe(name);
  if (op.id != op_id::none) return static_cast<rs_op>(op.id);
  return status(code::not_found, "op: found \"" + std::string(name) + "\", known are " + known_ops());
}

status softmax_of(rs_op op, const rs_tensor* x, const rs_tensor* y, const rs_softmax_options* options, rs_stream on) {
  if (x == nullptr) return null_argument("x");
  if (y == nullptr) return null_argument("y");
  const rs_operand operands[] = {as(RS_ROLE_X, *x), as(RS_ROLE_Y, *y)};
  return run(op, operands, 2, options, on);
}

std::string text_of(const explanation& e) {
  std::string text = "target: " + e.target + "\nfacts: " + e.facts + "\n" + e.plan;
  if (!text.empty() && text.back() != '\n') text += '\n';
  for (const launch_explanation& l : e.launches) text += "kernel " + l.digest + ": " + l.strategy + "\n";
  return text;
}

}  // namespace
}  // namespace rowsmith::capi

using namespace rowsmith;

rs_status rs_softmax(const rs_tensor* x, const rs_tensor* y, const rs_softmax_options* options, rs_stream stream) {
  return capi::guarded([&] { return capi::softmax_of(RS_OP_SOFTMAX, x, y, options, stream); });
}

rs_status rs_log_softmax(const rs_tensor* x, const rs_tensor* y, const rs_softmax_options* options, rs_stream stream) {
  return capi::guarded([&] { return capi::softmax_of(RS_OP_LOG_SOFTMAX, x, y, options, stream); });
}

rs_status rs_call(rs_op op, const rs_operand* operands, size_t operand_count, const void* options, rs_stream stream) {
  return capi::guarded([&] { return capi::run(op, operands, operand_count, options, stream); });
}

rs_status rs_call_named(const char* op, const rs_operand* operands, size_t operand_count, const void* options,
                        rs_stream stream) {
  return capi::guarded([&]() -> status {
    if (op == nullptr) return capi::null_argument("op");
    const auto number = capi::number_of(op);
    return number ? capi::run(*number, operands, operand_count, options, stream) : number.status();
  });
}

rs_status rs_run(rs_op op, const rs_operand* operands, size_t operand_count, const rs_op_options* options,
                 rs_stream on) {
  return capi::guarded([&]() -> status {
    auto call = capi::call_of(op, operands, operand_count, options);
    return call ? call->run(stream{on}) : call.status();
  });
}

rs_status rs_prepare(rs_op op, const rs_operand* operands, size_t operand_count, const rs_op_options* options) {
  return capi::guarded([&]() -> status {
    auto call = capi::call_of(op, operands, operand_count, options);
    return call ? call->prepare() : call.status();
  });
}

rs_status rs_workspace_bytes(rs_op op, const rs_operand* operands, size_t operand_count, const rs_op_options* options,
                             size_t* bytes) {
  return capi::guarded([&]() -> status {
    if (bytes == nullptr) return capi::null_argument("bytes");
    auto call = capi::call_of(op, operands, operand_count, options);
    if (!call) return call.status();
    const auto needed = call->workspace_bytes();
    if (!needed) return needed.status();
    *bytes = *needed;
    return {};
  });
}

rs_status rs_explain(rs_op op, const rs_operand* operands, size_t operand_count, const rs_op_options* options,
                     const char* target, char* text, size_t size, size_t* needed) {
  return capi::guarded([&]() -> status {
    if (text == nullptr && size != 0) return capi::null_argument("text");
    auto call = capi::call_of(op, operands, operand_count, options);
    if (!call) return call.status();
    const auto told = call->explain({target == nullptr ? "" : target, false});
    if (!told) return told.status();
    const std::string all = capi::text_of(*told);
    if (needed != nullptr) *needed = all.size() + 1;
    if (size == 0) return {};
    const size_t kept = std::min(size - 1, all.size());
    std::memcpy(text, all.data(), kept);
    text[kept] = 0;
    return {};
  });
}

rs_status rs_find_op(const char* name, rs_op* out) {
  return capi::guarded([&]() -> status {
    if (name == nullptr) return capi::null_argument("name");
    if (out == nullptr) return capi::null_argument("out");
    const auto number = capi::number_of(name);
    if (!number) return number.status();
    *out = *number;
    return {};
  });
}
