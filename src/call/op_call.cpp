#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "call/checked_index.h"
#include "call/common_options.h"
#include "call/dispatch.h"
#include "call/explain_request.h"
#include "call/op_call_parts.h"
#include "inspect/inspect.h"
#include "model/expression/intern.h"
#include "model/op_table.h"
#include "rowsmith/call.h"

namespace rowsmith {

namespace {

// "keep" for "keep_mask", "fast" for "exp_fast": the value, or its beginning or end between underscores.
bool names(std::string_view choice, std::string_view value) {
  if (choice == value) return true;
  if (choice.empty() || choice.size() + 1 >= value.size()) return false;
  const std::size_t rest = value.size() - choice.size();
  return (value.starts_with(choice) && value[choice.size()] == '_') ||
         (value.ends_with(choice) && value[rest - 1] == '_');
}

}  // namespace

op_call::op_call(std::string_view op) : parts_(std::make_unique<parts>()) {
  parts_->asked = op;
  parts_->as = find_alias(op);
  parts_->op = parts_->as != nullptr ? &describe(parts_->as->op) : &describe(op);
  parts_->r.op = parts_->op->id;
  for (std::size_t i = 0; i < parts_->op->params.size(); ++i) {
    parts_->r.param[first_op_param + i] = parts_->op->params[i].otherwise;
  }
  if (parts_->op->id == op_id::none) {
    std::string known;
    for (const op_info& info : known_ops()) known += fmt::format(" {}", info.name);
    parts_->fail(status(code::not_found, fmt::format("op: found \"{}\", known are{}", op, known)));
  }
}
op_call::~op_call() = default;
op_call::op_call(op_call&&) noexcept = default;
op_call& op_call::operator=(op_call&&) noexcept = default;

op_call& op_call::operand(std::string_view role_name, const tensor_view& view) {
  const operand_spec* s = parts_->spec(role_name);
  if (s == nullptr) return *this;
  if (s->extent == reach::no_memory) return parts_->fail(wrong("{}: has no memory to view", role_name)), *this;
  if (parts_->find(role_name) != nullptr) {
    return parts_->fail(wrong("operands: \"{}\" was given twice", role_name)), *this;
  }
  parts_->operands.push_back({s->what, view, {}});
  return *this;
}

op_call& op_call::operand(std::string_view role_name, const const_tensor_view& view) {
  const operand_spec* s = parts_->spec(role_name);
  if (s != nullptr && s->output) parts_->fail(wrong("{}: is an output, its memory must not be const", role_name));
  return operand(role_name, std::bit_cast<tensor_view>(view));
}

op_call& op_call::rows(std::string_view role_name, std::string_view index_role) {
  for (parts::given& g : parts_->operands) {
    if (rowsmith::name_of(g.what) == role_name) return g.rows_from = index_role, *this;
  }
  parts_->fail(wrong("rows: the operand \"{}\" is not there", role_name));
  return *this;
}

op_call& op_call::causal(std::int64_t offset) {
  if (find_spec(*parts_->op, role::causal) == nullptr) parts_->fail(wrong("causal: {} takes none", parts_->asked));
  return parts_->causal_offset = offset, *this;
}

op_call& op_call::axis(int value) { return parts_->r.axis = value, parts_->axis_given = true, *this; }

op_call& op_call::set(std::string_view setting, std::string_view choice) {
  const auto& fields = parts_->op->options;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].name != setting) continue;
    for (std::size_t value = 0; value < fields[i].values.size(); ++value) {
      if (names(choice, fields[i].values[value])) return parts_->set(i, value), *this;
    }
    std::string known;
    for (const std::string_view v : fields[i].values) known += fmt::format(" {}", v);
    return parts_->fail(wrong("{}: found \"{}\", known are{}", setting, choice, known)), *this;
  }
  return parts_->fail(wrong("{} has no setting \"{}\"", parts_->asked, setting)), *this;
}

op_call& op_call::scalar(std::string_view name, float value) {
  const auto& params = parts_->op->params;
  for (std::size_t i = 0; i < params.size(); ++i) {
    if (params[i].name == name) return parts_->r.param[first_op_param + i] = value, *this;
  }
  return parts_->fail(wrong("{} has no scalar \"{}\"", parts_->asked, name)), *this;
}

op_call& op_call::fuse(const fusion& f) {
  if (parts_->op->along == reduces::nothing) parts_->fail(wrong("fuse: {} is computed, not fused", parts_->asked));
  parts_->r.pre = f.before;
  parts_->r.post = f.behind;
  std::copy(std::begin(f.params), std::end(f.params), parts_->r.param);
  if (f.more_count > fusion::most_arguments) parts_->fail(wrong("arguments: at most {}", fusion::most_arguments));
  for (int k = 0; k < std::min(f.more_count, fusion::most_arguments); ++k) {
    operand(rowsmith::name_of(argument_role(k + 1)), f.more[k]);
  }
  return *this;
}

op_call& op_call::compute(const expression& e) {
  if (parts_->op->along != reduces::nothing) parts_->fail(wrong("compute: {} is a row op, fuse is its", parts_->asked));
  parts_->r.pre = intern(e);
  if (!parts_->r.pre) parts_->fail(wrong("expression: its hash is another's"));
  return *this;
}

op_call& op_call::param(int k, float value) {
  if (k < 0 || k >= expression_params) return parts_->fail(wrong("param: found {}, 0 to 3 are allowed", k)), *this;
  return parts_->r.param[k] = value, *this;
}

namespace {

void set_flag(request* r, request_flags f, bool on) {
  r->flags = static_cast<std::uint8_t>(on ? r->flags | f : r->flags & ~f);
}

}  // namespace

op_call& op_call::deterministic(bool on) { return set_flag(&parts_->r, request_deterministic, on), *this; }
op_call& op_call::capture_fallback(bool on) { return set_flag(&parts_->r, request_capture_fallback, on), *this; }
op_call& op_call::width(width_mode m) {
  if (status s = check_width(m); !s.ok()) return parts_->fail(std::move(s)), *this;
  set_flag(&parts_->r, request_exact_width, m == width_mode::exact);
  return set_flag(&parts_->r, request_any_width, m == width_mode::any), *this;
}
op_call& op_call::batch_invariant(bool on) { return set_flag(&parts_->r, request_batch_invariant, on), *this; }
op_call& op_call::checked(bool on) { return set_flag(&parts_->r, request_checked, on), *this; }
op_call& op_call::workspace(void* memory, std::size_t bytes) {
  parts_->r.workspace = memory;
  parts_->r.workspace_bytes = bytes;
  return *this;
}

namespace {

// Every entry of every index names a row of its table, or is -1.
status check_indices(const request& r) {
  facts f;
  if (status refused = inspect(r, &f); !refused.ok()) return refused;
  for (int k = 0; k < r.operand_count; ++k) {
    const int index = r.operands[k].rows_from;
    if (index < 0) continue;
    if (status wrong = check_index(r, index, r.operands[k].view.shape[0]); !wrong.ok()) return wrong;
  }
  return {};
}

}  // namespace

status op_call::run(stream on) const {
  result<request> r = parts_->assemble();
  if (!r) return r.status();
  r->on = on;
  if ((r->flags & request_checked) != 0) {
    if (status wrong = check_indices(*r); !wrong.ok()) return wrong;
  }
  return dispatch(*r);
}

status op_call::prepare() const {
  const result<request> r = parts_->assemble();
  return r ? rowsmith::prepare(*r) : r.status();
}

result<explanation> op_call::explain(const explain_options& how) const {
  const result<request> r = parts_->assemble();
  if (!r) return r.status();
  return explain_request(*r, how);
}

result<std::size_t> op_call::workspace_bytes() const {
  const result<request> r = parts_->assemble();
  if (!r) return r.status();
  return rowsmith::workspace_bytes(*r);
}

}  // namespace rowsmith
