// verdict: is a draw's result what it must be? Compares numbers with their bounds, keeps the first that is outside, and
// the nearest to its bound of each kind.
#pragma once

#include <map>
#include <span>
#include <string>

#include "property/trial.h"
#include "reference/softmax.h"

namespace rowsmith::test {

class verdict {
 public:
  // Element `i` of row `r`, held to a bound of docs/numerics.md. A bound without an end leaves everything open.
  void number(const char* bound, const reference::bounded& want, dtype out, float got, std::size_t r, std::size_t i);
  // The same where the bound has the output's rounding in it.
  void rounded_number(const char* bound, const reference::bounded& want, dtype out, float got, std::size_t r,
                      std::size_t i);
  void row_sum(const reference::softmax_row& want, dtype out, std::span<const float> got, std::size_t r);
  void fail(std::string what);

  bool passed() const { return what_.empty(); }
  const std::string& what() const { return what_; }
  std::size_t left_open() const { return left_open_; }
  const std::map<std::pair<std::string, dtype>, double>& nearest() const { return nearest_; }

 private:
  double& nearest_of(const char* bound, dtype out);

  std::string what_;
  std::size_t left_open_ = 0;
  std::map<std::pair<std::string, dtype>, double> nearest_;
  const char* last_bound_ = nullptr;
  dtype last_type_ = dtype::f32;
  double* last_ = nullptr;
};

// Compares what the trial's call gave with float64. REQUIRES: fetched.
verdict judge(const trial& t);

}  // namespace rowsmith::test
