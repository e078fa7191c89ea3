#include "call/op_call_parts.h"

#include <algorithm>
#include <utility>

#include "call/causal_view.h"

namespace rowsmith {

namespace {

constexpr std::string_view additive_mask = "additive_mask";

}  // namespace

const operand_spec* op_call::parts::spec(std::string_view role_name) {
  for (const operand_spec& s : op->operands) {
    if (rowsmith::name_of(s.what) == role_name) return &s;
  }
  std::string known;
  for (const operand_spec& s : op->operands) known += fmt::format(" {}", rowsmith::name_of(s.what));
  fail(wrong("operands: {} has no \"{}\", it has{}", op->name, role_name, known));
  return nullptr;
}

const op_call::parts::given* op_call::parts::find(std::string_view role_name) const {
  for (const given& g : operands) {
    if (rowsmith::name_of(g.what) == role_name) return &g;
  }
  return nullptr;
}

void op_call::parts::set(std::size_t field, std::uint64_t value) {
  const option_field& f = op->options[field];
  r.options &= ~(((std::uint64_t{1} << f.bits) - 1) << f.first_bit);
  r.options |= value << f.first_bit;
  settings_given |= std::uint64_t{1} << field;
}

const op_call::parts::given* op_call::parts::main_output() const {
  for (const operand_spec& s : op->operands) {
    if (s.output && s.extent == reach::full) return find(rowsmith::name_of(s.what));
  }
  return nullptr;
}

status op_call::parts::settle_meaning(const option_field& f, std::uint64_t choice) const {
  const given* operand = find(f.name);
  if (operand == nullptr && choice != 0)
    return wrong("{}: is {}, but the operand is not there", f.name, f.values[choice]);
  if (f.name != rowsmith::name_of(role::mask) || operand == nullptr) return {};
  if (choice == 0) {
    return wrong("mask: set(\"mask\", \"keep\"), \"drop\" or \"additive\" has to say what its elements mean");
  }
  if (f.values[choice] == additive_mask && operand->view.dtype == dtype::b8) {
    return wrong("mask: dtype is b8, an additive one is f32, f16 or bf16");
  }
  return {};
}

status op_call::parts::settle(request* out) const {
  for (std::size_t i = 0; i < op->options.size(); ++i) {
    const option_field& f = op->options[i];
    if (f.by_output && (settings_given >> i & 1) == 0) {
      const given* y = main_output();
      if (y != nullptr && y->view.dtype == dtype::f32) out->options |= std::uint64_t{1} << f.first_bit;
    }
    const bool means_an_operand = std::any_of(op->operands.begin(), op->operands.end(), [&](const operand_spec& s) {
      return rowsmith::name_of(s.what) == f.name;
    });
    if (!means_an_operand) continue;
    if (status s = settle_meaning(f, out->options >> f.first_bit & ((std::uint64_t{1} << f.bits) - 1)); !s) return s;
  }
  for (std::size_t i = 0; i < op->params.size(); ++i) {
    const param_spec& p = op->params[i];
    const float value = out->param[first_op_param + i];
    if (p.positive && !(value > 0)) return wrong("{}: is {}, more than 0 is needed", p.name, value);
    for (const option_field& f : op->options) {
      if (f.name == p.name && value != p.otherwise) out->options |= std::uint64_t{1} << f.first_bit;
    }
  }
  return {};
}

result<request> op_call::parts::assemble() const {
  if (!failed.ok()) return failed;
  request out = r;
  if (status s = settle(&out); !s.ok()) return s;
  if (!axis_given) out.axis = op->along == reduces::axis ? -1 : 1;
  std::vector<std::pair<role, std::string>> picked;
  if (as != nullptr && find(rowsmith::name_of(as->needs)) == nullptr) {
    return wrong("operands: {} needs \"{}\"", asked, rowsmith::name_of(as->needs));
  }
  // An op that cannot be without an index has one table, which need not be named.
  const bool is_implied =
      std::any_of(op->operands.begin(), op->operands.end(),
                  [](const operand_spec& s) { return is_index(s.what) && !s.optional; }) &&
      std::all_of(operands.begin(), operands.end(), [](const given& g) { return g.rows_from.empty(); });
  for (const operand_spec& s : op->operands) {
    if (s.what == role::causal && causal_offset) {
      const given* y = main_output();
      if (y == nullptr) return wrong("causal: the output is needed to know its shape");
      if (out.axis == 0 || out.axis == -y->view.rank) {
        return wrong("causal: keys lie along axis 0, and queries are the axis before it");
      }
      out.add(role::causal, causal_view(y->view, out.axis, *causal_offset));
      continue;
    }
    for (const given& g : operands) {
      if (g.what != s.what) continue;
      if (!g.rows_from.empty()) {
        picked.emplace_back(g.what, g.rows_from);
      } else if (as != nullptr && g.what == as->picked) {
        picked.emplace_back(g.what, rowsmith::name_of(as->needs));
      } else if (is_implied && s.extent == reach::full && s.output == op->by_table) {
        picked.emplace_back(g.what, rowsmith::name_of(role::index));
      }
      out.add(g.what, g.view);
    }
  }
  for (const auto& [what, index] : picked) {
    int place = -1;
    for (int k = 0; k < out.operand_count; ++k) {
      if (rowsmith::name_of(out.operands[k].what) == index) place = k;
    }
    if (place < 0) return wrong("rows: the operand \"{}\" is not there", index);
    for (int k = 0; k < out.operand_count; ++k) {
      if (out.operands[k].what == what) out.operands[k].rows_from = static_cast<std::int8_t>(place);
    }
  }
  return out;
}

}  // namespace rowsmith
