#include "cli/op_setup.h"

#include <algorithm>

#include "cli/op_tensors.h"

namespace rowsmith::cli {

const tensor_setup* op_setup::find(std::string_view role) const {
  const auto at = std::find_if(tensors.begin(), tensors.end(), [&](const tensor_setup& t) { return t.role == role; });
  return at == tensors.end() ? nullptr : &*at;
}

const tensor_setup& op_setup::main_input() const {
  for (const tensor_setup& t : tensors) {
    if (!t.output && t.extents == shape) return t;
  }
  return tensors.front();
}

const tensor_setup& op_setup::main_output() const {
  const tensor_setup* first = nullptr;
  for (const tensor_setup& t : tensors) {
    if (!t.output) continue;
    if (t.extents == shape) return t;
    if (first == nullptr) first = &t;
  }
  return first == nullptr ? tensors.back() : *first;
}

std::string op_setup::setting(std::string_view name) const {
  for (const auto& [given, choice] : settings) {
    if (given == name) return choice;
  }
  for (const op_info::setting& known : op.settings) {
    if (known.name == name) return std::string(known.choices.front());
  }
  return {};
}

float op_setup::scalar(std::string_view name) const {
  for (const auto& [given, value] : scalars) {
    if (given == name) return value;
  }
  for (const op_info::scalar& known : op.scalars) {
    if (known.name == name) return known.otherwise;
  }
  return 0;
}

std::int64_t op_setup::rows() const {
  std::int64_t n = 1;
  for (int i = 0; i < static_cast<int>(shape.size()); ++i) {
    if (std::find(inner.begin(), inner.end(), i) == inner.end()) n *= shape[i];
  }
  return n;
}

op_call call_of(const op_setup& s, device where, const std::vector<void*>& data) {
  op_call call(s.op.name);
  const auto is_argument = [&](const tensor_setup& t) { return !s.compute && place_of("in", t.role) != 0; };
  fusion f;
  for (std::size_t i = 0; i < s.tensors.size(); ++i) {
    const tensor_setup& t = s.tensors[i];
    tensor_view v = view_of(data[i], t.type, t.extents, where);
    std::copy(t.strides.begin(), t.strides.end(), v.stride);
    if ((s.pre || s.post) && is_argument(t))
      f.with(v);
    else
      call.operand(t.role, v);
  }
  for (const tensor_setup& t : s.tensors) {
    if (!t.rows_from.empty()) call.rows(t.role, t.rows_from);
  }
  if (s.op.along != "nothing") call.axis(s.axis);
  for (const auto& [name, choice] : s.settings) call.set(name, choice);
  for (const auto& [name, value] : s.scalars) call.scalar(name, value);
  if (s.causal) call.causal(*s.causal);
  call.width(s.width).batch_invariant(s.batch_invariant);
  if (s.pre) f.pre(*s.pre);
  if (s.post) f.post(*s.post);
  if (s.pre || s.post) call.fuse(f);
  if (s.compute) call.compute(*s.compute);
  for (int k = 0; k < max_expression_parameters; ++k) call.param(k, s.params[k]);
  return call;
}

}  // namespace rowsmith::cli
