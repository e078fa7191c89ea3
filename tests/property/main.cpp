// Draws on one device, as this_program says.
//
//   --device NAME   another device: "cuda:0"
//   --seed N        other draws
//   --kernels N     how many kernels (calls of one op, settings, dtypes and layout) are drawn
//   --draws N       how many calls of them in all
//   --only K:D      draw D of kernel K alone, as a failure names it
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "property/run.h"
#include "property/signals.h"
#include "rowsmith/runtime.h"
#include "support/device_program.h"
#include "support/softmax_check.h"

int main(int argc, char** argv) {
  const rowsmith::test::device_program& program = rowsmith::test::this_program;
  if (program.scalar) ::setenv("ROWSMITH_FORCE_SCALAR", "1", 1);  // the library reads it at its first call
  // Each kernel that is drawn is one of its own, unless any width is asked for.
  ::setenv("ROWSMITH_WIDTH", program.width, 0);
  testing::InitGoogleTest(&argc, argv);
  rowsmith::test::property_run& run = rowsmith::test::the_run();
  std::string_view name = program.device;
  for (int i = 1; i < argc; i += 2) {
    const bool names_device = std::string_view(argv[i]) == "--device" && i + 1 < argc;
    if (names_device) name = argv[i + 1];
    if (!names_device && (i + 1 == argc || !run.take(argv[i], argv[i + 1]))) {
      return std::fprintf(stderr, "%s: not understood; --device, --seed, --kernels, --draws, --only K:D\n", argv[i]), 2;
    }
  }
  rowsmith::test::device_under_test& d = rowsmith::test::under_test();
  if (!rowsmith::parse(name, &d.where)) return std::fprintf(stderr, "no device is called %s\n", name.data()), 2;
  d.scalar = program.scalar;
  if (!GTEST_FLAG_GET(list_tests)) {
    d.unavailable = rowsmith::test::probe(d.where);
    std::printf("seed %llu\n", static_cast<unsigned long long>(run.seed));
    rowsmith::test::say_last_words();
  }
  const int failed = RUN_ALL_TESTS();
  if (run.done != 0) run.print();
  const rowsmith::counter_values n = rowsmith::counters();
  std::printf("kernels: %d compiled, %d from disk, %d shapes by the fallback\n", static_cast<int>(n.compiled),
              static_cast<int>(n.loaded_from_disk), static_cast<int>(n.fallback_kernels));
  return failed;
}
