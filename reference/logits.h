// logits: what a softmax is taken of, for one row: x, scaled, with masks and biases. These are points of rounding, so
// that a fused kernel gives what the separate ops give: fl(fl(fl(x * scale) + additive) + bias) with fl to fp32. A
// position that is removed becomes -inf whatever it holds.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "reference/expected.h"

namespace rowsmith::reference {

struct logit_terms {
  std::optional<float> scale;
  reals additive, bias;    // empty: none
  std::vector<bool> keep;  // empty: every position
};

reals logits(std::span<const double> x, const logit_terms& terms = {});

// Bool masks as positions to keep.
std::vector<bool> keep(std::span<const std::uint8_t> mask);
std::vector<bool> drop(std::span<const std::uint8_t> mask);
// Row `row` sees positions up to row + offset.
std::vector<bool> causal(std::size_t width, std::int64_t row, std::int64_t offset);

}  // namespace rowsmith::reference
