// The fallback on a card for which none is embedded: the machine's own compiler makes it at first use.
#include <gtest/gtest.h>

#include "rowsmith/explain.h"
#include "support/softmax_check.h"
#include "support/tolerance.h"
#include "support/values.h"

namespace rowsmith::test {
namespace {

class dtk_scalar : public on_device {};

TEST_F(dtk_scalar, is_compiled_at_first_use) {
  const device where = under_test().where;
  forget_kernels();
  for (const std::int64_t width : {7, 1000}) {
    tensor x(where, dtype::f16, {70, width}), y(where, dtype::f32, {70, width}, {}, {}, output_poison);
    x.write(normal(70 * width, 2));
    const status called = softmax(x.view(), y.view());
    ASSERT_TRUE(called.ok()) << called.to_string() << called.detail();
    ASSERT_TRUE(synchronize(where).ok());
    EXPECT_EQ(last_cold_call().strategy, "scalar");
    EXPECT_NE(last_cold_call().source, "fallback") << "nothing is embedded for this card";
    y.fetch();
    EXPECT_TRUE(y.only_elements_changed());
    const std::vector<float> in = x.written(), out = y.read();
    for (std::size_t first = 0; first < in.size(); first += static_cast<std::size_t>(width)) {
      const softmax_reference want({&in[first], static_cast<std::size_t>(width)}, dtype::f32, true);
      ASSERT_TRUE(within(want, {&out[first], static_cast<std::size_t>(width)}));
    }
  }
}

}  // namespace
}  // namespace rowsmith::test
