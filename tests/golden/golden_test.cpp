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
#include "support/golden_cases.h"

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

void compare_all(const test::golden_group& group, const target_name& target) {
  const auto t = backend_for(target.vendor)->traits_of(target.arch);
  ASSERT_TRUE(t.ok()) << t.status().to_string();
  std::string text;
  for (const test::named_request& c : group.calls) text += describe_case(c.name, c.call, target, *t);
  compare(text, group.name, target);
}

TEST_P(golden, plans_and_instantiations) { compare_all(test::golden_softmax(), GetParam()); }
TEST_P(golden, plans_of_gathers_moments_and_columns) { compare_all(test::golden_rows(), GetParam()); }
TEST_P(golden, norms) { compare_all(test::golden_norms(), GetParam()); }
TEST_P(golden, masks_and_backwards) { compare_all(test::golden_softmax_family(), GetParam()); }
TEST_P(golden, widths) { compare_all(test::golden_widths(), GetParam()); }
TEST_P(golden, plans_of_elementwise_calls_and_copies) { compare_all(test::golden_elementwise(), GetParam()); }

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
