// softmax and log_softmax of one row of logits, their log-sum-exp, and their gradients.
#pragma once

#include <span>
#include <vector>

#include "reference/expected.h"

namespace rowsmith::reference {

// A row without a surviving key (every logit -inf) is NaN in plain mode and 0 in masked mode.
enum class empty_rows { not_a_number, zero };
enum class exponential { fast, accurate };

struct softmax_row {
  expected y;
  bounded lse;  // max + log(sum): NaN with NaN or +inf in the row, -inf for one without a surviving key, in either mode
};

softmax_row softmax(std::span<const double> logits, exponential e, empty_rows empty = empty_rows::not_a_number);
softmax_row log_softmax(std::span<const double> logits, empty_rows empty = empty_rows::not_a_number);

// dx of softmax(scale * x) and of log_softmax(scale * x), from the stored y. In masked mode a removed position, and one
// where y shows that it was removed (softmax 0, log_softmax -inf, a whole row of 0), takes no part whatever dy holds:
// its gradient is 0. `keep` empty: none is known to be removed.
struct gradient_terms {
  double scale = 1;
  empty_rows empty = empty_rows::not_a_number;
  std::vector<bool> keep;
  exponential exp = exponential::accurate;  // log_softmax takes one of y
};
expected softmax_backward(std::span<const double> y, std::span<const double> dy, const gradient_terms& t = {});
expected log_softmax_backward(std::span<const double> y, std::span<const double> dy, const gradient_terms& t = {});

}  // namespace rowsmith::reference
