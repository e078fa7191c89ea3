#include "support/elementwise_check.h"

#include <memory>
#include <random>
#include <sstream>

#include "rowsmith/explain.h"
#include "support/expression_reference.h"
#include "support/values.h"

namespace rowsmith::test {

namespace {

std::string text(const operand_call& o) {
  std::ostringstream s;
  s << " " << name_of(o.type) << "[";
  for (const std::int64_t n : o.shape) s << n << " ";
  s << "| ";
  for (const std::int64_t n : o.stride) s << n << " ";
  s << "]@" << o.at.phase;
  return s.str();
}

std::string text(const elementwise_call& c, const expression& e) {
  std::string all = e.to_string() + ";";
  for (const operand_call& o : c.inputs) all += text(o);
  all += " ->";
  for (const operand_call& o : c.results) all += text(o);
  return all;
}

// Which element of a tensor of `shape` stands for element `i` of `over`.
std::size_t element_for(const dims& shape, const dims& over, std::int64_t i) {
  std::int64_t at = 0, step = 1;
  for (std::size_t back = 1; back <= over.size(); ++back) {
    const std::int64_t index = i % over[over.size() - back];
    i /= over[over.size() - back];
    if (back > shape.size()) continue;
    const std::int64_t extent = shape[shape.size() - back];
    if (extent != 1) at += index * step;
    step *= extent;
  }
  return static_cast<std::size_t>(at);
}

void compare(const elementwise_call& c, const expression& e, const std::vector<std::vector<float>>& in,
             const std::vector<std::vector<float>>& out) {
  const dims& over = c.results[0].shape;
  std::vector<double> args(in.size());
  const std::vector<double> params(std::begin(c.options.params), std::end(c.options.params));
  unsigned read = 0;  // bit k: some output looks at input k; others have any shape
  for (int n = 0; n < e.output_count(); ++n) read |= e.arguments_of(n);
  int failures = 0;
  for (std::int64_t i = 0; i < count(over) && failures < 3; ++i) {
    for (std::size_t k = 0; k < in.size(); ++k) {
      if ((read >> k & 1) != 0) args[k] = in[k][element_for(c.inputs[k].shape, over, i)];
    }
    const std::vector<bounded> want = evaluate(e, args, params);
    for (std::size_t n = 0; n < want.size(); ++n) {
      const dtype type = c.results[n].type;
      const auto ok =
          agrees(type == dtype::f32 ? want[n] : of_cast(want[n], type), out[n][static_cast<std::size_t>(i)]);
      EXPECT_TRUE(ok) << "output " << n << " at " << i << "; " << text(c, e);
      failures += !ok;
    }
  }
}

}  // namespace

void expect_kernel_under_test(std::uint64_t misses) {
  if (counters().calls_missed == misses) return;
  const call_trace trace = last_cold_call();
  EXPECT_EQ(is_fallback(trace), under_test().scalar) << trace.strategy << " from " << trace.source;
}

std::vector<std::vector<float>> check_elementwise(const elementwise_call& c) {
  const device where = under_test().where;
  const result<expression> e = expression::make(c.outputs.data(), c.outputs.size());
  EXPECT_TRUE(e.ok()) << e.status().to_string();
  std::vector<std::unique_ptr<tensor>> in, own;
  std::vector<tensor*> out;
  std::vector<bool> stays(c.inputs.size(), true);
  for (const operand_call& o : c.results) {
    if (o.in_place >= 0) stays[static_cast<std::size_t>(o.in_place)] = false;
  }
  for (std::size_t k = 0; k < c.inputs.size(); ++k) {
    const operand_call& o = c.inputs[k];
    in.push_back(
        std::make_unique<tensor>(where, o.type, o.shape, o.stride, o.at, stays[k] ? input_poison : output_poison));
    in.back()->write(o.values.empty() ? normal(std::max<std::int64_t>(count(o.shape), 1), 1, static_cast<unsigned>(k))
                                      : o.values);
  }
  std::vector<const_tensor_view> in_views;
  std::vector<tensor_view> out_views;
  for (const auto& t : in) in_views.emplace_back(t->view());
  for (const operand_call& o : c.results) {
    if (o.in_place < 0) own.push_back(std::make_unique<tensor>(where, o.type, o.shape, o.stride, o.at, output_poison));
    out.push_back(o.in_place < 0 ? own.back().get() : in[static_cast<std::size_t>(o.in_place)].get());
    out_views.push_back(out.back()->view());
  }
  std::vector<std::vector<float>> before, after;
  for (const auto& t : in) before.push_back(t->written());

  const std::uint64_t misses = counters().calls_missed;
  const status called =
      elementwise(*e, in_views.data(), in_views.size(), out_views.data(), out_views.size(), c.options);
  const status done = synchronize(where);
  if (!called.ok() || !done.ok()) {
    ADD_FAILURE() << called.to_string() << called.detail() << done.to_string() << "; " << text(c, *e);
    return {};
  }
  expect_kernel_under_test(misses);
  for (std::size_t k = 0; k < in.size(); ++k) {
    in[k]->fetch();
    if (stays[k]) {
      EXPECT_TRUE(in[k]->unchanged()) << "input " << k << "; " << text(c, *e);
    }
  }
  for (tensor* t : out) {
    t->fetch();
    EXPECT_TRUE(t->only_elements_changed()) << text(c, *e);
    after.push_back(t->read());
  }
  compare(c, *e, before, after);
  return after;
}

void check_copy(const operand_call& x, const operand_call& y) {
  const device where = under_test().where;
  tensor from(where, x.type, x.shape, x.stride, x.at), to(where, y.type, y.shape, y.stride, y.at, output_poison);
  std::mt19937 random(7);
  std::vector<unsigned char> bits(size_of(x.type) * 50021);
  for (unsigned char& b : bits) b = static_cast<unsigned char>(random());
  from.write_bits(bits);
  const std::uint64_t misses = counters().calls_missed;
  const status called = copy(from.view(), to.view());
  ASSERT_TRUE(called.ok()) << called.to_string() << called.detail() << text(x) << text(y);
  ASSERT_TRUE(synchronize(where).ok());
  expect_kernel_under_test(misses);
  from.fetch();
  to.fetch();
  EXPECT_TRUE(from.unchanged()) << text(x) << text(y);
  EXPECT_TRUE(to.only_elements_changed()) << text(x) << text(y);
  const std::vector<unsigned char> want = from.bits(), got = to.bits();
  const std::size_t x_size = size_of(x.type), y_size = size_of(y.type);
  int failures = 0;
  for (std::int64_t i = 0; i < count(y.shape) && failures < 3; ++i) {
    const unsigned char* a = &want[element_for(x.shape, y.shape, i) * x_size];
    const unsigned char* b = &got[static_cast<std::size_t>(i) * y_size];
    unsigned char converted[8];
    if (x.type != y.type) {
      put(converted, y.type, get(a, x.type));
      if (std::isnan(get(a, x.type))) {  // any NaN will do
        if (std::isnan(get(b, y.type))) continue;
      }
      a = converted;
    }
    const bool ok = std::memcmp(a, b, y_size) == 0;
    EXPECT_TRUE(ok) << "element " << i << ":" << text(x) << text(y);
    failures += !ok;
  }
}

}  // namespace rowsmith::test
