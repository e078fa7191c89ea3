// A device without memory for a kernel's code or a call's workspace: the call says so, nothing is compiled again for
// it, and nothing is remembered: when there is memory, the next call runs.
#include <gtest/gtest.h>

#include "policies.h"
#include "rowsmith/norm.h"

namespace rowsmith::test {
namespace {

class full_device : public policies {};

TEST_F(full_device, code_that_does_not_fit_is_an_error_that_passes) {
  in_child({}, [] {
    the_script().loads_without_memory = 2;
    EXPECT_EQ(call(512).error(), code::out_of_memory);
    EXPECT_EQ(call(512).error(), code::out_of_memory);
    EXPECT_EQ(the_script().compiles, 1) << "the code is kept, and no other would be smaller";
    EXPECT_TRUE(call(512).ok());
    EXPECT_EQ(last_cold_call().source, "memory");
    EXPECT_EQ(the_script().compiles, 1);
    EXPECT_EQ(the_script().kernel_launches, 1);
    EXPECT_EQ(the_script().fallback_launches, 0) << "which would have stayed";
  });
}

TEST_F(full_device, code_from_disk_that_does_not_fit_is_not_built_again) {
  in_child({}, [] { ASSERT_TRUE(call(512).ok()); });
  in_child({}, [] {
    the_script().loads_without_memory = 1;
    EXPECT_EQ(call(512).error(), code::out_of_memory);
    EXPECT_TRUE(call(512).ok());
    EXPECT_EQ(the_script().compiles, 1);
  });
}

TEST_F(full_device, prepare_says_so_too) {
  in_child({}, [] {
    the_script().loads_without_memory = 1;
    EXPECT_EQ(prepare(512).error(), code::out_of_memory);
    EXPECT_TRUE(prepare(512).ok());
  });
}

// The fallback was loaded before; what is built beside it is tried again.
TEST_F(full_device, in_the_background_the_fallback_goes_on_until_there_is_memory) {
  in_child({"ROWSMITH_COMPILE=background"}, [] {
    the_script().compile_ms = compile_ms;
    ASSERT_TRUE(call(2048).ok());
    the_script().loads_without_memory = 1;  // the kernel's: it is still being compiled
    the_runtime().cold.background().drain();
    EXPECT_EQ(the_script().loads_without_memory, 0);
    the_script().kernel_launches = 0;
    EXPECT_TRUE(soon([] { return (void)call(2048), the_script().kernel_launches > 0; }));
  });
}

TEST_F(full_device, a_workspace_that_cannot_be_had_is_an_error_of_that_call) {
  in_child({}, [] {
    const device where{device_kind::null, 0};
    const auto at = [&](int i, std::initializer_list<std::int64_t> shape) {
      return dense(reinterpret_cast<void*>((std::uintptr_t{i + 1u}) << 24), dtype::f16, shape, where);
    };
    const auto backward = [&] {
      return rms_norm_backward(at(0, {64, 512}), at(1, {64, 512}),
                               norm_gradients{}.dx(at(2, {64, 512})).dweight(at(3, {512})).weight(at(4, {512})));
    };
    the_script().borrows_without_memory = 2;
    EXPECT_EQ(backward().error(), code::out_of_memory) << "cold";
    EXPECT_EQ(backward().error(), code::out_of_memory) << "warm";
    EXPECT_EQ(the_script().kernel_launches, 0);
    EXPECT_TRUE(backward().ok());
    EXPECT_GT(the_script().kernel_launches, 0);
    EXPECT_EQ(the_script().borrowed, 1);
    EXPECT_EQ(the_script().given_back, 1);
  });
}

}  // namespace
}  // namespace rowsmith::test
