// The same request gives the same bits: again, at another place of the same alignment, from other threads, and from a
// kernel that was loaded anew.
#include <gtest/gtest.h>

#include <thread>

#include "support/softmax_check.h"
#include "support/values.h"

namespace rowsmith::test {
namespace {

class determinism : public on_device {
 protected:
  static std::vector<softmax_call> calls() {
    std::vector<softmax_call> all;
    for (const std::int64_t width : {49, 512, 1001, 4096, 50257}) {
      softmax_call c;
      c.shape = {23, width};
      c.type = width == 512 ? f32 : f16;
      all.push_back(c);
    }
    return all;
  }
  static std::vector<float> input(const softmax_call& c) { return normal(count(c.shape), 3); }
};

TEST_F(determinism, the_same_bits_again_and_elsewhere) {
  for (softmax_call c : calls()) {
    c.x_at.phase = c.y_at.phase = 0;
    const auto first = check_softmax(c, input(c)).bits;
    EXPECT_EQ(check_softmax(c, input(c)).bits, first);
    c.x_at.tight = c.y_at.tight = edge::begin;
    EXPECT_EQ(check_softmax(c, input(c)).bits, first);
  }
}

TEST_F(determinism, the_same_bits_from_a_kernel_loaded_anew) {
  for (const softmax_call& c : calls()) {
    const auto first = check_softmax(c, input(c)).bits;
    forget_kernels();
    EXPECT_EQ(check_softmax(c, input(c)).bits, first);
  }
}

// Four threads start cold together, each with all shapes, each in another order.
TEST_F(determinism, the_same_bits_from_every_thread) {
  const std::vector<softmax_call> all = calls();
  std::vector<std::vector<unsigned char>> want;
  for (const softmax_call& c : all) want.push_back(check_softmax(c, input(c)).bits);
  forget_kernels();
  const device where = under_test().where;
  std::vector<std::string> complaints(4);
  const auto work = [&](std::size_t who) {
    for (std::size_t n = 0; n < 3 * all.size(); ++n) {
      const std::size_t k = (n + who) % all.size();
      tensor x(where, all[k].type.in, all[k].shape), y(where, all[k].type.out, all[k].shape, {}, {}, output_poison);
      x.write(input(all[k]));
      const status called = softmax(x.view(), y.view()), done = synchronize(where);
      y.fetch();
      if (!called.ok() || !done.ok())
        complaints[who] += called.to_string() + done.to_string() + "\n";
      else if (y.bits() != want[k])
        complaints[who] += "other bits in shape " + std::to_string(k) + "\n";
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t who = 0; who < complaints.size(); ++who) threads.emplace_back(work, who);
  for (std::thread& t : threads) t.join();
  for (const std::string& c : complaints) EXPECT_EQ(c, "");
}

}  // namespace
}  // namespace rowsmith::test
