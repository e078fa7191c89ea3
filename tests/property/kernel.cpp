#include "property/kernel.h"

#include <algorithm>
#include <sstream>

#include "property/expressions.h"

namespace rowsmith::test {

namespace {

constexpr std::int64_t widest = 100'000;

bool is_prime(std::int64_t n) {
  for (std::int64_t i = 2; i * i <= n; ++i) {
    if (n % i == 0) return false;
  }
  return n > 1;
}

// 0, 1, primes, 2^k and its neighbours, multiples of 8, anything, up to 10^5; small ones more often, for their sake and
// because they are cheap.
std::int64_t draw_width(dice& d) {
  if (d.one_in(50)) return 0;
  if (d.one_in(25)) return 1;
  const std::int64_t most = d.of<std::int64_t>({256, 256, 256, 4096, 4096, 4096, widest});
  const std::int64_t near = d.magnitude(2, most);
  switch (d.from_to(0, 4)) {
    case 0: {
      std::int64_t prime = near;
      while (!is_prime(prime)) --prime;
      return prime;
    }
    case 1: {
      std::int64_t power = 2;
      while (power * 2 <= near) power *= 2;
      return power + d.from_to(-1, 1);
    }
    case 2:
      return std::min((near + 7) / 8 * 8, widest);
    default:
      return near;
  }
}

dtype draw_float(dice& d) { return d.of({dtype::f16, dtype::bf16, dtype::f32}); }
// Mostly that of another operand.
dtype like(dtype other, dice& d) { return d.percent(65) ? other : draw_float(d); }

class maker {
 public:
  explicit maker(dice& d) : d_(d) {}

  kernel softmax(bool log) {
    k_.op = log ? "log_softmax" : "softmax", k_.kind = family::softmax, k_.log = log;
    const dtype x = draw_float(d_), y = like(x, d_);
    const bool indexed = d_.one_in(8);
    fuse(3);
    add("x", x, indexed ? extent::table : extent::full);
    const int form = d_.one_in(2) ? static_cast<int>(d_.from_to(1, 3)) : 0;
    if (form != 0) {
      const bool additive = form == 3;
      set("mask", form == 1 ? "keep" : form == 2 ? "drop" : "additive");
      const dtype t = additive || d_.one_in(3) ? draw_float(d_) : dtype::b8;
      add("mask", t, extent::broadcast, false, additive ? profile::additive : profile::truth);
    }
    if (d_.one_in(4)) add("bias", draw_float(d_), extent::broadcast);
    add("y", y, extent::full, true);
    if (d_.one_in(2)) add("lse", dtype::f32, extent::per_row, true);
    if (indexed) add_index("index");
    add_arguments();
    k_.causal = d_.one_in(5);
    k_.masked = d_.one_in(2);
    k_.scaled = d_.one_in(3);
    k_.accurate = y == dtype::f32;
    if (d_.one_in(4)) k_.accurate = d_.one_in(2), set("exp", k_.accurate ? "accurate" : "fast");
    set("mode", k_.masked ? "masked" : "plain");
    k_.outer_axes = static_cast<int>(d_.from_to(k_.causal ? 1 : 0, 3));
    if (!indexed) maybe_in_place("y", {"x"});
    return finish(1);
  }

  kernel softmax_backward(bool log) {
    k_.op = log ? "log_softmax_backward" : "softmax_backward", k_.kind = family::softmax_backward, k_.log = log;
    const dtype y = draw_float(d_), dx = like(y, d_);
    add("y", y, extent::full, false, log ? profile::log_probability : profile::probability);
    add("dy", like(y, d_), extent::full, false, profile::tame);
    add("dx", dx, extent::full, true);
    k_.masked = d_.one_in(2);
    k_.scaled = d_.one_in(3);
    set("mode", k_.masked ? "masked" : "plain");
    k_.accurate = dx == dtype::f32;
    fuse(1, !log);  // what stands before log_softmax_backward would make no log-probability of y
    add_arguments();
    k_.outer_axes = static_cast<int>(d_.from_to(0, 3));
    maybe_in_place("dx", {"y", "dy"});
    return finish(1);
  }

  kernel norm(bool centered, bool adds) {
    k_.op = std::string(adds ? "add_" : "") + (centered ? "layer_norm" : "rms_norm");
    k_.kind = family::norm, k_.centered = centered;
    const dtype x = draw_float(d_), y = like(x, d_);
    const bool indexed = d_.one_in(6), residual_indexed = adds && !indexed && d_.one_in(8);
    fuse(adds ? 2 : 3);
    add("x", x, indexed ? extent::table : extent::full, false, profile::squares);
    if (adds) {
      k_.residual_last = d_.one_in(3);
      add("residual", like(x, d_), residual_indexed ? extent::table : extent::full, false, profile::squares);
      set("residual", k_.residual_last ? "residual_last" : "residual_first");
      k_.fp32_residual = d_.one_in(3);
      set("round_residual", k_.fp32_residual ? "keep_residual" : "round_residual");
    }
    if (d_.percent(70)) add("weight", like(x, d_), extent::per_column, false, profile::weight);
    if (d_.percent(40)) add("bias", like(x, d_), extent::per_column, false, profile::weight);
    add("y", y, extent::full, true);
    if (adds && !k_.residual_last && d_.percent(60)) add("sum", like(x, d_), extent::full, true);
    if (centered && d_.one_in(3)) add("mean", draw_float(d_), extent::per_row, true);
    if (d_.one_in(3)) add("rstd", draw_float(d_), extent::per_row, true);
    if (indexed) add_index("index");
    if (residual_indexed) add_index("index2");
    add_arguments();
    weights();
    k_.cast_before = d_.one_in(4);
    set("cast", k_.cast_before ? "cast_before_weight" : "cast_last");
    k_.outer_axes = static_cast<int>(d_.from_to(0, 3));
    maybe_in_place("y", {"x", "residual"});
    maybe_in_place("sum", {"residual", "x"});
    return finish(d_.one_in(4) ? 2 : 1);
  }

  kernel norm_backward(bool centered) {
    k_.op = centered ? "layer_norm_backward" : "rms_norm_backward";
    k_.kind = family::norm_backward, k_.centered = centered;
    const dtype x = draw_float(d_);
    add("x", x, extent::full, false, profile::tame);
    add("dy", like(x, d_), extent::full, false, profile::tame);
    if (d_.percent(70)) add("weight", like(x, d_), extent::per_column, false, profile::weight);
    const bool dweight = d_.one_in(2), dbias = d_.one_in(2);
    if (d_.percent(80) || !(dweight || dbias)) add("dx", like(x, d_), extent::full, true);
    if (dweight) add("dweight", like(dtype::f32, d_), extent::per_column, true);
    if (dbias) add("dbias", like(dtype::f32, d_), extent::per_column, true);
    if (d_.one_in(4)) add("sum", like(x, d_), extent::full, false, profile::tame);
    if (!(dweight || dbias)) fuse(0, true, false);
    weights();
    k_.outer_axes = static_cast<int>(d_.from_to(0, 3));
    maybe_in_place("dx", {"x", "dy", "sum"});
    return finish(d_.one_in(5) ? 2 : 1);
  }

  kernel moments() {
    k_.op = "moments", k_.kind = family::moments;
    add("x", draw_float(d_), extent::full, false, profile::squares);
    add("mean", draw_float(d_), extent::per_row, true);
    if (d_.percent(80)) add("variance", draw_float(d_), extent::per_row, true);
    fuse(1, true, false);
    add_arguments();
    k_.outer_axes = static_cast<int>(d_.from_to(0, 2));
    return finish(static_cast<int>(d_.from_to(1, 3)));
  }

  kernel gather() {
    k_.op = "gather_rows", k_.kind = family::gather;
    const dtype x = draw_float(d_);
    add("x", x, extent::table);
    add("y", like(x, d_), extent::full, true);
    add_index("index");
    k_.outer_axes = static_cast<int>(d_.from_to(1, 2));
    return finish(d_.one_in(4) ? 2 : 1);
  }

  kernel gather_backward() {
    k_.op = "gather_rows_backward", k_.kind = family::gather_backward;
    const dtype dy = draw_float(d_);
    add("dy", dy, extent::full, false, profile::tame);
    add("dx", like(dy, d_), extent::table, true);
    add_index("index");
    k_.outer_axes = static_cast<int>(d_.from_to(1, 2));
    return finish(d_.one_in(4) ? 2 : 1);
  }

  kernel copy() {
    k_.op = "copy", k_.kind = family::copy;
    const bool moves = d_.one_in(4);
    const dtype x = moves ? d_.of({dtype::b8, dtype::i32, dtype::i64}) : draw_float(d_);
    add("x", x, extent::broadcast, false, profile::bytes);
    add("y", moves ? x : like(x, d_), extent::full, true);
    k_.outer_axes = static_cast<int>(d_.from_to(0, 3));
    maybe_in_place("y", {"x"});
    return finish(1);
  }

  kernel elementwise() {
    k_.op = "elementwise", k_.kind = family::elementwise;
    const int inputs = static_cast<int>(d_.magnitude(1, 5)),
              outputs = d_.one_in(4) ? static_cast<int>(d_.from_to(2, 4)) : 1;
    k_.compute = draw_computation(inputs, outputs, d_);
    const dtype usual = draw_float(d_);
    constexpr const char* in[] = {"x", "in1", "in2", "in3", "in4", "in5", "in6", "in7"};
    constexpr const char* out[] = {"y", "out1", "out2", "out3"};
    for (int i = 0; i < inputs; ++i) add(in[i], d_.one_in(8) ? dtype::b8 : like(usual, d_), extent::broadcast);
    for (int i = 0; i < outputs; ++i) add(out[i], like(usual, d_), extent::full, true);
    k_.outer_axes = static_cast<int>(d_.from_to(0, 3));
    maybe_in_place("y", {"x", "in1"});
    return finish(1);
  }

 private:
  void add(std::string role, dtype type, extent shape, bool output = false, profile values = profile::anything) {
    k_.operands.push_back({std::move(role), type, shape, output, values});
  }
  void add_index(std::string role) { add(std::move(role), d_.of({dtype::i32, dtype::i64}), extent::per_row); }
  void set(std::string name, std::string value) { k_.settings.emplace_back(std::move(name), std::move(value)); }

  // Expressions around the op, with up to `most` arguments beside its own.
  void fuse(int most, bool may_pre = true, bool may_post = true) {
    if (!d_.one_in(6) || !(may_pre || may_post)) return;
    const bool pre = may_pre && (d_.one_in(2) || !may_post), post = may_post && (!pre || d_.one_in(2));
    more_ = static_cast<int>(d_.from_to(0, most));
    if (pre) k_.pre = draw_before(more_, d_);
    if (post) k_.post = draw_behind(more_, d_);
    unsigned named = 0;
    for (const auto& e : {k_.pre, k_.post}) named |= e ? e->arguments_of(0) : 0;
    // An argument that no expression names would be refused.
    while (more_ > 0 && (named >> more_ & 1) == 0) --more_;
    for (int i = 1; i <= more_; ++i) {
      if ((named >> i & 1) == 0) k_.pre.reset(), k_.post.reset(), more_ = 0;
    }
  }
  void add_arguments() {
    constexpr const char* in[] = {"in1", "in2", "in3"};
    for (int i = 0; i < more_; ++i) add(in[i], draw_float(d_), extent::broadcast, false, profile::weight);
  }

  void weights() {
    k_.one_plus = k_.has("weight") && d_.one_in(4);
    set("weight", k_.one_plus ? "one_plus_weight" : "weight_alone");
    if (!k_.has("weight")) k_.settings.pop_back();
  }

  // `out` becomes the first of `inputs` that fits.
  void maybe_in_place(std::string_view out, std::initializer_list<std::string_view> inputs) {
    const auto place = [&](std::string_view role) {
      std::size_t i = 0;
      while (i < k_.operands.size() && k_.operands[i].role != role) ++i;
      return i;
    };
    const std::size_t o = place(out);
    if (o == k_.operands.size() || !d_.one_in(4)) return;
    for (const std::string_view name : inputs) {
      const std::size_t i = place(name);
      if (i == k_.operands.size() || size_of(k_.operands[i].type) != size_of(k_.operands[o].type)) continue;
      if (k_.operands[i].shape == extent::table || k_.operands[i].type == dtype::b8) continue;
      const bool taken = std::any_of(k_.in_place.begin(), k_.in_place.end(), [&](auto& p) { return p.second == i; });
      if (taken) continue;
      k_.in_place.emplace_back(o, i);
      return;
    }
  }

  kernel finish(int row_axes) {
    std::int64_t width = draw_width(d_);
    for (; row_axes > 1; --row_axes) {
      const std::int64_t n = d_.from_to(1, 5);
      k_.row_extents.push_back(n);
      width = (width + n - 1) / n;
    }
    k_.row_extents.push_back(width);
    std::swap(k_.row_extents.front(),
              k_.row_extents[static_cast<std::size_t>(d_.from_to(0, std::ssize(k_.row_extents) - 1))]);
    k_.one_row = d_.one_in(10);
    k_.large = d_.one_in(15);
    return std::move(k_);
  }

  dice& d_;
  kernel k_;
  int more_ = 0;
};

}  // namespace

kernel draw_kernel(dice& d) {
  maker m(d);
  switch (d.from_to(0, 29)) {
    case 0:
    case 1:
    case 2:
    case 3:
      return m.softmax(false);
    case 4:
    case 5:
    case 6:
      return m.softmax(true);
    case 7:
    case 8:
      return m.softmax_backward(false);
    case 9:
    case 10:
      return m.softmax_backward(true);
    case 11:
    case 12:
    case 13:
      return m.norm(true, false);
    case 14:
    case 15:
      return m.norm(false, false);
    case 16:
    case 17:
      return m.norm(true, true);
    case 18:
    case 19:
      return m.norm(false, true);
    case 20:
    case 21:
      return m.norm_backward(true);
    case 22:
      return m.norm_backward(false);
    case 23:
    case 24:
      return m.moments();
    case 25:
      return m.gather();
    case 26:
      return m.gather_backward();
    case 27:
      return m.copy();
    default:
      return m.elementwise();
  }
}

const kernel_operand* kernel::find(std::string_view role) const {
  for (const kernel_operand& o : operands) {
    if (o.role == role) return &o;
  }
  return nullptr;
}

std::string kernel::setting(std::string_view name) const {
  for (const auto& [key, value] : settings) {
    if (key == name) return value;
  }
  return "";
}

std::string kernel::to_string() const {
  std::ostringstream s;
  s << op;
  for (const auto& [name, value] : settings) s << " " << name << "=" << value;
  if (scaled) s << " scaled";
  if (causal) s << " causal";
  if (pre) s << " pre(" << pre->to_string() << ")";
  if (post) s << " post(" << post->to_string() << ")";
  if (compute) s << " (" << compute->to_string() << ")";
  for (const auto& [out, in] : in_place) s << " " << operands[out].role << "=" << operands[in].role;
  return s.str();
}

}  // namespace rowsmith::test
