// Runs a suite as this_program says; --device=NAME on the command line names another device.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "rowsmith/runtime.h"
#include "support/device_program.h"
#include "support/softmax_check.h"

int main(int argc, char** argv) {
  const rowsmith::test::device_program& program = rowsmith::test::this_program;
  if (program.scalar) ::setenv("ROWSMITH_FORCE_SCALAR", "1", 1);  // the library reads it at its first call
  // Kernels of their own width for all, or one for all widths.
  ::setenv("ROWSMITH_WIDTH", program.width, 1);
  testing::InitGoogleTest(&argc, argv);
  std::string_view name = program.device;
  constexpr std::string_view option = "--device=";
  if (argc > 1 && std::string_view(argv[1]).substr(0, option.size()) == option) {
    name = std::string_view(argv[1]).substr(option.size());
  }
  rowsmith::test::device_under_test& d = rowsmith::test::under_test();
  if (!rowsmith::parse(name, &d.where)) return std::fprintf(stderr, "no device is called %s\n", name.data()), 2;
  d.scalar = program.scalar;
  if (!GTEST_FLAG_GET(list_tests)) d.unavailable = rowsmith::test::probe(d.where);

  const int failed = RUN_ALL_TESTS();
  const rowsmith::counter_values n = rowsmith::counters();
  std::printf("kernels: %d compiled, %d from disk, %d shapes by the fallback\n", static_cast<int>(n.compiled),
              static_cast<int>(n.loaded_from_disk), static_cast<int>(n.fallback_kernels));
  return failed;
}
