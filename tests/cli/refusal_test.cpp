// What the command refuses: the exit code, a message that names the argument, and nothing on stdout.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/exit_codes.h"
#include "command.h"

namespace rowsmith::cli_test {
namespace {

using namespace rowsmith::cli;
using testing::HasSubstr;

struct refused {
  const char* arguments;
  int exit;
  std::vector<const char*> words;
};

const refused k_refused[] = {
    {"", exit_usage, {"subcommand"}},
    {"fly", exit_usage, {"fly"}},
    {"run softmax --dtype f16", exit_usage, {"--shape"}},
    {"run softmax --shape 4x4 --dtype f16 --seed many", exit_usage, {"--seed"}},
    {"run softmin --shape 4x4 --dtype f16", exit_invalid_argument, {"OP", "softmin", "softmax", "allowed"}},
    {"run softmax --shape 4xx4 --dtype f16", exit_invalid_argument, {"--shape", "4xx4", "axis 1", "4x32x512x512"}},
    {"run softmax --shape 4x-4 --dtype f16", exit_invalid_argument, {"--shape", "axis 1 is \"-4\""}},
    {"run softmax --shape 4x4.5 --dtype f16", exit_invalid_argument, {"--shape", "axis 1 is \"4.5\""}},
    {"run softmax --shape '' --dtype f16", exit_invalid_argument, {"--shape"}},
    {"run softmax --shape 99999999999999999999 --dtype f16", exit_invalid_argument, {"--shape", "too large"}},
    {"run softmax --shape 99999999x99999999 --dtype f16", exit_invalid_argument, {"--shape", "2^48"}},
    {"run softmax --shape 1x1x1x1x1x1x1x1x1 --dtype f16", exit_invalid_argument, {"--shape", "9 axes", "at most 8"}},
    {"run softmax --shape 4x4 --dtype f16 --width narrow", exit_invalid_argument, {"--width", "narrow", "exact"}},
    {"run softmax --shape 4x4 --dtype f17", exit_invalid_argument, {"--dtype", "f17", "f32, f16 and bf16"}},
    {"run softmax --shape 4x4 --dtype i32", exit_invalid_argument, {"--dtype", "i32"}},
    {"run softmax --shape 4x4 --dtype f16 --out-dtype b8", exit_invalid_argument, {"--out-dtype", "b8"}},
    {"run softmax --shape 4x4 --dtype f16 --out-dtype f32 --in-place",
     exit_invalid_argument,
     {"--out-dtype", "in place"}},
    {"run softmax --shape 4x4 --dtype f16 --device tpu:0", exit_invalid_argument, {"--device", "tpu:0"}},
    {"run softmax --shape 4x4 --dtype f16 --device cuda:97", exit_not_found, {"not_found"}},
    {"run softmax --shape 4x4 --dtype f16 --device host --axis 5", exit_invalid_argument, {"axis", "5"}},
    {"run softmax --shape 4x4 --dtype f16 --exp slow", exit_invalid_argument, {"--exp", "slow"}},
    {"run softmax --shape 4x4 --dtype f16 --dist cauchy:0:1", exit_invalid_argument, {"--dist", "cauchy"}},
    {"run softmax --shape 4x4 --dtype f16 --dist normal:0", exit_invalid_argument, {"--dist", "two finite numbers"}},
    {"run softmax --shape 4x4 --dtype f16 --dist normal:0:-1", exit_invalid_argument, {"--dist", "negative"}},
    {"run softmax --shape 4x4 --dtype f16 --repeat 0", exit_invalid_argument, {"--repeat", "0"}},
    {"run softmax --shape 4x4 --dtype f16 --axis one", exit_invalid_argument, {"--axis", "one"}},
    {"run softmax --shape 4x4 --dtype f16 --with weight", exit_invalid_argument, {"--with", "weight"}},
    {"run softmax --shape 4x4 --dtype f16 --with causal", exit_invalid_argument, {"--with", "--causal"}},
    {"run softmax --shape 4x4 --dtype f16 --with mask --device host", exit_invalid_argument, {"mask", "keep"}},
    {"run softmax --shape 4x4 --dtype f16 --set mask=keep --device host", exit_invalid_argument, {"mask", "not there"}},
    {"run softmax --shape 4x4 --dtype f16 --set mask=maybe", exit_invalid_argument, {"--set", "maybe", "keep_mask"}},
    {"run softmax --shape 4x4 --dtype f16 --set mask", exit_invalid_argument, {"--set", "NAME=VALUE"}},
    {"run softmax --shape 4x4 --dtype f16 --set colour=red", exit_invalid_argument, {"--set", "colour"}},
    {"run softmax --shape 4x4 --dtype f16 --scalar eps=1", exit_invalid_argument, {"--scalar", "eps"}},
    {"run softmax --shape 4x4 --dtype f16 --scalar scale=x", exit_invalid_argument, {"--scalar", "\"x\""}},
    {"run softmax --shape 4x4 --dtype f16 --dtype-of mask=b8", exit_invalid_argument, {"--dtype-of", "mask"}},
    {"run softmax --shape 4x4 --dtype f16 --dtype-of x=b8", exit_invalid_argument, {"--dtype-of", "b8"}},
    {"run softmax --shape 4x4 --dtype f16 --shape-of x=4", exit_invalid_argument, {"--shape-of", "broadcast"}},
    {"run softmax --shape 4x4 --dtype f16 --expr silu", exit_invalid_argument, {"--expr", "--pre"}},
    {"run softmax --shape 4x4 --dtype f16 --pre 'x +'", exit_invalid_argument, {"--pre", "x +"}},
    {"run softmax --shape 4x4 --dtype f16 --param p9=1", exit_invalid_argument, {"--param", "p9"}},
    {"run softmax --shape 4x4 --dtype f16 --permute 0,0", exit_invalid_argument, {"--permute", "0,0"}},
    {"run softmax --shape 4x4 --dtype f16 --table-rows -1", exit_invalid_argument, {"--table-rows", "-1"}},
    {"run softmax --shape 4x4 --dtype f16 --causal x", exit_invalid_argument, {"--causal", "x"}},
    {"explain softmax --shape 4xx4 --dtype f16", exit_invalid_argument, {"--shape"}},
    {"explain softmax --shape 4x4 --dtype f16 --target z80", exit_unsupported, {"z80"}}};

TEST(refusal, names_the_argument) {
  for (const refused& r : k_refused) {
    SCOPED_TRACE(r.arguments);
    const outcome o = rowsmith(r.arguments);
    EXPECT_EQ(o.exit, r.exit);
    EXPECT_EQ(o.out, "");
    for (const char* word : r.words) EXPECT_THAT(o.err, HasSubstr(word));
  }
}

TEST(help, tells_the_exit_codes) {
  const outcome o = rowsmith("--help");
  EXPECT_EQ(o.exit, 0);
  for (const exit_row& row : exit_table) EXPECT_THAT(o.out, HasSubstr(std::string(row.meaning)));
}

}  // namespace
}  // namespace rowsmith::cli_test
