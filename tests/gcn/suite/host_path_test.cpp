// What a caller's own streams, graphs and devices see, through the path that a card would see: work runs late, and only
// what was waited for has happened.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "gcn/suite/double.h"
#include "reference/moments.h"
#include "rowsmith/call.h"
#include "rowsmith/explain.h"
#include "support/reference.h"
#include "support/softmax_check.h"
#include "support/tolerance.h"
#include "support/values.h"

namespace rowsmith::test {
namespace {

constexpr int capture_global = 0;

class host_path : public on_device {
 protected:
  void SetUp() override {
    on_device::SetUp();
    ASSERT_EQ(hip.problem, "");
  }
  simulated_hip& hip = simulated_hip::get();
  const device where = under_test().where;
};

testing::AssertionResult rows_are_right(const tensor& x, const tensor& y, std::int64_t width) {
  const std::vector<float> in = x.written(), out = y.read();
  const auto n = static_cast<std::size_t>(width);
  for (std::size_t first = 0; first < in.size(); first += n) {
    const softmax_reference want({&in[first], n}, dtype::f16, false);
    if (const auto right = within(want, {&out[first], n}); !right) return right;
  }
  return testing::AssertionSuccess();
}

TEST_F(host_path, the_device_is_described) {
  const auto all = devices();
  const auto card = std::find_if(all.begin(), all.end(), [&](const auto& d) { return d.device == where; });
  ASSERT_NE(card, all.end());
  EXPECT_EQ(card->arch, std::getenv("HIPSIM_ARCH")) << "without the features that the runtime adds";
  EXPECT_EQ(card->wave, 64);
  EXPECT_EQ(card->units, 60);
  EXPECT_EQ(card->memory_bytes, std::int64_t{16} << 30);
  EXPECT_EQ(card->l2_bytes, 4 << 20);
}

// The memory of the double is the host's, so that a test can look before it waits.
TEST_F(host_path, nothing_has_happened_before_the_stream_was_waited_for) {
  const hip_stream s;
  tensor x(where, dtype::f16, {8, 512}), y(where, dtype::f16, {8, 512}, {}, {}, output_poison);
  x.write(normal(8 * 512));
  ASSERT_TRUE(softmax(x.view(), y.view(), {}, s).ok());
  std::vector<unsigned char> seen(8 * 512 * 2);
  std::memcpy(seen.data(), y.view().data, seen.size());
  EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](unsigned char b) { return b == output_poison; }));
  ASSERT_TRUE(synchronize(where, s).ok());
  y.fetch();
  EXPECT_TRUE(rows_are_right(x, y, 512));
}

// x is filled on the stream behind the first call; whoever launched elsewhere would read the old x.
TEST_F(host_path, calls_are_ordered_by_their_stream) {
  const hip_stream s;
  for (const std::int64_t width : {49, 512, 1001, 4096}) {
    tensor fresh(where, dtype::f16, {9, width}), x(where, dtype::f16, {9, width}), y(where, dtype::f16, {9, width});
    fresh.write(normal(9 * width, 2));
    x.write({0});
    ASSERT_TRUE(softmax(x.view(), y.view(), {}, s).ok());
    ASSERT_EQ(hip.copy_async(x.view().data, fresh.view().data, static_cast<std::size_t>(9 * width) * 2, 3, s.handle()),
              0);
    ASSERT_TRUE(softmax(x.view(), y.view(), {}, s).ok());
    ASSERT_TRUE(synchronize(where, s).ok());
    y.fetch();
    EXPECT_TRUE(rows_are_right(fresh, y, width));
  }
}

// Moments in two launches, of two tensors on two streams: what lies between the launches of one is not the other's,
// though all of it is under way at once.
TEST_F(host_path, F14_two_streams_do_not_share_a_workspace) {
  const hip_stream streams[2];
  const dims shape = {4, 4096, 24};
  tensor x[2] = {{where, dtype::f32, shape}, {where, dtype::f32, shape}};
  tensor mean[2] = {{where, dtype::f32, {24}, {}, {}, output_poison}, {where, dtype::f32, {24}, {}, {}, output_poison}};
  tensor variance[2] = {{where, dtype::f32, {24}, {}, {}, output_poison},
                        {where, dtype::f32, {24}, {}, {}, output_poison}};
  x[0].write(normal(count(shape), 1));
  x[1].write(normal(count(shape), 5, 3));
  for (int k = 0; k < 2; ++k) {
    op_call c("moments");
    c.operand("x", const_tensor_view(x[k].view())).operand("mean", mean[k].view()).axis(3);
    const auto bytes = c.operand("variance", variance[k].view()).workspace_bytes();
    ASSERT_TRUE(bytes.ok() && *bytes > 0) << "a call of two launches was meant";
    const status s = c.run(streams[k]);
    ASSERT_TRUE(s.ok()) << s.to_string();
  }
  for (int k = 2; k-- > 0;) ASSERT_TRUE(synchronize(where, streams[k]).ok());
  for (int k = 0; k < 2; ++k) {
    mean[k].fetch();
    variance[k].fetch();
    const std::vector<float> all = x[k].written(), means = mean[k].read(), variances = variance[k].read();
    for (std::size_t c = 0; c < 24; ++c) {
      reference::reals column;
      for (std::size_t i = c; i < all.size(); i += 24) column.push_back(all[i]);
      const auto want = reference::moments(column);
      EXPECT_TRUE(reference::within(want.mean, dtype::f32, means[c])) << k << " " << c;
      EXPECT_TRUE(reference::within(want.variance, dtype::f32, variances[c])) << k << " " << c;
    }
  }
}

TEST_F(host_path, a_miss_inside_a_capture_is_refused_and_the_capture_survives) {
  const hip_stream s;
  tensor x(where, dtype::f16, {64, 768}), y(where, dtype::f16, {64, 768}, {}, {}, output_poison);
  tensor other(where, dtype::f16, {64, 776}, {}, {}, output_poison);
  x.write(normal(64 * 768));
  other.write(normal(64 * 776));
  forget_kernels();
  ASSERT_TRUE(softmax(x.view(), y.view(), {}, s).ok());
  ASSERT_EQ(hip.stream_synchronize(s.handle()), 0);
  const std::vector<float> unlike = constant(1, -3);
  y.write(unlike);

  ASSERT_EQ(hip.stream_begin_capture(s.handle(), capture_global), 0);
  const status missed = softmax(other.view(), {}, s);
  EXPECT_EQ(missed.error(), code::would_compile) << missed.to_string();
  const status known = softmax(x.view(), y.view(), {}, s);
  EXPECT_TRUE(known.ok()) << known.to_string();
  void* graph = nullptr;
  ASSERT_EQ(hip.stream_end_capture(s.handle(), &graph), 0);
  ASSERT_NE(graph, nullptr);
  other.fetch();
  EXPECT_TRUE(other.unchanged());
  y.fetch();
  EXPECT_TRUE(y.unchanged()) << "captured, not run";

  void* ready = nullptr;
  ASSERT_EQ(hip.graph_instantiate(&ready, graph, nullptr, nullptr, 0), 0);
  for (int i = 0; i < 2; ++i) {
    y.write(unlike);
    ASSERT_EQ(hip.graph_launch(ready, s.handle()), 0);
    ASSERT_EQ(hip.stream_synchronize(s.handle()), 0);
    y.fetch();
    EXPECT_TRUE(y.only_elements_changed());
    EXPECT_TRUE(rows_are_right(x, y, 768));
  }
  EXPECT_EQ(hip.graph_exec_destroy(ready), 0);
  EXPECT_EQ(hip.graph_destroy(graph), 0);
  EXPECT_TRUE(softmax(other.view(), {}, s).ok()) << "outside a capture the same call builds its kernel";
  EXPECT_EQ(hip.stream_synchronize(s.handle()), 0);
}

TEST_F(host_path, two_devices_each_with_its_own_rows) {
  const device second{device_kind::hip, 1};
  for (const std::int64_t width : {49, 512, 4096}) {
    tensor x0(where, dtype::f16, {33, width}), y0(where, dtype::f16, {33, width}, {}, {}, output_poison);
    tensor x1(second, dtype::f16, {33, width}), y1(second, dtype::f16, {33, width}, {}, {}, output_poison);
    x0.write(normal(33 * width, 1, 1));
    x1.write(normal(33 * width, 1, 2));
    for (const int current : {0, 1}) {
      ASSERT_EQ(hip.set_device(current), 0);
      ASSERT_TRUE(softmax(x0.view(), y0.view()).ok());
      ASSERT_TRUE(softmax(x1.view(), y1.view()).ok());
      int after = -1;
      ASSERT_EQ(hip.get_device(&after), 0);
      EXPECT_EQ(after, current) << "the thread's device is left alone";
      ASSERT_TRUE(synchronize(where).ok());
      ASSERT_TRUE(synchronize(second).ok());
      y0.fetch(), y1.fetch();
      EXPECT_TRUE(rows_are_right(x0, y0, width));
      EXPECT_TRUE(rows_are_right(x1, y1, width));
    }
    EXPECT_EQ(softmax(x0.view(), y1.view()).error(), code::invalid_argument);
    const hip_stream of_second(1);
    const status wrong = softmax(x0.view(), y0.view(), {}, of_second);
    EXPECT_EQ(wrong.error(), code::invalid_argument) << wrong.to_string();
    EXPECT_EQ(wrong.message().rfind("stream", 0), 0u) << wrong.message();
  }
  ASSERT_EQ(hip.set_device(0), 0);
}

TEST_F(host_path, a_device_that_is_not_there) {
  tensor x(where, dtype::f16, {4, 64}, {}, {}, output_poison);
  x.write(normal(256));
  tensor_view elsewhere = x.view();
  elsewhere.device.index = 63;
  const status refused = softmax(elsewhere);
  EXPECT_EQ(refused.error(), code::not_found);
  EXPECT_NE(refused.message().find("2 HIP device"), std::string::npos) << refused.message();
  x.fetch();
  EXPECT_TRUE(x.unchanged());
}

TEST_F(host_path, memory_that_cannot_be_had) {
  const auto memory = allocate(where, std::size_t{17} << 30);
  ASSERT_FALSE(memory);
  EXPECT_EQ(memory.status().error(), code::out_of_memory);
  EXPECT_EQ(memory.status().vendor_code(), 2);
  EXPECT_NE(memory.status().vendor_text().find("hipErrorOutOfMemory"), std::string::npos);
}

// A view over memory that was given back: the kernel's access faults, and every later call says so.
TEST_F(host_path, a_fault_of_the_device_is_told_in_the_runtimes_words) {
  void* gone = allocate(where, 4096).value();
  ASSERT_TRUE(release(where, gone).ok());
  const tensor_view view = dense(gone, dtype::f16, {4, 512}, where);
  ASSERT_TRUE(softmax(view).ok()) << "the fault comes later";
  const status failed = synchronize(where);
  EXPECT_EQ(failed.error(), code::device_error) << failed.to_string();
  EXPECT_EQ(failed.vendor_code(), 700);
  EXPECT_NE(failed.vendor_text().find("hipErrorIllegalAddress"), std::string::npos) << failed.to_string();
  hip.recover();
  softmax_of(normal(512), f16);
}

// The order of waves between barriers, and an ulp in exp and rcp.
TEST_F(host_path, the_order_of_waves_does_not_show) {
  for (const std::int64_t width : {49, 512, 4096, 20001}) {
    softmax_call c;
    c.shape = {5, width};
    const auto first = check_softmax(c, normal(5 * width, 3)).bits;
    for (const char* order : {"1", "2", "3"}) {
      ::setenv("HIPSIM_ORDER", order, 1);
      EXPECT_EQ(check_softmax(c, normal(5 * width, 3)).bits, first) << width;
    }
    ::unsetenv("HIPSIM_ORDER");
    for (const dtypes type : every_dtype) {
      c.type = type;
      ::setenv("HIPSIM_PERTURB", "7", 1);
      check_softmax(c, normal(5 * width, 3));
      ::unsetenv("HIPSIM_PERTURB");
    }
  }
}

// Every mechanism is compiled and launched; none is answered by the fallback.
TEST_F(host_path, every_mechanism_is_reached) {
  if (under_test().scalar) GTEST_SKIP() << "the fallback is one mechanism";
  std::set<std::string> seen;
  forget_kernels();
  for (const std::int64_t width : {49, 64, 512, 1001, 4096, 16384, 50257}) {
    for (const dtypes type : {f16, f32}) {
      softmax_call c;
      c.type = type;
      c.shape = {3, width};
      check_softmax(c, normal(3 * width));
      seen.insert(std::string(last_cold_call().strategy));
    }
  }
  for (const char* strategy : {"lanes", "block", "staged", "streamed"}) {
    EXPECT_TRUE(seen.contains(strategy)) << strategy;
  }
}

}  // namespace
}  // namespace rowsmith::test
