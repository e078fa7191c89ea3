#include "property/trial.h"

#include <algorithm>
#include <numeric>
#include <sstream>

#include "support/element.h"

namespace rowsmith::test {

namespace {

dims extents_of(const operand_layout& o, const space& over, std::int64_t table_rows) {
  dims shape;
  for (const int a : o.axes) {
    shape.push_back(a == stands_for_nothing      ? 1
                    : a == stands_for_table_rows ? table_rows
                                                 : over.shape[static_cast<std::size_t>(a)]);
  }
  return shape;
}

// Every element of a table, or of what repeats, in one row.
walk in_one_row(std::size_t count, std::size_t rows) {
  walk w{std::vector<std::size_t>(rows), std::vector<std::size_t>(rows == 0 ? 0 : count / rows)};
  for (std::size_t r = 0; r < rows; ++r) w.row[r] = r * w.column.size();
  std::iota(w.column.begin(), w.column.end(), std::size_t{0});
  return w;
}

}  // namespace

std::vector<float> decoded(const std::vector<unsigned char>& bits, dtype t) {
  std::vector<float> values;
  values.reserve(bits.size() / size_of(t));
  for (std::size_t at = 0; at < bits.size(); at += size_of(t)) values.push_back(get(&bits[at], t));
  return values;
}

trial::trial(const kernel& k, const layout& l, device where, dice& d)
    : kernel_(k), over_(l.over), axis_(l.axis), layouts_(l.operands) {
  if (l.growing >= 0) over_.shape[static_cast<std::size_t>(l.growing)] = d.one_in(60) ? 0 : d.from_to(l.least, l.most);
  table_rows = d.one_in(40) ? 0 : d.from_to(1, l.most_table_rows);
  draw_scalars(d);
  held_.resize(k.operands.size());
  for (std::size_t i = 0; i < held_.size(); ++i) held_[i].shape = extents_of(layouts_[i], over_, table_rows);
  for (const auto& [out, in] : k.in_place) held_[in].overwritten = true;
  for (std::size_t i = 0; i < held_.size(); ++i) make(i, l, where, d);
  for (const auto& [out, in] : k.in_place) held_[out].memory = held_[in].memory;
}

void trial::draw_scalars(dice& d) {
  if (kernel_.scaled) scale = d.of({0.125f, -2.0f, 1e14f, 0.0f, static_cast<float>(d.between(-3, 3)), 0.08838835f});
  if (kernel_.kind == family::norm || kernel_.kind == family::norm_backward) {
    epsilon = d.of({1e-5f, 1e-5f, 1e-6f, 1e-12f, 1e-3f, 1.0f, 1e-20f});
  }
  const auto width = static_cast<std::int64_t>(over_.width());
  if (kernel_.causal) causal_offset = d.one_in(10) ? d.sign() * 1e18 : d.from_to(-width - 2, width + 2);
  for (float& p : params) p = static_cast<float>(d.one_in(4) ? d.from_to(-1, 1) : d.between(-3, 3));
}

void trial::make(std::size_t i, const layout&, device where, dice& d) {
  const kernel_operand& o = kernel_.operands[i];
  held& h = held_[i];
  h.is_input = !o.output;
  const bool is_another =
      std::any_of(kernel_.in_place.begin(), kernel_.in_place.end(), [&](const auto& both) { return both.first == i; });
  if (is_another) return;
  placement at;
  at.tight = d.one_in(2) ? edge::begin : edge::end;
  at.phase = layouts_[i].phase;
  const unsigned char poison = h.is_input && !h.overwritten ? input_poison : output_poison;
  h.memory = std::make_shared<tensor>(where, o.type, h.shape, layouts_[i].stride, at, poison);
  if (h.is_input && count(h.shape) != 0) fill(i, layouts_[i], d);
  h.memory->fetch();
  h.bits = h.memory->bits();
}

void trial::fill(std::size_t i, const operand_layout& lies, dice& d) {
  const kernel_operand& o = kernel_.operands[i];
  held& h = held_[i];
  const auto n = static_cast<std::size_t>(count(h.shape));
  if (o.type == dtype::i32 || o.type == dtype::i64) {
    if (o.values != profile::bytes) return h.memory->write_whole(draw_index(n, table_rows, o.type, d));
    return h.memory->write_bits(draw_bytes(n * size_of(o.type), d));
  }
  if (o.values == profile::bytes && o.type != dtype::b8)
    return h.memory->write_bits(draw_bytes(n * size_of(o.type), d));
  const bool whole = o.shape == extent::full && over_.reduced != 0;
  const walk rows = whole                      ? walk_of(over_, lies.axes, h.shape)
                    : o.shape == extent::table ? in_one_row(n, static_cast<std::size_t>(table_rows))
                                               : in_one_row(n, 1);
  h.memory->write(draw_values(o.values, o.type, rows, n, d));
}

tensor_view trial::view(std::size_t i) const {
  tensor_view v = held_[i].memory->view();
  v.dtype = kernel_.operands[i].type;
  return v;
}

op_call trial::call(const alteration& wrong) const {
  op_call c(kernel_.op);
  for (const auto& [name, value] : kernel_.settings) c.set(name, value);
  constexpr std::string_view brought[] = {"in1", "in2", "in3"};
  fusion f;
  if (kernel_.pre) f.pre(*kernel_.pre);
  if (kernel_.post) f.post(*kernel_.post);
  for (std::size_t i = 0; i < held_.size(); ++i) {
    const std::string& role = kernel_.operands[i].role;
    if (wrong.left_out == static_cast<int>(i)) continue;
    const tensor_view shown = wrong.changed == static_cast<int>(i) ? wrong.view : view(i);
    if (kernel_.fused() && std::find(std::begin(brought), std::end(brought), role) != std::end(brought)) {
      f.with(shown);
    } else {
      c.operand(role, shown);
    }
  }
  for (std::size_t i = 0; i < held_.size(); ++i) {
    if (kernel_.operands[i].shape != extent::table || wrong.left_out == static_cast<int>(i)) continue;
    c.rows(kernel_.operands[i].role, kernel_.operands[i].role == "residual" ? "index2" : "index");
  }
  if (wrong.before) f.pre(*wrong.before);
  if (kernel_.fused() || wrong.before) {
    for (int p = 0; p < 4; ++p) f.param(p, params[p]);
    c.fuse(f);
  }
  if (kernel_.compute) {
    c.compute(*kernel_.compute);
    for (int p = 0; p < 4; ++p) c.param(p, params[p]);
  }
  if (over_.reduced != 0) c.axis(wrong.axis.value_or(axis_));
  if (kernel_.causal) c.causal(causal_offset);
  if (kernel_.scaled) c.scalar("scale", scale);
  if (kernel_.kind == family::norm || kernel_.kind == family::norm_backward)
    c.scalar("eps", wrong.epsilon.value_or(epsilon));
  return c;
}

std::string trial::fetch() {
  for (std::size_t i = 0; i < held_.size(); ++i) held_[i].memory->fetch();
  for (std::size_t i = 0; i < held_.size(); ++i) {
    const bool stays = held_[i].is_input && !held_[i].overwritten;
    const auto ok = stays ? held_[i].memory->unchanged() : held_[i].memory->only_elements_changed();
    if (!ok) return kernel_.operands[i].role + ": " + ok.message();
  }
  return "";
}

std::string trial::nothing_written() {
  for (std::size_t i = 0; i < held_.size(); ++i) {
    held_[i].memory->fetch();
    if (const auto ok = held_[i].memory->unchanged(); !ok) return kernel_.operands[i].role + ": " + ok.message();
  }
  return "";
}

std::size_t trial::place(std::string_view role) const {
  std::size_t i = 0;
  while (kernel_.operands[i].role != role) ++i;
  return i;
}

std::vector<float> trial::given(std::string_view role) const { return decoded(held_[place(role)].bits, type_of(role)); }

std::vector<std::int64_t> trial::numbers(std::string_view role) const {
  const std::vector<unsigned char>& bits = held_[place(role)].bits;
  const dtype t = type_of(role);
  std::vector<std::int64_t> all;
  for (std::size_t at = 0; at < bits.size(); at += size_of(t)) {
    all.push_back(t == dtype::i64 ? reference::bits_at<std::int64_t>(&bits[at])
                                  : reference::bits_at<std::int32_t>(&bits[at]));
  }
  return all;
}

std::vector<unsigned char> trial::given_bits(std::string_view role) const { return held_[place(role)].bits; }
std::vector<unsigned char> trial::result_bits(std::string_view role) const { return held_[place(role)].memory->bits(); }
std::vector<float> trial::result(std::string_view role) const { return decoded(result_bits(role), type_of(role)); }

walk trial::where(std::string_view role) const {
  const std::size_t i = place(role);
  return walk_of(over_, layouts_[i].axes, held_[i].shape);
}

std::string trial::to_string() const {
  std::ostringstream s;
  s << kernel_.to_string() << " axis " << axis_ << ";";
  for (std::size_t i = 0; i < held_.size(); ++i) {
    s << " " << kernel_.operands[i].role << ":" << name_of(kernel_.operands[i].type) << "[";
    for (std::size_t a = 0; a < held_[i].shape.size(); ++a) {
      s << (a == 0 ? "" : " ") << held_[i].shape[a] << "/" << layouts_[i].stride[a];
    }
    s << "]";
    if (layouts_[i].phase != 0) s << "+" << layouts_[i].phase;
  }
  if (kernel_.scaled) s << " scale " << scale;
  if (kernel_.causal) s << " offset " << causal_offset;
  if (kernel_.kind == family::norm || kernel_.kind == family::norm_backward) s << " eps " << epsilon;
  if (kernel_.fused() || kernel_.compute)
    s << " params " << params[0] << " " << params[1] << " " << params[2] << " " << params[3];
  return s.str();
}

}  // namespace rowsmith::test
