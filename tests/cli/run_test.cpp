// rowsmith run: the object's fields, its numbers, and the cache between processes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "command.h"

namespace rowsmith::cli_test {
namespace {

using testing::HasSubstr;

const std::string k_small = "run softmax --device host --repeat 1 --json ";

TEST(run, one_object_with_every_field) {
  const outcome o = rowsmith(k_small + "--shape 4x8x65 --dtype f16 --dist normal:0:1 --seed 0");
  ASSERT_EQ(o.exit, 0) << o.err;
  const auto r = o.object();
  ASSERT_TRUE(r.is_object()) << o.out;
  for (const char* field : {"op", "device", "device_name", "shape", "dtype", "strategy", "source", "cold_ms",
                            "reload_ms", "warm_us", "call_us", "gb_per_s", "max_abs_err", "max_row_sum_err", "key"}) {
    EXPECT_TRUE(r.contains(field)) << field;
  }
  EXPECT_EQ(r["op"], "softmax");
  EXPECT_EQ(r["device"], "host");
  EXPECT_EQ(r["shape"], nlohmann::json({4, 8, 65}));
  EXPECT_EQ(r["dtype"], "f16");
  const std::set<std::string> sources = {"compiled", "disk", "memory", "fallback"};
  EXPECT_TRUE(sources.count(r["source"])) << r["source"];
  EXPECT_GT(r["cold_ms"], 0);
  EXPECT_GT(r["warm_us"], 0);
  EXPECT_GT(r["gb_per_s"], 0);
  EXPECT_LE(r["max_abs_err"], 2e-4);
  EXPECT_LE(r["max_row_sum_err"], 1e-3);
  EXPECT_EQ(r["within_tolerance"], true);
  EXPECT_EQ(r["rows_checked"], 32);
  EXPECT_EQ(r["key"].get<std::string>().size(), 32u);
}

TEST(run, dtypes_axes_modes_and_distributions) {
  for (const char* arguments :
       {"--shape 33x1000 --dtype f32", "--shape 33x1000 --dtype f32 --exp fast", "--shape 33x1000 --dtype bf16",
        "--shape 33x100 --dtype f16 --out-dtype f32", "--shape 8x33x7 --dtype f32 --axis 1",
        "--shape 7x9 --dtype f16 --axis 0", "--shape 33x100 --dtype f16 --in-place", "--shape 1 --dtype f32",
        "--shape 5x1 --dtype bf16", "--shape 9x77 --dtype f32 --dist uniform:-80:80 --seed 7",
        "--shape 1x1x1x1x1x1x3x17 --dtype f32", "--shape 0x4 --dtype f32", "--shape 4x0 --dtype f16"}) {
    const outcome o = rowsmith(k_small + arguments);
    EXPECT_EQ(o.exit, 0) << arguments << "\n" << o.err;
    EXPECT_EQ(o.object()["within_tolerance"], true) << arguments;
  }
}

TEST(run, the_second_process_reads_from_disk) {
  const scratch_folder cache;
  const std::string environment = "ROWSMITH_CACHE_DIR='" + cache.path() + "'";
  const std::string arguments = k_small + "--shape 16x129 --dtype f32";
  const auto first = rowsmith(arguments, environment).object();
  if (first["source"] == "fallback") GTEST_SKIP() << "no compiler here";
  EXPECT_EQ(first["source"], "compiled");
  EXPECT_EQ(rowsmith(arguments, environment).object()["source"], "disk");

  const auto list = rowsmith("cache list --json", environment).object();
  ASSERT_TRUE(list["entries"].is_array());
  bool found = false;
  for (const auto& e : list["entries"]) found = found || e["digest"] == first["key"];
  EXPECT_TRUE(found) << list.dump(2);
}

TEST(run, forced_scalar_is_the_fallback) {
  const auto r = rowsmith(k_small + "--shape 16x129 --dtype f32", "ROWSMITH_FORCE_SCALAR=1").object();
  EXPECT_EQ(r["source"], "fallback");
  EXPECT_EQ(r["within_tolerance"], true);
}

TEST(run, without_a_check_there_are_no_errors_to_tell) {
  const outcome o = rowsmith(k_small + "--shape 16x129 --dtype f32 --no-check");
  ASSERT_EQ(o.exit, 0) << o.err;
  EXPECT_TRUE(o.object()["max_abs_err"].is_null());
}

TEST(run, text_says_the_same) {
  const outcome o = rowsmith("run softmax --device host --repeat 1 --shape 16x129 --dtype f32");
  ASSERT_EQ(o.exit, 0) << o.err;
  for (const char* word : {"softmax of 16x129 f32", "first call", "warm call", "GB/s", "max error", "row sums"}) {
    EXPECT_THAT(o.out, HasSubstr(word));
  }
}

}  // namespace
}  // namespace rowsmith::cli_test
