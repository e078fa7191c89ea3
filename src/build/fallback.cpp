#include "build/fallback.h"

#include <charconv>

namespace rowsmith {

namespace {

// "sm_90" and "compute_90" to 90; 0 for anything else.
int cuda_number(std::string_view target) noexcept {
  const auto underscore = target.find('_');
  if (underscore == std::string_view::npos) return 0;
  int number = 0;
  std::from_chars(target.data() + underscore + 1, target.data() + target.size(), number);
  return number;
}

// How well a binary serves a target: 0 not at all, more is better.
int fitness(const embedded_binary& b, const traits& t) noexcept {
  if (b.target == t.arch) return 1000;
  const int have = cuda_number(b.target), want = cuda_number(t.arch);
  if (t.vendor != device_kind::cuda || have == 0 || want < have) return 0;
  if (b.target.starts_with("compute_")) return 1 + have / 10;  // finished by the driver
  return have / 10 == want / 10 ? 500 + have % 10 : 0;         // binary compatible within a generation
}

}  // namespace

std::optional<std::span<const std::byte>> find_fallback(const traits& t, std::string_view entry) noexcept {
  const embedded_binary* best = nullptr;
  for (const embedded_binary& b : embedded_fallbacks()) {
    if (b.vendor != t.vendor || b.entry != entry || fitness(b, t) == 0) continue;
    if (best == nullptr || fitness(b, t) > fitness(*best, t)) best = &b;
  }
  if (best == nullptr) return std::nullopt;
  return best->code;
}

}  // namespace rowsmith
