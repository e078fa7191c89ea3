// Every kernel of softmax, of its masked forms and of its gradients through the real compilers.
#include <gtest/gtest.h>

#include <tuple>

#include "compile/promises.h"
#include "support/softmax_cases.h"
#include "support/softmax_family_cases.h"

namespace rowsmith {
namespace {

using test::target_name;

class softmax_compiles : public testing::TestWithParam<target_name> {};

TEST_P(softmax_compiles, with_no_spill_and_wide_accesses) {
  std::vector<test::named_request> calls;
  for (const test::softmax_case& c : test::softmax_cases()) calls.push_back({c.name, test::request_of(c)});
  test::expect_promises_kept(calls, GetParam());
}

// Widths of every mechanism: staged, lanes, block in both ways, streamed in both ways.
constexpr std::int64_t family_widths[] = {49, 128, 1000, 1024, 4096, 16384, 32768, 50257};

class softmax_family_compiles : public testing::TestWithParam<std::tuple<target_name, std::int64_t>> {};

TEST_P(softmax_family_compiles, with_masks_and_backwards) {
  const auto& [target, width] = GetParam();
  const auto spills = target.vendor == device_kind::hip ? test::scalar_spills::allowed : test::scalar_spills::counted;
  test::expect_promises_kept(test::softmax_family_cases({width}), target, spills);
}

INSTANTIATE_TEST_SUITE_P(targets, softmax_family_compiles,
                         testing::Combine(testing::ValuesIn(test::usual_targets), testing::ValuesIn(family_widths)),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param).arch) + "_w" +
                                  std::to_string(std::get<1>(info.param));
                         });

INSTANTIATE_TEST_SUITE_P(
    targets, softmax_compiles,
    testing::Values(target_name{device_kind::cuda, "sm_75"}, target_name{device_kind::cuda, "sm_80"},
                    target_name{device_kind::cuda, "sm_90"}, target_name{device_kind::cuda, "sm_100"},
                    target_name{device_kind::hip, "gfx906"}, target_name{device_kind::hip, "gfx90a"},
                    target_name{device_kind::hip, "gfx1030"}),
    test::arch_of);

}  // namespace
}  // namespace rowsmith
