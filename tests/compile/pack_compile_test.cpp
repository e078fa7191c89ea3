// Packs of one-byte elements and whole numbers through the real compilers: masks are read as widely as they are
// aligned.
#include <gtest/gtest.h>

#include "backend/backend.h"
#include "render/headers.h"

namespace rowsmith {
namespace {

constexpr const char* kernels = R"(
using namespace rs;
struct mask_args { const b8* mask; const i64* index; float* y; };

template <int Align>
RS_DEVICE void expand(const mask_args& a) {
  const i64 i = block_index() * 256ll + thread_index();
  stored_pack<b8, 16> m;
  load_pack<Align, reuse::once>(m, a.mask + 16 * i);
  store_pack<16>(a.y + 16 * i, stored<float>(unpack(m)));
}
RS_KERNEL(256) wide(const mask_args a) { expand<16>(a); }
RS_KERNEL(256) bytes(const mask_args a) { expand<1>(a); }
RS_KERNEL(256) gather(const mask_args a) {
  const i64 row = load_whole(a.index + block_index());
  const i32 other = load_whole(reinterpret_cast<const i32*>(a.index) + thread_index());
  a.y[row] = static_cast<float>(other);
}
)";

struct target_name {
  device_kind vendor;
  const char* arch;
  const char* machine;
};

class packs_compile : public testing::TestWithParam<target_name> {};

TEST_P(packs_compile, masks_and_indices) {
  backend& b = *backend_for(GetParam().vendor);
  const auto target = b.traits_of(GetParam().arch);
  ASSERT_TRUE(target.ok()) << target.status().to_string();
  if (const auto who = b.compiler(*target); !who) GTEST_SKIP() << who.status().to_string();
  const std::string headers[] = {GetParam().machine, "row/pack.h"};
  source s;
  s.name = "packs";
  s.entry = "wide";
  s.text = gather_headers(headers).value() + kernels;
  const auto made = b.compile(s, *target);
  ASSERT_TRUE(made.ok()) << made.status().to_string() << "\n" << made.status().detail();
  for (const char* entry : {"wide", "bytes", "gather"}) {
    SCOPED_TRACE(entry);
    const auto report = b.report(made->code, *target, entry);
    ASSERT_TRUE(report.ok()) << report.status().to_string();
    EXPECT_EQ(report->local_bytes, 0);
    EXPECT_EQ(report->spills, 0);
    const std::string name = entry;
    if (name == "wide") {
      EXPECT_EQ(report->wide_loads, 1);
    }
    // AMD's compiler makes one unaligned access of them, which its memory can do.
    if (name == "bytes" && GetParam().vendor == device_kind::cuda) {
      EXPECT_EQ(report->narrow_loads, 16);
    }
    if (name != "gather") {
      EXPECT_EQ(report->wide_stores, 4);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(targets, packs_compile,
                         testing::Values(target_name{device_kind::cuda, "sm_75", "machine/cuda.h"},
                                         target_name{device_kind::cuda, "sm_90", "machine/cuda.h"},
                                         target_name{device_kind::hip, "gfx906", "machine/hip.h"}),
                         [](const auto& info) { return std::string(info.param.arch); });

}  // namespace
}  // namespace rowsmith
