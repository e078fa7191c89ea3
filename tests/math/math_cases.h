// math_cases: the elementwise functions, what each must give in float64, and inputs that reach every exponent.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace rowsmith::test {

struct math_function {
  const char* name;
  const char* expression;               // of x (and y), as a kernel writes it
  int operands;                         // 1 or 2
  double (*reference)(double, double);  // in float64
  double ulps = 4;                      // how far off it may be

  std::string entry() const { return std::string("of_") + name; }  // its kernel's symbol
};

std::span<const math_function> math_functions();

// `f` of every x (and y): as many floats.
using math_runner =
    std::function<std::vector<float>(const math_function& f, const std::vector<float>& x, const std::vector<float>& y)>;

// Every function over its dense sample. Records the worst error of each as a test property.
void expect_every_function_right(const math_runner& run);

// Single values that went wrong elsewhere, by the id of their case.
void expect_vectors_right(const math_runner& run, std::span<const std::string_view> ids);

}  // namespace rowsmith::test
