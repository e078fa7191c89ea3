#include "cli/op_tensors.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "cli/words.h"

namespace rowsmith::cli {

bool allows(const op_info::operand& o, dtype t) {
  return std::find(o.dtypes.begin(), o.dtypes.end(), t) != o.dtypes.end();
}

int place_of(std::string_view prefix, std::string_view role) {
  if (role.size() != prefix.size() + 1 || role.substr(0, prefix.size()) != prefix) return 0;
  return role.back() >= '1' && role.back() <= '9' ? role.back() - '0' : 0;
}

namespace {

using operand_info = op_info::operand;

// Operands that an expression needs.
bool is_named(const op_setup& s, const operand_info& o) {
  int arguments = 0, outputs = 1;
  for (const std::optional<expression>* e : {&s.pre, &s.post, &s.compute}) {
    if (*e) arguments = std::max(arguments, (*e)->argument_count());
  }
  if (s.compute) outputs = s.compute->output_count();
  const int in = place_of("in", o.role), out = place_of("out", o.role);
  return (in != 0 && in < arguments) || (out != 0 && out < outputs);
}

// Where nothing is said: what is as wide as a row, and all that comes out of an op without an output that has to be.
bool is_usual(const op_setup& s, const operand_info& o) {
  if (place_of("in", o.role) != 0 || place_of("out", o.role) != 0) return false;
  const bool all = std::none_of(s.op.operands.begin(), s.op.operands.end(), [](const operand_info& other) {
    return other.output && !other.optional && other.extent == "full";
  });
  return o.extent == "per_column" || (all && o.output);
}

bool is_there(const op_words& w, const op_setup& s, const operand_info& o) {
  if (!o.optional || is_named(s, o)) return true;
  if (w.with.empty()) return is_usual(s, o);
  return std::find(w.with.begin(), w.with.end(), o.role) != w.with.end();
}

shape without_reduced(const op_setup& s) {
  shape extents = s.shape;
  if (s.op.along != "nothing") {
    for (const int i : s.inner) extents[i] = 1;
  }
  return extents;
}

shape row_of(const op_setup& s) {
  shape extents;
  for (const int i : s.inner) extents.push_back(s.shape[i]);
  return extents;
}

shape dense_strides(const shape& extents) {
  shape strides(extents.size());
  std::int64_t step = 1;
  for (std::size_t i = extents.size(); i-- > 0;) strides[i] = step, step *= std::max<std::int64_t>(extents[i], 1);
  return strides;
}

tensor_setup tensor_of(const operand_info& o, const op_setup& s) {
  tensor_setup t;
  t.role = o.role;
  t.output = o.output;
  t.is_index = o.role == "index" || o.role == "index2";
  t.is_mask = o.role == "mask";
  const dtype usual = o.output && o.extent == "full" ? s.out : s.in;
  const bool flags = t.is_mask && s.setting("mask") != "additive_mask" && allows(o, dtype::b8);
  t.type = t.is_index && allows(o, dtype::i64) ? dtype::i64 : flags ? dtype::b8 : usual;
  if (!allows(o, t.type)) t.type = o.dtypes.front();
  t.extents = o.extent == "per_row" ? without_reduced(s) : o.extent == "per_column" ? row_of(s) : s.shape;
  return t;
}

tensor_setup& tensor_named(const std::string& argument, const std::string& role, op_setup* s) {
  for (tensor_setup& t : s->tensors) {
    if (t.role == role) return t;
  }
  std::vector<std::string_view> known;
  for (const tensor_setup& t : s->tensors) known.push_back(t.role);
  refuse("{}: found \"{}\", this call has {}", argument, role, fmt::join(known, ", "));
}

const operand_info& info_of(const op_info& op, const std::string& role) {
  return *std::find_if(op.operands.begin(), op.operands.end(), [&](const operand_info& o) { return o.role == role; });
}

// An index picks the rows of x, a second one those of the residual; where there is no x, those of the first output.
void make_tables(const op_words& w, op_setup* s) {
  s->table_rows = w.table_rows.empty() ? s->rows() : number_in<std::int64_t>("--table-rows", w.table_rows);
  if (s->table_rows < 0) refuse("--table-rows: found {}, 0 or more is allowed", s->table_rows);
  for (const auto& [index, table] : {std::pair{"index", "x"}, std::pair{"index2", "residual"}}) {
    if (s->find(index) == nullptr) continue;
    const std::string role = s->find(table) != nullptr ? table : s->main_output().role;
    tensor_setup& t = tensor_named("--with", role, s);
    t.rows_from = index;
    t.extents = row_of(*s);
    t.extents.insert(t.extents.begin(), s->table_rows);
  }
}

void permute(const std::string& text, op_setup* s) {
  tensor_setup& t = tensor_named("--permute", s->main_input().role, s);
  const std::vector<int> order = numbers_in("--permute", text);
  std::vector<int> sorted = order, all(t.extents.size());
  std::sort(sorted.begin(), sorted.end());
  std::iota(all.begin(), all.end(), 0);
  if (sorted != all) refuse("--permute: found \"{}\", each of the axes 0 to {} once is allowed", text, all.size() - 1);
  std::int64_t step = 1;
  for (std::size_t i = order.size(); i-- > 0;) {
    t.strides[order[i]] = step;
    step *= std::max<std::int64_t>(t.extents[order[i]], 1);
  }
}

std::string optional_roles(const op_info& op) {
  std::vector<std::string_view> roles;
  for (const op_info::operand& o : op.operands) {
    if (o.optional) roles.push_back(o.role);
  }
  return roles.empty() ? "it has none" : fmt::format("its own are {}", fmt::join(roles, ", "));
}

}  // namespace

void make_tensors(const op_words& w, op_setup* s) {
  for (const std::string& role : w.with) {
    const bool known = std::any_of(s->op.operands.begin(), s->op.operands.end(),
                                   [&](const operand_info& o) { return o.role == role && o.optional; });
    if (known && role == "causal") refuse("--with: causal has no memory, --causal OFFSET gives it");
    if (!known && role != "none") {
      refuse("--with: {} has no optional operand \"{}\", {}", s->op.name, role, optional_roles(s->op));
    }
  }
  for (const operand_info& o : s->op.operands) {
    if (o.extent != "number" && is_there(w, *s, o)) s->tensors.push_back(tensor_of(o, *s));
  }
  for (const std::string& text : w.dtype_of) {
    const auto [role, name] = name_and_value("--dtype-of", text);
    tensor_setup& t = tensor_named("--dtype-of", role, s);
    if (!parse(name, &t.type) || !allows(info_of(s->op, role), t.type)) {
      std::vector<std::string_view> known;
      for (const dtype one : info_of(s->op, role).dtypes) known.push_back(name_of(one));
      refuse("--dtype-of: found \"{}\", of {} {} are allowed", name, role, fmt::join(known, ", "));
    }
  }
  for (const std::string& text : w.shape_of) {
    const auto [role, extents] = name_and_value("--shape-of", text);
    tensor_setup& t = tensor_named("--shape-of", role, s);
    if (info_of(s->op, role).extent != "broadcast") refuse("--shape-of: {} does not broadcast", role);
    t.extents = need(parse_shape(extents));
  }
  make_tables(w, s);
  for (tensor_setup& t : s->tensors) t.strides = dense_strides(t.extents);
  if (!w.permute.empty()) permute(w.permute, s);
}

}  // namespace rowsmith::cli
