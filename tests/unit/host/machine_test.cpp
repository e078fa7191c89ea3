// machine/host.h alone: every conversion and the exponential, on every compiler and CPU form at hand.
#include <cmath>
#include <cstring>

#include "support.h"

namespace rowsmith::host_test {
namespace {

class machine : public testing::TestWithParam<toolchain> {};

// Kernels over plain arrays: op[0] in, op[1] out, `width` elements, whole packs; rows are not looked at.
constexpr const char* text = R"(
template <class To, class From>
RS_DEVICE void convert(const row_args<2, 7>& a) {
  const From* in = static_cast<const From*>(a.op[0].data);
  To* out = static_cast<To*>(a.op[1].data);
  for (i64 i = 0; i < a.width; i += pack_size) store(out + i, load(in + i));
}
template <class To, class From>
RS_DEVICE void convert_one(const row_args<2, 7>& a) {
  for (i64 i = 0; i < a.width; ++i) {
    static_cast<To*>(a.op[1].data)[i] = storage<To>::of(to_float(static_cast<const From*>(a.op[0].data)[i]));
  }
}
RS_KERNEL from_f16(const row_args<2, 7>* a, i64, i64) { convert<f32, f16>(*a); }
RS_KERNEL from_bf16(const row_args<2, 7>* a, i64, i64) { convert<f32, bf16>(*a); }
RS_KERNEL to_f16(const row_args<2, 7>* a, i64, i64) { convert<f16, f32>(*a); }
RS_KERNEL to_bf16(const row_args<2, 7>* a, i64, i64) { convert<bf16, f32>(*a); }
RS_KERNEL from_f16_one(const row_args<2, 7>* a, i64, i64) { convert_one<f32, f16>(*a); }
RS_KERNEL from_bf16_one(const row_args<2, 7>* a, i64, i64) { convert_one<f32, bf16>(*a); }
RS_KERNEL to_f16_one(const row_args<2, 7>* a, i64, i64) { convert_one<f16, f32>(*a); }
RS_KERNEL to_bf16_one(const row_args<2, 7>* a, i64, i64) { convert_one<bf16, f32>(*a); }
// Whole packs; the first of them also by every part of it, which marks what is wrong by -1.
RS_KERNEL from_b8(const row_args<2, 7>* a, i64, i64) {
  const b8* in = static_cast<const b8*>(a->op[0].data);
  f32* out = static_cast<f32*>(a->op[1].data);
  for (i64 i = 0; i < a->width; i += pack_size) store(out + i, load(in + i));
  for (int first = 0; first < pack_size; ++first) {
    for (int end = first + 1; end <= pack_size; ++end) {
      const pack part = load_part(in, first, end);
      for (int i = 0; i < pack_size; ++i) {
        if (part[i] != (first <= i && i < end ? to_float(in[i]) : 0.0f)) out[i] = -1.0f;
      }
    }
  }
}
RS_KERNEL exponential(const row_args<2, 7>* a, i64, i64) {
  for (i64 i = 0; i < a->width; i += pack_size) {
    store(static_cast<f32*>(a->op[1].data) + i, vexp2(load(static_cast<const f32*>(a->op[0].data) + i)));
  }
}
RS_KERNEL fused(const row_args<2, 7>* a, i64, i64) {
  const f32* in = static_cast<const f32*>(a->op[0].data);
  for (i64 i = 0; i < a->width; i += pack_size) {
    store(static_cast<f32*>(a->op[1].data) + i, vfma(load(in + i), load(in + i), splat(-1.0f)));
  }
}
)";

std::vector<std::byte> run(const kernels& all, const char* entry, const void* in, std::size_t count,
                           std::size_t out_size) {
  std::vector<std::byte> out(count * out_size);
  argument_block a;
  a.rows = 1;
  a.width = static_cast<std::int64_t>(count);
  a.op[0].data = in;
  a.op[1].data = out.data();
  EXPECT_TRUE(launch(*all.load(entry), a).ok());
  return out;
}

float as_float(std::uint32_t bits) {
  float f;
  std::memcpy(&f, &bits, sizeof f);
  return f;
}

TEST_P(machine, conversions) {
  const kernels all(GetParam(), text, "from_f16");
  ASSERT_TRUE(all.ok());

  std::vector<std::uint16_t> every(65536);
  for (std::size_t i = 0; i < every.size(); ++i) every[i] = static_cast<std::uint16_t>(i);
  for (const auto& [entry, type] : {std::pair{"from_f16", dtype::f16}, std::pair{"from_bf16", dtype::bf16},
                                    std::pair{"from_f16_one", dtype::f16}, std::pair{"from_bf16_one", dtype::bf16}}) {
    const auto out = run(all, entry, every.data(), every.size(), 4);
    for (std::int64_t i = 0; i < 65536; ++i) {
      const double want = get(every.data(), type, i), got = get(out.data(), dtype::f32, i);
      ASSERT_TRUE(std::isnan(want) ? std::isnan(got) : want == got && std::signbit(want) == std::signbit(got))
          << entry << " of " << i << ": " << got << ", expected " << want;
    }
  }

  // Every value of both types, what lies half way to the next, and one step to either side of both; NaN of all kinds.
  std::vector<float> floats;
  for (std::uint32_t i = 0; i < 65536; ++i) {
    for (const std::uint32_t low : {0x0000u, 0x0001u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu})
      floats.push_back(as_float(i << 16 | low));
    const auto half = static_cast<float>(get(every.data(), dtype::f16, i));
    const auto after = static_cast<float>(get(every.data(), dtype::f16, (i + 1) & 0xffff));
    const float middle = half + (after - half) / 2;
    for (const float f : {half, middle}) {
      for (const float g : {f, std::nextafter(f, INFINITY), std::nextafter(f, -INFINITY)}) floats.push_back(g);
    }
  }
  while (floats.size() % 16 != 0) floats.push_back(0);
  for (const auto& [entry, type] : {std::pair{"to_f16", dtype::f16}, std::pair{"to_bf16", dtype::bf16},
                                    std::pair{"to_f16_one", dtype::f16}, std::pair{"to_bf16_one", dtype::bf16}}) {
    const auto out = run(all, entry, floats.data(), floats.size(), 2);
    for (std::size_t i = 0; i < floats.size(); ++i) {
      std::uint16_t want, got;
      put(&want, type, 0, static_cast<double>(floats[i]));
      std::memcpy(&got, out.data() + 2 * i, 2);
      if (std::isnan(floats[i])) {
        const int quiet = type == dtype::f16 ? 0x7e00 : 0x7fc0;
        ASSERT_EQ(got & quiet, quiet) << entry << ": a NaN is not a quiet NaN";
      } else {
        ASSERT_EQ(got, want) << entry << " of " << floats[i];
      }
    }
  }
}

TEST_P(machine, mask_bytes) {
  const kernels all(GetParam(), text, "from_b8");
  ASSERT_TRUE(all.ok());
  std::vector<std::uint8_t> every(256);
  for (std::size_t i = 0; i < every.size(); ++i) every[i] = static_cast<std::uint8_t>(i % 3 == 0 ? 0 : i);
  const auto out = run(all, "from_b8", every.data(), every.size(), 4);
  for (std::int64_t i = 0; i < 256; ++i) ASSERT_EQ(get(out.data(), dtype::f32, i), i % 3 == 0 ? 0 : 1) << i;
}

TEST_P(machine, exp2) {
  const kernels all(GetParam(), text, "exponential");
  ASSERT_TRUE(all.ok());
  std::vector<float> x = {0.0f,    -0.0f,   NAN,    INFINITY, -INFINITY, -1e30f, -127.0f, -126.0f,
                          -126.6f, -149.0f, 127.4f, 1.0f,     -1.0f,     0.5f,   -0.5f,   1e-30f};
  for (int i = 0; i < 1 << 18; ++i) x.push_back(-126.0f * static_cast<float>(i) / (1 << 18));
  for (int i = 0; i < 1 << 14; ++i) x.push_back(127.0f * static_cast<float>(i) / (1 << 14));
  const auto out = run(all, "exponential", x.data(), x.size(), 4);
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double want = std::exp2(static_cast<double>(x[i])),
                 got = get(out.data(), dtype::f32, static_cast<std::int64_t>(i));
    if (std::isnan(want) || std::isinf(want) || x[i] == -INFINITY || x[i] == 0) {
      EXPECT_TRUE(std::isnan(want) ? std::isnan(got) : want == got) << "2^" << x[i] << " = " << got;
    } else if (want < std::ldexp(1.0, -126)) {
      EXPECT_LE(std::fabs(got - want), std::ldexp(1.0, -126)) << "2^" << x[i];
    } else {
      worst = std::max(worst, std::fabs(got - want) / want);
    }
  }
  RecordProperty("worst_relative_error_in_u", std::to_string(std::ldexp(worst, 24)));
  EXPECT_LE(std::ldexp(worst, 24), 2.5);
}

// (1 + 2^-12)² - 1 loses its last bit where the product is rounded first.
TEST_P(machine, fma_rounds_once) {
  const kernels all(GetParam(), text, "fused");
  ASSERT_TRUE(all.ok());
  const std::vector<float> x(16, 1.0f + std::ldexp(1.0f, -12));
  const auto out = run(all, "fused", x.data(), x.size(), 4);
  EXPECT_EQ(get(out.data(), dtype::f32, 3), std::ldexp(1.0, -11) + std::ldexp(1.0, -24));
}

INSTANTIATE_TEST_SUITE_P(machines, machine, testing::ValuesIn(toolchains()),
                         [](const auto& info) { return name_of(info.param); });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(machine);

}  // namespace
}  // namespace rowsmith::host_test
