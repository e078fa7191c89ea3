// setup_of: words as a call. What is refused on the way is thrown, and leaves as a status.
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "cli/expression_parser.h"
#include "cli/number.h"
#include "cli/op_setup.h"
#include "cli/op_tensors.h"
#include "cli/words.h"

namespace rowsmith::cli {

namespace {

op_info op_named(const std::string& name) {
  std::vector<std::string_view> known;
  for (op_info& op : known_ops()) {
    if (op.name == name) return std::move(op);
    known.push_back(op.name);
  }
  refuse("OP: found \"{}\", {} {} allowed", name, fmt::join(known, ", "), known.size() == 1 ? "is" : "are");
}

dtype dtype_for(const std::string& argument, const std::string& text, const op_info::operand& o) {
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

// "its own are eps, scale", or that it has none.
template <class Named>
std::string names_of(const std::vector<Named>& all) {
  std::vector<std::string_view> names;
  for (const Named& one : all) names.push_back(one.name);
  return names.empty() ? "it has none" : fmt::format("its own are {}", fmt::join(names, ", "));
}

void add_setting(const std::string& argument, const std::string& name, const std::string& said, op_setup* s) {
  for (const op_info::setting& known : s->op.settings) {
    if (known.name != name) continue;
    for (const std::string_view choice : known.choices) {
      if (!choice.empty() && means(said, choice)) return s->settings.emplace_back(name, choice), void();
    }
    refuse("{}: found \"{}\", {} are allowed", argument, said, fmt::join(known.choices, ", "));
  }
  refuse("{}: {} has no setting \"{}\", {}", argument, s->op.name, name, names_of(s->op.settings));
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
    if (known == s->op.scalars.end()) {
      refuse("--scalar: {} has no scalar \"{}\", {}", s->op.name, name, names_of(s->op.scalars));
    }
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

}  // namespace

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

}  // namespace rowsmith::cli
