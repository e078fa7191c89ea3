#include "mutants/trial.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "mutants/mutant.h"
#include "rowsmith/runtime.h"
#include "support/softmax_check.h"

namespace rowsmith::mutants {

namespace {

class stops_at_the_first_failure : public testing::EmptyTestEventListener {
  void OnTestPartResult(const testing::TestPartResult& r) override {
    if (!r.failed()) return;
    std::printf("%s\n", r.message());
    std::fflush(stdout);
    std::_Exit(failed);
  }
};

std::string filter_of(const std::string& cases) {
  if (cases.empty()) return "*";
  std::string filter;
  for (std::size_t begin = 0; begin <= cases.size();) {
    const std::size_t end = std::min(cases.find(':', begin), cases.size());
    filter += "*/" + cases.substr(begin, end - begin) + ":";
    begin = end + 1;
  }
  return filter;
}

}  // namespace

int hold_trial(const std::string& name, const std::string& cases, const place& where,
               const std::string& scalar_library) {
  const mutant* m = find_mutant(name);
  if (m != nullptr && scalar_library.empty()) put_in(*m);
  if (!scalar_library.empty()) use_scalar_library(scalar_library);
  const bool scalar = where.on == host_scalar;
  if (scalar) ::setenv("ROWSMITH_FORCE_SCALAR", "1", 1);
  ::setenv("ROWSMITH_WIDTH", "exact", 1);  // a mechanism is tried, whatever was tried before
  if (where.on == amd) {
    ::setenv("ROWSMITH_HIP_LIBS", ROWSMITH_TEST_DOUBLE, 1);
    ::setenv("HIPSIM_ARCH", where.name.c_str(), 1);
    ::unsetenv("HIP_VISIBLE_DEVICES");
  }
  int argc = 1;
  char program[] = "trial";
  char* argv[] = {program, nullptr};
  testing::InitGoogleTest(&argc, argv);
  GTEST_FLAG_SET(filter, filter_of(cases));
  test::device_under_test& d = test::under_test();
  if (!parse(where.device, &d.where)) return broken;
  d.scalar = scalar;
  const result<void*> memory = allocate(d.where, 16);
  if (!memory) return std::printf("%s\n", memory.status().to_string().c_str()), broken;
  (void)release(d.where, *memory).ok();
  auto& listeners = testing::UnitTest::GetInstance()->listeners();
  listeners.Append(new stops_at_the_first_failure);
  const int result = RUN_ALL_TESTS();
  if (result != 0) return failed;
  if (testing::UnitTest::GetInstance()->test_to_run_count() == 0) return nothing_ran;
  // A kernel that no compiler takes is answered for by the fallback, which has no fault.
  if (!scalar && counters().compile_failures != 0) return not_compiled;
  return passed;
}

}  // namespace rowsmith::mutants
