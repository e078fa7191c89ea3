// The seams that later ops need: an op of three inputs whose plan has two launches and a workspace runs on the null
// device.
#include <gtest/gtest.h>

#include "backend/null/null_backend.h"
#include "base/environment.h"
#include "build/builder.h"
#include "child.h"

namespace rowsmith {
namespace {

plan plan_of_two_launches() {
  plan p;
  p.op = op_id::softmax;
  p.workspace_bytes = 4096;
  for (const char* entry : {"rs_dummy_partial", "rs_dummy_combine"}) {
    launch_plan l;
    l.how = mechanism::block;
    l.entry = entry;
    l.header = "op/softmax.h";
    l.algorithm = "softmax<exp_fast, plain, no_mask>";
    l.constants = {{"width", "4096"}, {"pack", "8"}, {"threads", "128"}, {"window", "false"}, {"keep", "keep::values"}};
    l.access = {16, 16, 16, 16};
    l.layout.operands = 4;
    l.layout.place = {0, 1, 2, 3};
    l.threads = 128;
    p.launches.push_back(l);
  }
  p.launches[1].rows_per_block = 4;
  p.launches[1].cluster = 2;
  p.launches[1].dynamic_shared = 1024;
  return p;
}

TEST(corridor, three_inputs_and_two_launches_run_on_the_null_device) {
  const test::private_folder home;
  environment env;
  env.cache_dir = (home.path() / "cache").string();
  builder cold(env);
  backend& null_device = *backend_for(device_kind::null);
  const auto device = null_device.describe(0);
  ASSERT_TRUE(device.ok());

  facts f;
  f.fixed.op = op_id::softmax;
  f.fixed.vendor = device_kind::null;
  f.fixed.operand_count = 4;
  f.fixed.outer_rank = 1;
  f.fixed.width = 4096;
  for (int k = 0; k < 4; ++k) {
    constexpr role roles[] = {role::x, role::mask, role::bias, role::y};
    f.fixed.operands[k] = {roles[k], dtype::f16, inner::contiguous, 16, operand_full};
  }
  f.call.rows = 100;
  f.call.extent[0] = 100;

  char workspace[4096];
  f.call.workspace = workspace;
  null::the_counters().reset();
  const auto built = cold.assemble(f.fixed, null_device, *device, plan_of_two_launches());
  ASSERT_TRUE(built.ok()) << built.status().to_string();
  EXPECT_EQ(null::the_counters().compiles, 2);
  EXPECT_EQ((*built)->from(), origin::compiled);
  f.call.workspace_bytes = sizeof workspace - 1;
  EXPECT_EQ((*built)->run(f, {}).error(), code::invalid_argument) << "the plan needs a larger workspace";
  f.call.workspace_bytes = sizeof workspace;
  ASSERT_TRUE((*built)->run(f, {}).ok());
  EXPECT_EQ(null::the_counters().launches, 2);
  EXPECT_EQ(null::the_counters().allocated, 0) << "the caller's workspace was taken";
  EXPECT_EQ(null::the_counters().blocks, 50) << "100 rows, 4 a cluster of two blocks, in the second launch";
  f.call.workspace = nullptr;
  ASSERT_TRUE((*built)->run(f, {}).ok()) << "the library finds a workspace of its own";
  EXPECT_EQ(null::the_counters().allocated, 0) << "and gives it back";

  builder second_process(env);
  const auto again = second_process.assemble(f.fixed, null_device, *device, plan_of_two_launches());
  ASSERT_TRUE(again.ok());
  EXPECT_EQ((*again)->from(), origin::disk);
  EXPECT_EQ(null::the_counters().compiles, 2);
}

}  // namespace
}  // namespace rowsmith
