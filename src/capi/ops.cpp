// ops: the ops by number and by name. An op is one row of the table below and one function that unpacks its operands.
#include "rowsmith/ops.h"

#include <array>
#include <string>
#include <string_view>

#include "capi/convert.h"
#include "capi/guard.h"
#include "capi/sized.h"

namespace rowsmith::capi {
namespace {

constexpr int k_roles = 3;  // one more than the highest

struct call {
  const rs_tensor* by_role[k_roles] = {};
  const void* options = nullptr;
  rs_stream on = nullptr;
};

status run_softmax(const call& c) {
  const rs_tensor* x = c.by_role[RS_ROLE_X];
  const rs_tensor* y = c.by_role[RS_ROLE_Y];
  if (x == nullptr) return {code::invalid_argument, "operands: softmax needs role x (1), found none"};
  rs_softmax_options o = RS_SOFTMAX_OPTIONS_INIT;
  if (c.options != nullptr) {
    if (status s = read_sized("options", static_cast<const rs_softmax_options*>(c.options), &o); !s) return s;
  }
  if (o.exponential > RS_EXP_ACCURATE) {
    return {code::invalid_argument,
            "options.exponential: found " + std::to_string(o.exponential) + ", 0, 1 and 2 are allowed"};
  }
  if (o.deterministic > 1 || o.capture_fallback > 1 || o.reserved != 0) {
    return {code::invalid_argument, "options: deterministic and capture_fallback are 0 or 1, reserved is 0"};
  }
  const softmax_options options = softmax_options{}
                                      .axis(o.axis)
                                      .exp(static_cast<exp_mode>(o.exponential))
                                      .deterministic(o.deterministic != 0)
                                      .capture_fallback(o.capture_fallback != 0);
  if (y == nullptr) return softmax(to_view(*x), options, stream{c.on});
  return softmax(to_view(*x), to_view(*y), options, stream{c.on});
}

struct op_row {
  rs_op id;
  std::string_view name;
  status (*run)(const call&);
};

constexpr std::array k_ops = {op_row{RS_OP_SOFTMAX, "softmax", run_softmax}};

std::string known_ops() {
  std::string text;
  for (const op_row& row : k_ops) {
    text += (text.empty() ? "" : ", ") + std::string(row.name) + " (" + std::to_string(row.id) + ")";
  }
  return text;
}

result<const op_row*> find(std::string_view name) {
  for (const op_row& row : k_ops) {
    if (row.name == name) return &row;
  }
  return status(code::not_found, "op: found \"" + std::string(name) + "\", known are " + known_ops());
}

result<const op_row*> find(rs_op id) {
  for (const op_row& row : k_ops) {
    if (row.id == id) return &row;
  }
  return status(code::not_found, "op: found " + std::to_string(id) + ", known are " + known_ops());
}

status run(const result<const op_row*>& row, const rs_operand* operands, size_t count, const void* options,
           rs_stream on) {
  if (!row) return row.status();
  if (operands == nullptr && count != 0) return null_argument("operands");
  call c;
  c.options = options;
  c.on = on;
  for (size_t i = 0; i < count; ++i) {
    const int role = operands[i].role;
    const std::string where = "operands[" + std::to_string(i) + "].role: ";
    if (role < 1 || role >= k_roles) {
      return {code::invalid_argument, where + "found " + std::to_string(role) + ", 1 (x) and 2 (y) are allowed"};
    }
    if (c.by_role[role] != nullptr) {
      return {code::invalid_argument, where + "role " + std::to_string(role) + " was given before"};
    }
    c.by_role[role] = &operands[i].view;
  }
  return (*row)->run(c);
}

}  // namespace
}  // namespace rowsmith::capi

using namespace rowsmith;

rs_status rs_softmax(const rs_tensor* x, const rs_tensor* y, const rs_softmax_options* options, rs_stream stream) {
  return capi::guarded([&]() -> status {
    if (x == nullptr) return capi::null_argument("x");
    if (y == nullptr) return capi::null_argument("y");
    capi::call c;
    c.by_role[RS_ROLE_X] = x;
    c.by_role[RS_ROLE_Y] = y;
    c.options = options;
    c.on = stream;
    return capi::run_softmax(c);
  });
}

rs_status rs_call(rs_op op, const rs_operand* operands, size_t operand_count, const void* options, rs_stream stream) {
  return capi::guarded([&] { return capi::run(capi::find(op), operands, operand_count, options, stream); });
}

rs_status rs_call_named(const char* op, const rs_operand* operands, size_t operand_count, const void* options,
                        rs_stream stream) {
  return capi::guarded([&]() -> status {
    if (op == nullptr) return capi::null_argument("op");
    return capi::run(capi::find(std::string_view(op)), operands, operand_count, options, stream);
  });
}

rs_status rs_find_op(const char* name, rs_op* out) {
  return capi::guarded([&]() -> status {
    if (name == nullptr) return capi::null_argument("name");
    if (out == nullptr) return capi::null_argument("out");
    const auto row = capi::find(std::string_view(name));
    if (!row) return row.status();
    *out = (*row)->id;
    return {};
  });
}
