// verdict: gathers, output by output, how a call's results compare.
#pragma once

#include <string_view>

#include "cli/call_tensors.h"
#include "cli/comparison.h"

namespace rowsmith::cli {

class verdict {
 public:
  explicit verdict(const call_tensors& c);

  // Row `row` of an output must be `want`; nothing where the output is not there.
  void row(std::string_view role, std::int64_t row, const reference::expected& want);

  // The same of an output that has one element a row, and of a whole one in its own order.
  void one(std::string_view role, std::int64_t row, const reference::bounded& want);
  void all(std::string_view role, const reference::expected& want);

  // The sum of a row is 1: how far off it is.
  void row_sum(double error);

  void take_worse(const verdict& other);
  const comparison& found() const noexcept { return found_; }
  comparison& found() noexcept { return found_; }

 private:
  output_comparison* find(std::string_view role);

  const call_tensors& call_;
  comparison found_;
};

}  // namespace rowsmith::cli
