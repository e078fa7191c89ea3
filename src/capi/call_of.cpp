#include "capi/call_of.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>

#include "capi/convert.h"
#include "capi/guard.h"
#include "capi/sized.h"
#include "model/op_table.h"

namespace rowsmith::capi {

namespace {

status refuse(const std::string& argument, const std::string& rest) {
  return {code::invalid_argument, argument + ": " + rest};
}

status check_flags(const rs_op_options& o) {
  for (const std::uint8_t flag :
       {o.axis_is_given, o.deterministic, o.capture_fallback, o.checked, o.causal, o.batch_invariant}) {
    if (flag > 1) {
      return refuse("options",
                    "axis_is_given, deterministic, capture_fallback, checked, causal, batch_invariant are 0 or 1");
    }
  }
  if (std::any_of(std::begin(o.reserved), std::end(o.reserved), [](std::uint8_t b) { return b != 0; })) {
    return refuse("options.reserved", "is not 0");
  }
  return {};
}

// *into: nothing for no words.
status read_expression(const char* name, const rs_expression& from, const expression** into,
                       std::optional<expression>* memory) {
  if (from.words == nullptr) return from.count == 0 ? status() : null_argument(name);
  auto made = expression::from_words(from.words, from.count);
  if (!made) return refuse(name, made.status().message());
  *into = &memory->emplace(*made);
  return {};
}

status add_expressions(const rs_op_options& o, op_call* call) {
  std::optional<expression> memory[3];
  const expression *pre = nullptr, *post = nullptr, *compute = nullptr;
  if (status s = read_expression("options.pre", o.pre, &pre, &memory[0]); !s) return s;
  if (status s = read_expression("options.post", o.post, &post, &memory[1]); !s) return s;
  if (status s = read_expression("options.compute", o.compute, &compute, &memory[2]); !s) return s;
  fusion f;
  if (pre != nullptr) f.pre(*pre);
  if (post != nullptr) f.post(*post);
  if (pre != nullptr || post != nullptr) call->fuse(f);
  if (compute != nullptr) call->compute(*compute);
  for (int k = 0; k < static_cast<int>(std::size(o.params)); ++k) call->param(k, o.params[k]);
  return {};
}

status add_options(const rs_op_options& o, op_call* call) {
  if (status s = check_flags(o); !s) return s;
  if (o.axis_is_given != 0) call->axis(o.axis);
  call->deterministic(o.deterministic != 0).capture_fallback(o.capture_fallback != 0).checked(o.checked != 0);
  call->width(static_cast<width_mode>(o.width)).batch_invariant(o.batch_invariant != 0);
  if (o.causal != 0) call->causal(o.causal_offset);
  if (o.settings == nullptr && o.setting_count != 0) return null_argument("options.settings");
  for (std::size_t i = 0; i < o.setting_count; ++i) {
    if (o.settings[i].name == nullptr) return null_argument("options.settings.name");
    if (o.settings[i].choice == nullptr) return null_argument("options.settings.choice");
    call->set(o.settings[i].name, o.settings[i].choice);
  }
  if (o.scalars == nullptr && o.scalar_count != 0) return null_argument("options.scalars");
  for (std::size_t i = 0; i < o.scalar_count; ++i) {
    if (o.scalars[i].name == nullptr) return null_argument("options.scalars.name");
    call->scalar(o.scalars[i].name, o.scalars[i].value);
  }
  if (o.workspace == nullptr && o.workspace_bytes != 0) return null_argument("options.workspace");
  call->workspace(o.workspace, o.workspace_bytes);
  return add_expressions(o, call);
}

// The name of a role that this op has, or why it cannot be.
result<std::string_view> role_in(const op_row& op, rs_role value, const std::string& where) {
  const operand_spec* s = find_spec(op, static_cast<role>(value));
  if (s != nullptr && s->extent != reach::no_memory) return name_of(s->what);
  std::string known;
  for (const operand_spec& one : op.operands) {
    if (one.extent == reach::no_memory) continue;
    known += (known.empty() ? "" : ", ") + std::to_string(static_cast<int>(one.what)) + " (" +
             std::string(name_of(one.what)) + ")";
  }
  return refuse(where, "found " + std::to_string(value) + ", " + known + " are allowed");
}

status add_operand(const op_row& op, const rs_operand& o, std::size_t i, op_call* call) {
  const std::string where = "operands[" + std::to_string(i) + "]";
  const auto name = role_in(op, o.role, where + ".role");
  if (!name) return name.status();
  if (std::any_of(std::begin(o.reserved), std::end(o.reserved), [](std::uint8_t b) { return b != 0; })) {
    return refuse(where + ".reserved", "is not 0");
  }
  call->operand(*name, to_view(o.view));
  return {};
}

}  // namespace

std::string known_ops() {
  std::string text;
  for (const op_row& row : all_ops()) {
    text += (text.empty() ? "" : ", ") + std::string(row.name) + " (" + std::to_string(static_cast<int>(row.id)) + ")";
  }
  for (const op_alias& a : all_aliases()) text += ", " + std::string(a.name) + " (" + std::to_string(a.number) + ")";
  return text;
}

result<op_call> call_of(rs_op id, const rs_operand* operands, std::size_t count, const rs_op_options* options) {
  const op_alias* as = find_alias(static_cast<int>(id));
  const op_row& op = describe(as != nullptr ? as->op : static_cast<op_id>(id));
  if (op.id == op_id::none) {
    return status(code::not_found, "op: found " + std::to_string(id) + ", known are " + known_ops());
  }
  if (operands == nullptr && count != 0) return null_argument("operands");
  op_call call(as != nullptr ? as->name : op.name);
  for (std::size_t i = 0; i < count; ++i) {
    if (status s = add_operand(op, operands[i], i, &call); !s) return s;
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (operands[i].rows_from == 0) continue;
    const auto index = role_in(op, operands[i].rows_from, "operands[" + std::to_string(i) + "].rows_from");
    if (!index) return index.status();
    call.rows(name_of(static_cast<role>(operands[i].role)), *index);
  }
  if (options != nullptr) {
    rs_op_options o = RS_OP_OPTIONS_INIT;
    if (status s = read_sized("options", options, &o); !s) return s;
    if (status s = add_options(o, &call); !s) return s;
  }
  return call;
}

}  // namespace rowsmith::capi
