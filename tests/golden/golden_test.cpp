// Plan and rendered instantiation of every case on every kind of target, compared with files in plans/. A change there
// changes what users run: it wants a line in CHANGELOG.md. `ninja update-golden` writes the files anew.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "backend/backend.h"
#include "inspect/inspect.h"
#include "plan/plan.h"
#include "render/render.h"
#include "support/elementwise_cases.h"
#include "support/row_cases.h"
#include "support/norm_cases.h"
#include "support/softmax_cases.h"
#include "support/softmax_family_cases.h"

namespace rowsmith {
namespace {

struct target_name {
  device_kind vendor;
  const char* arch;
};

class golden : public testing::TestWithParam<target_name> {};

std::string describe_case(const std::string& name, const request& r, const target_name& target, const traits& t) {
  facts f;
  const status s = inspect(r, &f);
  if (!s.ok()) return s.to_string();
  f.fixed.vendor = target.vendor;
  const auto p = make_plan(f.fixed, t);
  if (!p) return p.status().to_string();
  std::string text = fmt::format("== {}\n{}\n{}", name, to_string(f.fixed), to_string(*p));
  for (const launch_plan& l : p->launches) {
    const auto rendered = render(l, f.fixed, t);
    text += rendered ? rendered->instantiation : rendered.status().to_string();
  }
  return text + "\n";
}

// Against plans/<name>_<arch>.txt.
void compare(const std::string& text, const std::string& name, const target_name& target) {
  std::string file = fmt::format("{}/{}_{}.txt", ROWSMITH_GOLDEN_DIR, name, target.arch);
  for (char& ch : file) ch = ch == ':' ? '_' : ch;
  if (std::getenv("ROWSMITH_UPDATE_GOLDEN") != nullptr) std::ofstream(file) << text;
  std::ifstream in(file);
  std::stringstream golden_text;
  golden_text << in.rdbuf();
  EXPECT_EQ(text, golden_text.str())
      << "a plan changed; if it is meant to: ninja update-golden, and a line in CHANGELOG.md";
}

TEST_P(golden, plans_and_instantiations) {
  const auto t = backend_for(GetParam().vendor)->traits_of(GetParam().arch);
  ASSERT_TRUE(t.ok()) << t.status().to_string();
  std::string text;
  for (const test::softmax_case& c : test::softmax_cases()) {
    text += describe_case(c.name, test::request_of(c), GetParam(), *t);
  }
  compare(text, "softmax", GetParam());
}

TEST_P(golden, plans_of_gathers_moments_and_columns) {
  const auto t = backend_for(GetParam().vendor)->traits_of(GetParam().arch);
  ASSERT_TRUE(t.ok()) << t.status().to_string();
  std::string text;
  for (const test::row_case& c : test::row_cases()) text += describe_case(c.name, c.what, GetParam(), *t);
  compare(text, "rows", GetParam());
}

TEST_P(golden, norms) {
  const auto t = backend_for(GetParam().vendor)->traits_of(GetParam().arch);
  ASSERT_TRUE(t.ok()) << t.status().to_string();
  std::string text;
  for (const test::norm_case& c : test::norm_cases()) text += describe_case(c.name, test::request_of(c), GetParam(), *t);
  compare(text, "norm", GetParam());
}

TEST_P(golden, masks_and_backwards) {
  const auto t = backend_for(GetParam().vendor)->traits_of(GetParam().arch);
  ASSERT_TRUE(t.ok()) << t.status().to_string();
  std::string text;
  for (const test::named_request& c : test::softmax_family_cases({49, 512, 50257})) {
    const bool told = c.name.starts_with("keep_per_key") || c.name.starts_with("bias_and_causal") ||
                      c.name.starts_with("rows") || c.name.starts_with("log_backward_masked");
    if (told && c.name.ends_with("f16")) text += describe_case(c.name, c.call, GetParam(), *t);
  }
  compare(text, "softmax_family", GetParam());
}

// What does not know its width, and what knows nothing but.
TEST_P(golden, widths) {
  const auto t = backend_for(GetParam().vendor)->traits_of(GetParam().arch);
  ASSERT_TRUE(t.ok()) << t.status().to_string();
  std::string text;
  const auto add = [&](const std::string& name, request r) {
    const auto told = [&](const char* form, int flags) {
      r.flags = static_cast<std::uint8_t>(flags);
      text += describe_case(name + form, r, GetParam(), *t);
    };
    told("_any", request_any_width);
    told("_invariant", request_batch_invariant);
    told("_any_invariant", request_any_width | request_batch_invariant);
  };
  for (const test::norm_case& c : test::norm_cases()) {
    const bool wanted = c.type == dtype::bf16 && (c.width == 49 || c.width == 1000 || c.width == 8192 || c.width == 50257);
    if (wanted) add(c.name, test::request_of(c));
  }
  for (const test::named_request& c : test::softmax_family_cases({49, 512, 50257})) {
    const bool wanted = c.name.starts_with("keep_per_key") || c.name.starts_with("rows");
    if (wanted && c.name.ends_with("f16")) add(c.name, c.call);
  }
  for (const test::row_case& c : test::row_cases()) {
    if (c.what.op != op_id::softmax) add(c.name, c.what);
  }
  compare(text, "widths", GetParam());
}

TEST_P(golden, plans_of_elementwise_calls_and_copies) {
  const auto t = backend_for(GetParam().vendor)->traits_of(GetParam().arch);
  ASSERT_TRUE(t.ok()) << t.status().to_string();
  std::string text;
  for (const test::elementwise_case& c : test::elementwise_cases()) {
    text += describe_case(c.name, test::request_of(c), GetParam(), *t);
  }
  compare(text, "elementwise", GetParam());
}

INSTANTIATE_TEST_SUITE_P(targets, golden,
                         testing::Values(target_name{device_kind::cuda, "sm_80"},
                                         target_name{device_kind::cuda, "sm_90"},
                                         target_name{device_kind::hip, "gfx906"},
                                         target_name{device_kind::hip, "gfx1030"},
                                         target_name{device_kind::host, "x86-64"}),
                         [](const auto& info) {
                           std::string name(info.param.arch);
                           for (char& ch : name) ch = ch == '-' ? '_' : ch;
                           return name;
                         });

}  // namespace
}  // namespace rowsmith
