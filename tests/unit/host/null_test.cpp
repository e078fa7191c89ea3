#include <gtest/gtest.h>

#include "backend/null/null_backend.h"

namespace rowsmith {
namespace {

TEST(null_backend, goes_the_whole_way_and_computes_nothing) {
  const auto b = make_null_backend();
  null::the_counters().reset();
  const traits target = b->describe(0)->traits;
  EXPECT_EQ(target.wave, 32);
  EXPECT_EQ(b->traits_of("null")->arch, target.arch);
  EXPECT_EQ(b->traits_of("null:wave64")->wave, 64);
  EXPECT_EQ(b->traits_of("sm_90").status().error(), code::invalid_argument);

  source s;
  s.entry = "rs_softmax";
  const auto made = b->compile(s, target);
  ASSERT_TRUE(made.ok());
  EXPECT_TRUE(b->check(made->code, target, "rs_softmax").ok());
  EXPECT_EQ(b->check(made->code, target, "rs_other").error(), code::corrupt);
  EXPECT_EQ(b->check(made->code, *b->traits_of("null:wave64"), "rs_softmax").error(), code::corrupt);
  EXPECT_EQ(b->check({made->code.data(), made->code.size() - 1}, target, "rs_softmax").error(), code::corrupt);

  const auto k = b->load(0, made->code, {});
  ASSERT_TRUE(k.ok());
  for (int i = 0; i < 3; ++i) EXPECT_TRUE((*k)->launch(7, nullptr, 0, {}).ok());
  EXPECT_EQ(null::the_counters().compiles, 1);
  EXPECT_EQ(null::the_counters().loads, 1);
  EXPECT_EQ(null::the_counters().launches, 3);
  EXPECT_EQ(null::the_counters().blocks, 7);

  void* p = b->allocate(0, 100).value();
  EXPECT_TRUE(b->release(0, p).ok());
}

}  // namespace
}  // namespace rowsmith
