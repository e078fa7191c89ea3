#include "cli/op_setup.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <numeric>

#include "cli/expression_parser.h"
#include "cli/number.h"

namespace rowsmith::cli {

namespace {

using operand_info = op_info::operand;

// What a word is refused with; nothing of it leaves setup_of.
struct refusal {
  std::string text;
};

template <class... A>
[[noreturn]] void refuse(fmt::format_string<A...> format, A&&... values) {
  throw refusal{fmt::format(format, std::forward<A>(values)...)};
}

template <class T>
T need(result<T> r) {
  if (!r) throw refusal{r.status().message()};
  return std::move(*r);
}

template <class T>
T number_in(std::string_view argument, std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) {
    refuse("{}: found \"{}\", a number is allowed", argument, text);
  }
  return value;
}

std::vector<int> numbers_in(std::string_view argument, std::string_view text) {
  std::vector<int> all;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    all.push_back(number_in<int>(argument, text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return all;
}

std::pair<std::string, std::string> name_and_value(std::string_view argument, const std::string& text) {
  const std::size_t at = text.find('=');
  if (at == std::string::npos) refuse("{}: found \"{}\", NAME=VALUE is allowed", argument, text);
  return {text.substr(0, at), text.substr(at + 1)};
}

op_info op_named(const std::string& name) {
  std::vector<std::string_view> known;
  for (op_info& op : known_ops()) {
    if (op.name == name) return std::move(op);
    known.push_back(op.name);
  }
  refuse("OP: found \"{}\", {} {} allowed", name, fmt::join(known, ", "), known.size() == 1 ? "is" : "are");
}

bool allows(const operand_info& o, dtype t) { return std::find(o.dtypes.begin(), o.dtypes.end(), t) != o.dtypes.end(); }

dtype dtype_for(const std::string& argument, const std::string& text, const operand_info& o) {
  dtype t;
  if (parse(text, &t) && (is_float(t) || allows(o, t))) return t;
  return need(parse_float(argument, text));
}

// The axes of a row and what the op is told of them.
void place_axes(const std::string& text, op_setup* s) {
  const int rank = static_cast<int>(s->shape.size());
  const auto from_front = [&](int axis) {
    if (axis < -rank || axis >= rank) refuse("--axis: found {}, allowed is {} to {}", axis, -rank, rank - 1);
    return axis < 0 ? axis + rank : axis;
  };
  if (s->op.along == "axis") {
    s->axis = text.empty() ? -1 : number_in<int>("--axis", text);
    s->inner = {from_front(s->axis)};
  } else if (s->op.along == "trailing") {
    s->axis = text.empty() ? 1 : number_in<int>("--axis", text);
    if (s->axis < 1 || s->axis > rank)
      refuse("--axis: found {}, {} trailing axes, 1 to {} are allowed", text, s->axis, rank);
    for (int i = rank - s->axis; i < rank; ++i) s->inner.push_back(i);
  } else if (s->op.along == "set") {
    unsigned mask = 0;
    for (const int axis : text.empty() ? std::vector<int>{-1} : numbers_in("--axis", text))
      mask |= 1u << from_front(axis);
    s->axis = static_cast<int>(mask);
    for (int i = 0; i < rank; ++i) {
      if ((mask >> i & 1) != 0) s->inner.push_back(i);
    }
  } else {
    if (!text.empty()) refuse("--axis: found {}, {} runs along none", text, s->op.name);
    s->axis = 0;
    s->inner = {rank - 1};
  }
}

// "keep" is "keep_mask".
bool means(std::string_view said, std::string_view choice) {
  const std::string tail = "_" + std::string(said), head = std::string(said) + "_";
  return said == choice || choice.substr(0, head.size()) == head ||
         (choice.size() > tail.size() && choice.substr(choice.size() - tail.size()) == tail);
}

void add_setting(const std::string& argument, const std::string& name, const std::string& said, op_setup* s) {
  for (const op_info::setting& known : s->op.settings) {
    if (known.name != name) continue;
    for (const std::string_view choice : known.choices) {
      if (!choice.empty() && means(said, choice)) return s->settings.emplace_back(name, choice), void();
    }
    refuse("{}: found \"{}\", {} are allowed", argument, said, fmt::join(known.choices, ", "));
  }
  refuse("{}: {} has no setting \"{}\"", argument, s->op.name, name);
}

void read_settings(const op_words& w, op_setup* s) {
  if (need(parse_exp(w.exp)) != exp_mode::by_output) add_setting("--exp", "exp", w.exp, s);
  for (const std::string& text : w.set) {
    const auto [name, choice] = name_and_value("--set", text);
    add_setting("--set", name, choice, s);
  }
  for (const std::string& text : w.scalars) {
    const auto [name, value] = name_and_value("--scalar", text);
    const auto known = std::find_if(s->op.scalars.begin(), s->op.scalars.end(),
                                    [&, n = name](const op_info::scalar& one) { return one.name == n; });
    if (known == s->op.scalars.end()) refuse("--scalar: {} has no scalar \"{}\"", s->op.name, name);
    s->scalars.emplace_back(name, number_in<float>("--scalar", value));
  }
  for (const std::string& text : w.params) {
    const auto [name, value] = name_and_value("--param", text);
    if (name.size() != 2 || name[0] != 'p' || name[1] < '0' || name[1] > '3') {
      refuse("--param: found \"{}\", p0 to p3 are allowed", name);
    }
    s->params[name[1] - '0'] = number_in<float>("--param", value);
  }
  constexpr std::string_view modes[] = {"auto", "exact", "any"};
  const auto mode = std::find(std::begin(modes), std::end(modes), w.width);
  if (mode == std::end(modes)) refuse("--width: found \"{}\", auto, exact and any are allowed", w.width);
  s->width = static_cast<width_mode>(mode - std::begin(modes));
  s->batch_invariant = w.batch_invariant;
  if (!w.causal.empty()) s->causal = number_in<std::int64_t>("--causal", w.causal);
}

void read_expressions(const op_words& w, op_setup* s) {
  const bool computes = s->op.along == "nothing" && find_if(s->op.operands.begin(), s->op.operands.end(), [](auto& o) {
                                                      return o.role == "out1";
                                                    }) != s->op.operands.end();
  if (computes && w.expr.empty()) refuse("--expr: is missing, {} computes an expression", s->op.name);
  if (!computes && !w.expr.empty()) refuse("--expr: {} computes none; --pre and --post are a row op's", s->op.name);
  if (computes) s->compute = need(parse_expression("--expr", w.expr));
  if (!w.pre.empty()) s->pre = need(parse_expression("--pre", w.pre));
  if (!w.post.empty()) s->post = need(parse_expression("--post", w.post));
}

// The k of ink and outk; 0 for other roles.
int place_of(std::string_view prefix, std::string_view role) {
  if (role.size() != prefix.size() + 1 || role.substr(0, prefix.size()) != prefix) return 0;
  return role.back() >= '1' && role.back() <= '9' ? role.back() - '0' : 0;
}

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

void make_tensors(const op_words& w, op_setup* s) {
  for (const std::string& role : w.with) {
    const bool known = std::any_of(s->op.operands.begin(), s->op.operands.end(),
                                   [&](const operand_info& o) { return o.role == role && o.optional; });
    if (known && role == "causal") refuse("--with: causal has no memory, --causal OFFSET gives it");
    if (!known && role != "none") refuse("--with: {} has no optional operand \"{}\"", s->op.name, role);
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

}  // namespace

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

result<op_setup> setup_of(const op_words& w) try {
  op_setup s;
  s.op = op_named(w.op);
  s.shape = need(parse_shape(w.shape));
  s.in = dtype_for("--dtype", w.type, s.op.operands.front());
  s.out = dtype_for("--out-dtype", w.out_type.empty() ? w.type : w.out_type, s.op.operands.front());
  place_axes(w.axis, &s);
  read_settings(w, &s);
  read_expressions(w, &s);
  make_tensors(w, &s);
  return s;
} catch (const refusal& r) {
  return status(code::invalid_argument, r.text);
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
