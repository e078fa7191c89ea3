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
#include "support/norm_cases.h"
#include "support/softmax_cases.h"

namespace rowsmith {
namespace {

struct target_name {
  device_kind vendor;
  const char* arch;
};

class golden : public testing::TestWithParam<target_name> {};

template <class Case>
std::string describe_case(const Case& c, const target_name& target, const traits& t) {
  facts f;
  const status s = inspect(test::request_of(c), &f);
  if (!s.ok()) return s.to_string();
  f.fixed.vendor = target.vendor;
  const auto p = make_plan(f.fixed, t);
  if (!p) return p.status().to_string();
  std::string text = fmt::format("== {}\n{}\n{}", c.name, to_string(f.fixed), to_string(*p));
  for (const launch_plan& l : p->launches) {
    const auto rendered = render(l, f.fixed, t);
    text += rendered ? rendered->instantiation : rendered.status().to_string();
  }
  return text + "\n";
}

template <class Case>
void compare(const char* family, const std::vector<Case>& cases, const target_name& target) {
  const auto t = backend_for(target.vendor)->traits_of(target.arch);
  ASSERT_TRUE(t.ok()) << t.status().to_string();
  std::string text;
  for (const Case& c : cases) text += describe_case(c, target, *t);

  std::string file = fmt::format("{}/{}_{}.txt", ROWSMITH_GOLDEN_DIR, family, target.arch);
  for (char& ch : file) ch = ch == ':' ? '_' : ch;
  if (std::getenv("ROWSMITH_UPDATE_GOLDEN") != nullptr) std::ofstream(file) << text;
  std::ifstream in(file);
  std::stringstream golden_text;
  golden_text << in.rdbuf();
  EXPECT_EQ(text, golden_text.str())
      << "a plan changed; if it is meant to: ninja update-golden, and a line in CHANGELOG.md";
}

TEST_P(golden, plans_and_instantiations) { compare("softmax", test::softmax_cases(), GetParam()); }

TEST_P(golden, plans_and_instantiations_of_norms) { compare("norm", test::norm_cases(), GetParam()); }

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
