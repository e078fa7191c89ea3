// Kernels and tensors at random (../../property), on a simulated card: any op, mask, expression, layout and value.
// Bounded in executed wave-instructions, because a run here takes a thousand times as long as on a card; --seed,
// --kernels, --draws, --only K:D as there.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "gcn/suite/double.h"
#include "property/run.h"
#include "property/signals.h"
#include "rowsmith/runtime.h"
#include "support/softmax_check.h"

namespace {

constexpr std::uint64_t most_instructions = 150'000'000;  // of each process: seven seconds

}  // namespace

int main(int argc, char** argv) {
  using namespace rowsmith::test;
  use_double(ROWSMITH_TEST_DOUBLE, ROWSMITH_TEST_ARCH);
  ::setenv("ROWSMITH_WIDTH", "exact", 0);
  if (ROWSMITH_TEST_SCALAR) ::setenv("ROWSMITH_FORCE_SCALAR", "1", 1);
  testing::InitGoogleTest(&argc, argv);
  property_run& run = the_run();
  run.kernels = 100;
  run.draws = 1200;
  run.enough = [] { return simulated_hip::get().instructions() > most_instructions; };
  for (int i = 1; i < argc; i += 2) {
    if (i + 1 == argc || !run.take(argv[i], argv[i + 1])) {
      return std::fprintf(stderr, "%s: not understood; --seed, --kernels, --draws, --only K:D\n", argv[i]), 2;
    }
  }
  device_under_test& d = under_test();
  d.where = {rowsmith::device_kind::hip, 0};
  d.scalar = ROWSMITH_TEST_SCALAR;
  if (!GTEST_FLAG_GET(list_tests)) {
    d.unavailable = simulated_hip::get().problem;
    std::printf("seed %llu\n", static_cast<unsigned long long>(run.seed));
    say_last_words();
  }
  const int failed = RUN_ALL_TESTS();
  if (run.done != 0) run.print();
  if (!GTEST_FLAG_GET(list_tests) && d.unavailable.empty()) {
    std::printf("%s: %llu launches, %llu wave-instructions\n", std::getenv("HIPSIM_ARCH"),
                static_cast<unsigned long long>(simulated_hip::get().launches()),
                static_cast<unsigned long long>(simulated_hip::get().instructions()));
  }
  return failed;
}
