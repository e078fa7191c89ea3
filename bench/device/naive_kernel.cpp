#include "naive_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kernel_builder.h"
#include "naive_text.h"

namespace rowsmith::bench {

namespace {

constexpr int most_axes = 8, most_tensors = 8;

// As naive_text's prelude declares them.
struct operand {
  void* data;
  std::int64_t stride[most_axes];
  std::int64_t inside;
};
struct arguments {
  std::int64_t rows, width, causal, extent[most_axes];
  std::int32_t axes;
  float scalar;
  operand at[most_tensors];
};

const naive_body* body_of(const cli::op_setup& s) {
  for (const naive_body& one : naive_bodies) {
    if (one.op == s.op.name) return &one;
  }
  return nullptr;
}

bool is_inner(const cli::op_setup& s, int axis) {
  return std::find(s.inner.begin(), s.inner.end(), axis) != s.inner.end();
}

// The operand's stride along an axis of the call; 0 where it repeats.
std::int64_t stride_along(const cli::op_setup& s, const cli::tensor_setup& t, int axis) {
  const auto known = std::find_if(s.op.operands.begin(), s.op.operands.end(),
                                  [&](const op_info::operand& o) { return o.role == t.role; });
  const bool columns = known->extent == "per_column";
  if (columns) return is_inner(s, axis) ? 1 : 0;
  const int at = static_cast<int>(t.extents.size() - s.shape.size()) + axis;
  return at < 0 || t.extents[static_cast<std::size_t>(at)] == 1 ? 0 : t.strides[static_cast<std::size_t>(at)];
}

std::string declare(const cli::op_setup& s, std::string_view role) {
  const float absent = role == "weight" ? 1.0f : 0.0f;
  for (std::size_t k = 0; k < s.tensors.size(); ++k) {
    const cli::tensor_setup& t = s.tensors[k];
    if (t.role != role) continue;
    const std::string type = fmt::format("t_{}", name_of(t.type));
    if (t.rows_from.empty()) return fmt::format("  const auto {}_at = row_of<{}>(a, {}, c);\n", role, type, k);
    std::size_t index = 0;
    while (s.tensors[index].role != t.rows_from) ++index;
    return fmt::format("  const auto {}_at = picked<{}, t_{}>(a, {}, {}, c);\n", role, type,
                       name_of(s.tensors[index].type), k, index);
  }
  return fmt::format("  const none {}_at{{{:.1f}f}};\n", role, absent);
}

}  // namespace

std::optional<std::string> naive_text(const cli::op_setup& s, const std::string& expression) {
  const naive_body* body = body_of(s);
  if (body == nullptr || s.inner.size() != 1 || s.pre || s.post || s.tensors.size() > most_tensors) return {};
  if (const std::string form = s.setting("mask"); form != "" && form != "no_mask" && form != "additive_mask") return {};
  std::string text(naive_prelude);
  for (const std::string_view role : naive_roles) text += declare(s, role);
  text += body->text;
  if (s.compute) text += fmt::format("  y_at.put(0, {});\n", expression);
  return text + "}\n";
}

result<naive_kernel> naive_kernel::build(const cli::op_setup& s, std::string text) {
  auto made = build_own(naive_entry, std::move(text));
  if (!made) return made.status();
  naive_kernel n;
  n.setup_ = &s;
  n.kernel_ = std::move(*made);
  return n;
}

status naive_kernel::run(const std::vector<void*>& pointers, stream on) const {
  const cli::op_setup& s = *setup_;
  const bool by_element = body_of(s)->by_element;
  arguments a = {};
  a.width = by_element ? 1 : s.shape[static_cast<std::size_t>(s.inner[0])];
  a.rows = cli::elements(s.shape) / a.width;
  a.causal = s.causal ? *s.causal : INT64_MAX / 2;
  a.scalar = s.op.scalars.empty() ? 1.0f : s.scalar(s.op.scalars[0].name);
  for (int axis = 0; axis < static_cast<int>(s.shape.size()); ++axis) {
    const bool inner = !by_element && is_inner(s, axis);
    if (!inner) a.extent[a.axes] = s.shape[static_cast<std::size_t>(axis)];
    for (std::size_t k = 0; k < s.tensors.size(); ++k) {
      const cli::tensor_setup& t = s.tensors[k];
      a.at[k].data = pointers[k];
      if (!t.rows_from.empty())
        a.at[k].stride[0] = t.strides[0], a.at[k].inside = t.strides[1];
      else
        (inner ? a.at[k].inside : a.at[k].stride[a.axes]) = stride_along(s, t, axis);
    }
    if (!inner) ++a.axes;
  }
  return kernel_->launch((a.rows + own_threads - 1) / own_threads, &a, sizeof a, on);
}

}  // namespace rowsmith::bench
