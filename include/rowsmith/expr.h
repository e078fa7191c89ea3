// expr: elementwise mathematics as a value. expression: one or several of them, made canonical.
//
//   const auto gate = expression::make(silu(arg(0)) * arg(1) + param(0));
//   if (!gate) …  // gate.status() names the part that is not allowed
//
// Arithmetic is in fp32. Every operation rounds once, in the order in which it is written: nothing is re-associated,
// contracted or folded. `cast` is a rounding point of its own.
//
// Building an expr never fails: an argument out of range, or too much mathematics, is reported by expression::make.
// Thread promise: exprs and expressions may be copied and read from any thread; one object is not written from two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rowsmith/export.h"
#include "rowsmith/expression_id.h"
#include "rowsmith/status.h"
#include "rowsmith/tensor_view.h"

namespace rowsmith {

constexpr int max_expression_arguments = 8;
constexpr int max_expression_parameters = 4;
constexpr int max_expression_outputs = 8;
constexpr int max_expression_words = 64;

struct expression_fragment;  // opaque

// Cheap to copy. There is no empty one; a move is a copy.
class expr {
 public:
  ROWSMITH_EXPORT expr(float value);  // constant(value), so that `2 * arg(0)` can be written
  expr(const expr&) noexcept = default;
  expr& operator=(const expr&) noexcept = default;

 private:
  friend struct expression_access;
  explicit expr(std::shared_ptr<const expression_fragment> f) noexcept : fragment_(std::move(f)) {}
  std::shared_ptr<const expression_fragment> fragment_;
};

// ---- leaves ----

ROWSMITH_EXPORT expr arg(int i);    // element of the i-th argument, 0 to 7, as fp32
ROWSMITH_EXPORT expr param(int k);  // a number given with the call, 0 to 3: another value compiles nothing anew
ROWSMITH_EXPORT expr constant(float value);  // a part of the kernel. Every NaN is the same NaN

// ---- arithmetic ----

ROWSMITH_EXPORT expr operator-(const expr& a);
ROWSMITH_EXPORT expr operator+(const expr& a, const expr& b);
ROWSMITH_EXPORT expr operator-(const expr& a, const expr& b);
ROWSMITH_EXPORT expr operator*(const expr& a, const expr& b);
ROWSMITH_EXPORT expr operator/(const expr& a, const expr& b);
ROWSMITH_EXPORT expr min(const expr& a, const expr& b);  // NaN where a or b is NaN
ROWSMITH_EXPORT expr max(const expr& a, const expr& b);

// ---- conditions: 1 or 0. As a condition, every value but 0 is true, NaN too ----

ROWSMITH_EXPORT expr operator<(const expr& a, const expr& b);
ROWSMITH_EXPORT expr operator<=(const expr& a, const expr& b);
ROWSMITH_EXPORT expr operator>(const expr& a, const expr& b);
ROWSMITH_EXPORT expr operator>=(const expr& a, const expr& b);
ROWSMITH_EXPORT expr operator==(const expr& a, const expr& b);
ROWSMITH_EXPORT expr operator!=(const expr& a, const expr& b);
ROWSMITH_EXPORT expr logical_not(const expr& a);
ROWSMITH_EXPORT expr logical_and(const expr& a, const expr& b);
ROWSMITH_EXPORT expr logical_or(const expr& a, const expr& b);
ROWSMITH_EXPORT expr where(const expr& condition, const expr& a, const expr& b);  // a where the condition is true

// ---- functions ----

ROWSMITH_EXPORT expr abs(const expr& a);
ROWSMITH_EXPORT expr sqrt(const expr& a);
ROWSMITH_EXPORT expr exp(const expr& a);
ROWSMITH_EXPORT expr log(const expr& a);
ROWSMITH_EXPORT expr log1p(const expr& a);
ROWSMITH_EXPORT expr tanh(const expr& a);
ROWSMITH_EXPORT expr erf(const expr& a);
ROWSMITH_EXPORT expr pow(const expr& a, const expr& b);
ROWSMITH_EXPORT expr sigmoid(const expr& a);    // 1 / (1 + exp(-a))
ROWSMITH_EXPORT expr silu(const expr& a);       // a sigmoid(a)
ROWSMITH_EXPORT expr gelu_tanh(const expr& a);  // a / 2 (1 + tanh(sqrt(2/π) (a + 0.044715 a³)))
ROWSMITH_EXPORT expr gelu_erf(const expr& a);   // a / 2 (1 + erf(a / sqrt(2)))
ROWSMITH_EXPORT expr relu(const expr& a);       // max(a, 0)

// Rounds to nearest even to f16 or bf16; f32 changes nothing.
ROWSMITH_EXPORT expr cast(const expr& a, dtype to);

// The derivative with respect to arg(i), as PyTorch defines it where there is none: min and max share it half and half
// where both sides are equal, relu and abs have 0 at 0, a condition has 0, and a cast is passed through unrounded.
ROWSMITH_EXPORT expr gradient(const expr& e, int i);

// ---- the canonical form ----

// The same mathematics, written twice the same way, is the same words: an equal subexpression is there once, operands
// of what commutes are ordered. A word: src/model/expression/instruction.h. Immutable; cheap to copy.
class expression {
 public:
  // invalid_argument: no output or more than 8, something in an output that is not allowed, more than 64 words.
  ROWSMITH_EXPORT static result<expression> make(const expr* outputs, std::size_t count);
  static result<expression> make(std::initializer_list<expr> outputs) { return make(outputs.begin(), outputs.size()); }
  static result<expression> make(const expr& output) { return make(&output, 1); }

  // From words that anybody wrote. Words of make() come back as they are; others that are well formed are made
  // canonical. invalid_argument names the word that is not.
  ROWSMITH_EXPORT static result<expression> from_words(const std::uint64_t* words, std::size_t count);

  expression(const expression&) noexcept = default;  // a move is a copy
  expression& operator=(const expression&) noexcept = default;

  const std::vector<std::uint64_t>& words() const noexcept { return *words_; }
  expression_id id() const noexcept { return id_; }

  ROWSMITH_EXPORT int output_count() const noexcept;
  ROWSMITH_EXPORT int argument_count() const noexcept;   // the highest argument there is, and one
  ROWSMITH_EXPORT int parameter_count() const noexcept;  // the same of parameters

  // Which arguments output n is made of: bit i for arg(i). REQUIRES: 0 <= n < output_count().
  ROWSMITH_EXPORT unsigned arguments_of(int n) const noexcept;

  // Output n again as an expr, for more mathematics. REQUIRES: 0 <= n < output_count().
  ROWSMITH_EXPORT expr output(int n) const;

  // "silu(a0) * a1 + p0". What is used twice has a name: "t0 = exp(a0); t0 / (1 + t0)". Outputs stand between commas.
  ROWSMITH_EXPORT std::string to_string() const;

  friend bool operator==(const expression& a, const expression& b) noexcept { return a.words() == b.words(); }
  friend bool operator!=(const expression& a, const expression& b) noexcept { return !(a == b); }

 private:
  friend struct expression_access;
  ROWSMITH_EXPORT explicit expression(std::vector<std::uint64_t> words);
  std::shared_ptr<const std::vector<std::uint64_t>> words_;
  expression_id id_;
};

}  // namespace rowsmith
