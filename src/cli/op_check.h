// op_check: the results of a call against float64, for every op that a reference is known of.
#pragma once

#include "cli/call_tensors.h"
#include "cli/comparison.h"

namespace rowsmith::cli {

// What the command compares.
constexpr std::int64_t most_elements_compared = std::int64_t{64} << 20;

// Above this many elements, what is a sum over all rows is not compared.
constexpr std::int64_t most_elements_summed = std::int64_t{4} << 20;

// `most`: above so many elements a sample of the rows is compared.
comparison compare(const call_tensors& c, std::int64_t most = most_elements_compared);

}  // namespace rowsmith::cli
