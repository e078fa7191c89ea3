// Streams and graphs of the caller's own, several devices, and where kernels come from on a card.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <thread>

#include "gpu/driver.h"
#include "rowsmith/explain.h"
#include "support/softmax_check.h"
#include "support/tolerance.h"
#include "support/values.h"

namespace rowsmith::test {
namespace {

class cuda : public on_device {};

constexpr int capture_thread_local = 1;

testing::AssertionResult rows_are_right(const tensor& x, const tensor& y, std::int64_t width) {
  const std::vector<float> in = x.written(), out = y.read();
  for (std::size_t r = 0; r * static_cast<std::size_t>(width) < in.size(); ++r) {
    const std::size_t first = r * static_cast<std::size_t>(width), n = static_cast<std::size_t>(width);
    const softmax_reference want({&in[first], n}, dtype::f16, false);
    if (const auto ok = within(want, {&out[first], n}); !ok) return ok;
  }
  return testing::AssertionSuccess();
}

TEST_F(cuda, the_callers_stream_is_used) {
  const own_stream a, b;
  for (const std::int64_t width : {49, 512, 1001, 4096, 50257}) {
    softmax_call c;
    c.shape = {23, width};
    const auto first = check_softmax(c, normal(23 * width)).bits;
    c.on = a;
    EXPECT_EQ(check_softmax(c, normal(23 * width)).bits, first);
    c.on = b;
    EXPECT_EQ(check_softmax(c, normal(23 * width)).bits, first);
  }
}

// x is copied on the stream behind much other work of that stream; whoever launched elsewhere would read the old x.
TEST_F(cuda, calls_are_ordered_by_their_stream) {
  const device where = under_test().where;
  const own_stream s;
  const std::int64_t rows = 8192, width = 4096;
  const auto bytes = static_cast<std::size_t>(rows * width) * 2;
  tensor fresh(where, dtype::f16, {rows, width}), x(where, dtype::f16, {rows, width}),
      y(where, dtype::f16, {rows, width});
  fresh.write(normal(7 * width, 2));
  x.write({0});
  ASSERT_TRUE(softmax(x.view(), y.view(), {}, s).ok());
  const auto address = [](const tensor& t) { return reinterpret_cast<unsigned long long>(t.view().data); };
  for (int i = 0; i < 50; ++i) ASSERT_EQ(driver::get().copy_async(address(y), address(x), bytes, s.handle()), 0);
  ASSERT_EQ(driver::get().copy_async(address(x), address(fresh), bytes, s.handle()), 0);
  ASSERT_TRUE(softmax(x.view(), y.view(), {}, s).ok());
  ASSERT_TRUE(synchronize(where, s).ok());
  y.fetch();
  const std::vector<float> in = fresh.written(), out = y.read();
  for (std::size_t r = 0; r < 7; ++r) {
    const std::size_t first = r * static_cast<std::size_t>(width);
    const softmax_reference want({&in[first], std::size_t{width}}, dtype::f16, false);
    EXPECT_TRUE(within(want, {&out[first], std::size_t{width}}));
  }
}

TEST_F(cuda, a_miss_inside_a_capture_is_refused_and_the_capture_survives) {
  driver& d = driver::get();
  const own_stream s;
  const device where = under_test().where;
  tensor x(where, dtype::f16, {64, 768}), y(where, dtype::f16, {64, 768}, {}, {}, output_poison);
  tensor other(where, dtype::f16, {64, 776}, {}, {}, output_poison);
  x.write(normal(64 * 768));
  other.write(normal(64 * 776));
  forget_kernels();
  ASSERT_TRUE(softmax(x.view(), y.view(), {}, s).ok());
  ASSERT_EQ(d.stream_synchronize(s.handle()), 0);
  const std::vector<float> unlike = constant(1, -3);
  y.write(unlike);

  ASSERT_EQ(d.stream_begin_capture(s.handle(), capture_thread_local), 0);
  const status missed = softmax(other.view(), {}, s);
  EXPECT_EQ(missed.error(), code::would_compile) << missed.to_string();
  EXPECT_NE(missed.message().find("776"), std::string::npos) << missed.message();
  const status known = softmax(x.view(), y.view(), {}, s);
  EXPECT_TRUE(known.ok()) << known.to_string();
  void* graph = nullptr;
  ASSERT_EQ(d.stream_end_capture(s.handle(), &graph), 0);
  ASSERT_NE(graph, nullptr);
  other.fetch();
  EXPECT_TRUE(other.unchanged());
  y.fetch();
  EXPECT_TRUE(y.unchanged()) << "captured, not run";

  void* ready = nullptr;
  ASSERT_EQ(d.graph_instantiate(&ready, graph, 0), 0);
  for (int i = 0; i < 2; ++i) {
    y.write(unlike);
    ASSERT_EQ(d.graph_launch(ready, s.handle()), 0);
    ASSERT_EQ(d.stream_synchronize(s.handle()), 0);
    y.fetch();
    EXPECT_TRUE(y.only_elements_changed());
    EXPECT_TRUE(rows_are_right(x, y, 768));
  }
  EXPECT_EQ(d.graph_exec_destroy(ready), 0);
  EXPECT_EQ(d.graph_destroy(graph), 0);
  EXPECT_TRUE(softmax(other.view(), {}, s).ok()) << "outside a capture the same call builds its kernel";
  EXPECT_EQ(d.stream_synchronize(s.handle()), 0);
}

TEST_F(cuda, the_threads_context_is_left_alone) {
  std::thread([] {
    void* before = nullptr;
    ASSERT_EQ(driver::get().context_set(nullptr), 0);
    softmax_of(normal(640), f16);
    ASSERT_EQ(driver::get().context_current(&before), 0);
    EXPECT_EQ(before, nullptr);
  }).join();
}

TEST_F(cuda, two_devices_each_with_its_own_rows) {
  int n = 0;
  ASSERT_EQ(driver::get().device_count(&n), 0);
  if (n < 2) GTEST_SKIP() << "one device";
  const device first{device_kind::cuda, 0}, second{device_kind::cuda, 1};
  for (const std::int64_t width : {49, 512, 50257}) {
    tensor x0(first, dtype::f16, {33, width}), y0(first, dtype::f16, {33, width}, {}, {}, output_poison);
    tensor x1(second, dtype::f16, {33, width}), y1(second, dtype::f16, {33, width}, {}, {}, output_poison);
    x0.write(normal(33 * width, 1, 1));
    x1.write(normal(33 * width, 1, 2));
    for (const int current : {0, 1}) {
      ASSERT_EQ(driver::get().use(current), 0);
      ASSERT_TRUE(softmax(x0.view(), y0.view()).ok());
      ASSERT_TRUE(softmax(x1.view(), y1.view()).ok());
      ASSERT_TRUE(synchronize(first).ok());
      ASSERT_TRUE(synchronize(second).ok());
      y0.fetch(), y1.fetch();
      EXPECT_TRUE(rows_are_right(x0, y0, width));
      EXPECT_TRUE(rows_are_right(x1, y1, width));
    }
    EXPECT_EQ(softmax(x0.view(), y1.view()).error(), code::invalid_argument);
    const own_stream of_second(1);
    const status wrong = softmax(x0.view(), y0.view(), {}, of_second);
    EXPECT_EQ(wrong.error(), code::invalid_argument) << wrong.to_string();
    EXPECT_EQ(wrong.message().rfind("stream", 0), 0u) << wrong.message();
  }
  ASSERT_EQ(driver::get().use(0), 0);
}

TEST_F(cuda, a_device_that_is_not_there) {
  tensor x(under_test().where, dtype::f16, {4, 64}, {}, {}, output_poison);
  x.write(normal(256));
  tensor_view elsewhere = x.view();
  elsewhere.device.index = 63;
  EXPECT_EQ(softmax(elsewhere).error(), code::not_found);
  x.fetch();
  EXPECT_TRUE(x.unchanged());
}

// No header of CUDA is at hand at run time; every mechanism compiles, none is answered by the fallback. The kernel of
// 1024 threads (C5) is among them.
TEST_F(cuda, I16_C5_every_mechanism_is_compiled_and_launched) {
  std::set<std::string> seen;
  forget_kernels();
  for (const std::int64_t width : {49, 64, 512, 1001, 4096, 16384, 50257, 131072}) {
    for (const dtypes type : {f16, f32}) {
      softmax_call c;
      c.type = type;
      c.shape = {40, width};
      check_softmax(c, normal(40 * width));
      seen.insert(std::string(last_cold_call().strategy));
    }
  }
  for (const char* strategy : {"lanes", "block", "staged", "streamed"})
    EXPECT_TRUE(seen.contains(strategy)) << strategy;
}

}  // namespace
}  // namespace rowsmith::test
