// The names of the model's values, as people and cache keys read them. A name, once released, does not change.
#include <array>
#include <charconv>

#include "model/facts.h"
#include "model/op.h"
#include "model/plan.h"
#include "model/request.h"
#include "rowsmith/tensor_view.h"

namespace rowsmith {

namespace {

// Indexed by the frozen values; the first is for values that are none.
constexpr std::array<std::string_view, 12> k_dtypes = {"unknown", "f32", "f16", "bf16", "f64",     "b8",
                                                       "i32",     "i64", "i8",  "u8",   "f8_e4m3", "f8_e5m2"};
constexpr std::array<std::string_view, 5> k_devices = {"unknown", "host", "cuda", "hip", "null"};
constexpr std::array<std::string_view, 34> k_roles = {
    "unknown", "x",   "y",       "mask",  "bias",  "weight", "residual", "sum",  "lse",  "mean", "rstd", "variance",
    "dy",      "dx",  "dweight", "dbias", "index", "causal", "index2",   "",     "",     "in1",  "in2",  "in3",
    "in4",     "in5", "in6",     "in7",   "",      "",       "",         "out1", "out2", "out3"};
constexpr std::array<std::string_view, 20> k_mechanisms = {
    "scalar",      "lanes",     "block",  "staged",       "streamed",  "cluster",      "simd",
    "simd_replay", "columns",   "split",  "simd_columns", "chained",   "simd_chained", "flat",
    "crossed",     "simd_flat", "totals", "simd_totals",  "any_width", "simd_any"};

template <std::size_t N>
std::string_view pick(const std::array<std::string_view, N>& names, std::size_t i) noexcept {
  return i < N ? names[i] : names[0];
}

template <std::size_t N>
std::size_t find(const std::array<std::string_view, N>& names, std::string_view text) noexcept {
  for (std::size_t i = 1; i < N; ++i) {
    if (names[i] == text) return i;
  }
  return 0;
}

}  // namespace

std::string_view name_of(dtype t) noexcept { return pick(k_dtypes, static_cast<std::size_t>(t)); }
std::string_view name_of(device_kind k) noexcept { return pick(k_devices, static_cast<std::size_t>(k)); }
std::string_view name_of(role r) noexcept { return pick(k_roles, static_cast<std::size_t>(r)); }
std::string_view name_of(mechanism m) noexcept { return pick(k_mechanisms, static_cast<std::size_t>(m)); }

bool parse(std::string_view text, dtype* out) noexcept {
  const std::size_t i = find(k_dtypes, text);
  if (i != 0) *out = static_cast<dtype>(i);
  return i != 0;
}

bool parse(std::string_view text, device* out) noexcept {
  const auto colon = text.find(':');
  const std::size_t kind = find(k_devices, text.substr(0, colon));
  if (kind == 0) return false;
  std::int32_t index = 0;
  if (colon != std::string_view::npos) {
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + colon + 1, end, index);
    if (error != std::errc{} || stop != end || index < 0 || index > largest_device_index) return false;
  }
  *out = {static_cast<device_kind>(kind), index};
  return true;
}

}  // namespace rowsmith
