// The kernels that plans for AMD ask for have run here: the golden plans name them, the cases of ../../mechanisms run
// them.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "gcn/suite/double.h"
#include "mechanisms/cases.h"

namespace rowsmith::test {
namespace {

// After a case that passed: have the kernels run that it is there for?
class ran_what_they_say : public testing::EmptyTestEventListener {
  void OnTestEnd(const testing::TestInfo& t) override {
    if (!t.result()->Passed() || t.value_param() == nullptr) return;
    for (const mechanism_case& c : all_mechanisms()) {
      if (c.name != t.value_param()) continue;
      for (const std::string& kernel : c.kernels) {
        EXPECT_TRUE(simulated_hip::get().has_run(kernel.c_str())) << kernel << " did not run";
      }
    }
  }
};

const bool listening = [] {
  testing::UnitTest::GetInstance()->listeners().Append(new ran_what_they_say);
  return true;
}();

TEST(mechanisms_run, every_kernel_of_the_golden_plans_has_a_case) {
  EXPECT_TRUE(listening);
  std::set<std::string> run;
  for (const mechanism_case& c : all_mechanisms()) run.insert(c.kernels.begin(), c.kernels.end());
  int plans = 0;
  for (const auto& file : std::filesystem::directory_iterator(ROWSMITH_GOLDEN_PLANS)) {
    if (!file.path().string().ends_with("_gfx906.txt")) continue;
    std::ifstream lines(file.path());
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with("launch ")) continue;
      const std::string kernel = line.substr(7, line.find(':') - 7);
      EXPECT_TRUE(run.contains(kernel)) << kernel << " of " << file.path().filename();
      ++plans;
    }
  }
  EXPECT_GT(plans, 100);
}

}  // namespace
}  // namespace rowsmith::test
