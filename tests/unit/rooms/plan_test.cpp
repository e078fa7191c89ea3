#include "plan/plan.h"

#include <gtest/gtest.h>

#include "backend/backend.h"
#include "inspect/inspect.h"
#include "requests.h"

namespace rowsmith {
namespace {

using test::softmax_of;

launch_plan plan_of(const request& r, std::string_view target, device_kind vendor) {
  facts f;
  EXPECT_TRUE(inspect(r, &f).ok());
  f.fixed.vendor = vendor;
  const auto t = backend_for(vendor)->traits_of(target);
  EXPECT_TRUE(t.ok());
  const auto p = make_plan(f.fixed, *t);
  EXPECT_TRUE(p.ok()) << p.status().to_string();
  EXPECT_FALSE(p->why.empty());
  return p->launches.front();
}

launch_plan on_hopper(const request& r) { return plan_of(r, "sm_90", device_kind::cuda); }

std::string constant_of(const launch_plan& l, std::string_view name) {
  for (const template_constant& c : l.constants) {
    if (c.name == name) return c.value;
  }
  return "";
}

TEST(plan, rows_go_from_lanes_to_blocks_to_streams_as_they_grow) {
  EXPECT_EQ(on_hopper(softmax_of({1024, 512})).how, mechanism::lanes);
  EXPECT_EQ(on_hopper(softmax_of({1024, 8192})).how, mechanism::block);
  EXPECT_EQ(on_hopper(softmax_of({1024, 1 << 16})).how, mechanism::streamed);
  EXPECT_EQ(on_hopper(softmax_of({64, 1 << 20})).how, mechanism::cluster);
}

TEST(plan, odd_rows_that_follow_each_other_are_staged) {
  const launch_plan l = on_hopper(softmax_of({1024, 49}));
  EXPECT_EQ(l.how, mechanism::staged);
  EXPECT_GT(l.blocks_per_unit, 0) << "blocks stay and walk over tiles";
  EXPECT_GT(l.dynamic_shared, 0);
  EXPECT_EQ(constant_of(l, "bulk"), "true");
  EXPECT_EQ(constant_of(plan_of(softmax_of({1024, 49}), "sm_80", device_kind::cuda), "bulk"), "false");
}

TEST(plan, odd_rows_too_large_to_stage_use_windows) {
  const launch_plan l = on_hopper(softmax_of({1024, 50257}));
  EXPECT_EQ(constant_of(l, "window"), "true");
  EXPECT_EQ(constant_of(l, "pack"), "8");
  EXPECT_TRUE(l.wide_access);
}

TEST(plan, every_operand_gets_the_access_its_own_alignment_allows) {
  // x is off by one element, and its rows are not dense: y still stores 16 bytes where packs allow.
  const launch_plan l = on_hopper(softmax_of({1024, 512}, dtype::f16, dtype::f16, test::x_base + 2));
  EXPECT_LE(l.access[0], 2);
}

TEST(plan, never_more_threads_or_shared_memory_than_the_target_has) {
  for (const char* target : {"sm_75", "sm_80", "sm_90", "sm_100"}) {
    const auto t = backend_for(device_kind::cuda)->traits_of(target);
    for (std::int64_t width = 1; width < 300000; width = width * 5 / 4 + 1) {
      for (const dtype type : {dtype::f16, dtype::f32}) {
        const launch_plan l = plan_of(softmax_of({64, width}, type, type), target, device_kind::cuda);
        EXPECT_LE(l.threads, t->max_threads) << width;
        EXPECT_LE(l.dynamic_shared, t->shared_bytes) << width;
        EXPECT_EQ(l.threads % t->wave, 0) << width;
      }
    }
  }
}

TEST(plan, is_pure) {
  facts f;
  ASSERT_TRUE(inspect(softmax_of({64, 1000}), &f).ok());
  f.fixed.vendor = device_kind::cuda;
  const auto t = backend_for(device_kind::cuda)->traits_of("sm_90");
  EXPECT_EQ(to_string(*make_plan(f.fixed, *t)), to_string(*make_plan(f.fixed, *t)));
}

}  // namespace
}  // namespace rowsmith
