// What lies on the disk is damaged: every byte, every length. Never a kernel made of it.
#include <functional>

#include "faults.h"

namespace rowsmith::test {
namespace {

using cache::test::files_below;
using cache::test::read_all;
using cache::test::write_all;

// Calls once for each way to spoil the entry of `width`, in one process; `source` is what must answer.
void spoil(device_kind where, std::int64_t width, std::size_t step, const char* source, bool truncate,
           const std::filesystem::path& folder) {
  the_disk().no_sync = true;
  const std::vector<std::string> files = files_below(folder, ".rsk");
  ASSERT_EQ(files.size(), 1u);
  const std::string good = read_all(files[0]);
  ASSERT_TRUE(call(where, width).ok());
  ASSERT_EQ(last_cold_call().source, "disk");
  std::size_t spoilt = 0;
  for (std::size_t at = 0; at < good.size(); at += step, ++spoilt) {
    std::string bad = truncate ? good.substr(0, at) : good;
    if (!truncate) bad[at] = static_cast<char>(bad[at] ^ (1 << at % 8));
    write_all(files[0], bad);
    forget_kernels();
    const status s = call(where, width);
    ASSERT_TRUE(s.ok()) << "byte " << at << ": " << s.to_string();
    ASSERT_EQ(last_cold_call().source, source) << "byte " << at;
  }
  EXPECT_EQ(counters().cache_damaged, spoilt);
  write_all(files[0], good);
  forget_kernels();
  ASSERT_TRUE(call(where, width).ok());
  EXPECT_EQ(last_cold_call().source, "disk");
}

TEST_F(faults, case_14_every_byte_flipped_under_a_caller_that_compiles) {
  ASSERT_EQ(scene([] { ASSERT_TRUE(call(device_kind::null, 64).ok()); }), 0);
  EXPECT_EQ(scene([&] { spoil(device_kind::null, 64, 1, "compiled", false, cache_dir()); }), 0);
}

TEST_F(faults, case_16_every_length_under_a_caller_that_compiles) {
  ASSERT_EQ(scene([] { ASSERT_TRUE(call(device_kind::null, 64).ok()); }), 0);
  EXPECT_EQ(scene([&] { spoil(device_kind::null, 64, 1, "compiled", true, cache_dir()); }), 0);
}

// Real machine code, which a processor would run: a part of all bytes, in a soak every one.
TEST_F(faults, case_14_case_16_damaged_machine_code_is_not_run) {
  ASSERT_EQ(scene([] { ASSERT_TRUE(call(device_kind::host, 96).ok()); }), 0);
  const std::size_t step = soak() > 1 ? 1 : 211;
  for (const bool truncate : {false, true}) {
    EXPECT_EQ(scene([&] { spoil(device_kind::host, 96, step, "fallback", truncate, cache_dir()); },
                    {"ROWSMITH_COMPILE=never"}),
              0);
  }
}

}  // namespace
}  // namespace rowsmith::test
