// rowsmith run: the object's fields, its numbers, and the cache between processes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "command.h"
#include "rowsmith/call.h"
#include "support/private_folder.h"

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

// Every op of the table with nothing but a shape and a dtype, and in the ways that people use it.
TEST(run, every_op_needs_a_shape_and_a_dtype) {
  for (const op_info& op : known_ops()) {
    const std::string name(op.name), expression = name == "elementwise" ? " --expr silu_mul" : "";
    for (const char* dtype : {"f32", "f16"}) {
      const outcome o =
          rowsmith("run " + name + expression + " --device host --repeat 1 --json --shape 6x5x67 --dtype " + dtype);
      ASSERT_EQ(o.exit, 0) << name << "\n" << o.err;
      const auto r = o.object();
      EXPECT_EQ(r["op"], name);
      EXPECT_EQ(r["within_tolerance"], true) << o.out;
      EXPECT_TRUE(r["not_compared"].is_null()) << r["not_compared"];
      for (const auto& operand : r["operands"]) {
        const bool told = r["outputs"].contains(operand["role"].get<std::string>());
        EXPECT_TRUE(told || operand["output"] != true) << o.out;
      }
    }
  }
}

struct use {
  const char* op;
  const char* arguments;
};

constexpr use k_uses[] = {
    {"softmax", "--with mask --set mask=keep"},
    {"softmax", "--with mask --set mask=drop,mode=masked --shape-of mask=1x5x67"},
    {"softmax", "--with mask,bias,lse --set mask=additive --dtype-of bias=bf16 --scalar scale=0.125"},
    {"softmax", "--causal 0 --exp accurate"},
    {"softmax", "--causal -2 --set mode=masked --axis -1"},
    {"softmax", "--axis 1 --with lse"},
    {"softmax", "--with index --table-rows 11"},
    {"softmax", "--post \"x * in1\" --shape-of in1=67"},
    {"log_softmax", "--with bias,lse --shape-of bias=67"},
    {"softmax_backward", "--scalar scale=2"},
    {"log_softmax_backward", "--out-dtype f32"},
    {"layer_norm", "--with none"},
    {"layer_norm", "--with weight,bias,mean,rstd --dtype-of weight=f32 --scalar eps=1e-6"},
    {"layer_norm", "--axis 2 --set cast=before_weight"},
    {"layer_norm", "--with weight,index --table-rows 40"},
    {"norm_gather", ""},
    {"norm_gather", "--with weight,bias,mean,rstd --table-rows 40 --dtype-of index=i32"},
    {"norm_gather", "--axis 2 --with none"},
    {"rms_norm_gather", "--with weight,rstd --table-rows 3"},
    {"rms_norm", "--set weight=one_plus_weight"},
    {"add_layer_norm", "--with weight,bias,sum"},
    {"add_rms_norm", "--with weight,sum --set round_residual=keep"},
    {"add_rms_norm", "--set residual=last"},
    {"layer_norm_backward", "--with weight,dx"},
    {"rms_norm_backward", "--with weight,dweight"},
    {"moments", "--axis 0,2"},
    {"gather_rows", "--table-rows 9 --dtype-of index=i32"},
    {"gather_rows_backward", "--table-rows 9"},
    {"copy", "--permute 2,0,1"},
    {"copy", "--out-dtype f32"},
    {"elementwise", "--expr \"sigmoid(x + in1) * p0, x * 2\" --param p0=3 --shape-of in1=5x1"},
    {"elementwise", "--expr gelu --in-place"},
};

TEST(run, operands_settings_and_scalars_by_name) {
  const std::vector<op_info> known = known_ops();
  for (const use& u : k_uses) {
    if (std::none_of(known.begin(), known.end(), [&](const op_info& op) { return op.name == u.op; })) continue;
    const std::string line = std::string(u.op) + " --shape 6x5x67 --dtype f16 --json " + u.arguments;
    const outcome o = rowsmith("run " + line + " --device host --repeat 1");
    EXPECT_EQ(o.exit, 0) << line << "\n" << o.err;
    EXPECT_EQ(o.object()["within_tolerance"], true) << line << "\n" << o.out;
    const std::string words = line.substr(0, line.find(" --in-place"));
    const outcome e = rowsmith("explain " + words + " --no-compile --target sm_90");
    EXPECT_TRUE(e.exit == 0 || e.exit == 10) << line << "\n" << e.err;  // 10: only the fallback does it
  }
}

TEST(run, the_second_process_reads_from_disk) {
  const test::private_folder cache;
  const std::string environment = "ROWSMITH_CACHE_DIR='" + cache.path().string() + "'";
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
