// Runs an expression word by word on one element: what the fallback does, which no compiler sees the mathematics of.
//
//   a word: bits 0-7 opcode, 8-31 three operands (places of earlier words), 32-63 an immediate.
//
// The opcodes are those of rowsmith::opcode; the values are frozen.
#pragma once

#include "row/math.h"
#include "scalar/tensor.h"

namespace rs {

constexpr int most_words = 64;

struct word_op {
  enum : int {
    argument = 1,
    parameter = 2,
    constant = 3,
    output = 4,
    negate = 16,
    abs = 17,
    sqrt = 18,
    exp = 19,
    log = 20,
    log1p = 21,
    tanh = 22,
    erf = 23,
    sigmoid = 24,
    silu = 25,
    gelu_tanh = 26,
    gelu_erf = 27,
    relu = 28,
    logical_not = 29,
    cast = 30,
    add = 64,
    subtract = 65,
    multiply = 66,
    divide = 67,
    min = 68,
    max = 69,
    pow = 70,
    less = 71,
    less_equal = 72,
    equal = 73,
    not_equal = 74,
    logical_and = 75,
    logical_or = 76,
    where = 128,
  };
};

RS_DEVICE float one_or_zero(bool c) { return c ? 1.0f : 0.0f; }

RS_DEVICE float unary_word(int code, u32 immediate, float a) {
  switch (code) {
    case word_op::negate:
      return -a;
    case word_op::abs:
      return m_abs(a);
    case word_op::sqrt:
      return m_sqrt(a);
    case word_op::exp:
      return m_exp(a);
    case word_op::log:
      return m_log(a);
    case word_op::log1p:
      return m_log1p(a);
    case word_op::tanh:
      return m_tanh(a);
    case word_op::erf:
      return m_erf(a);
    case word_op::sigmoid:
      return m_sigmoid(a);
    case word_op::silu:
      return m_silu(a);
    case word_op::gelu_tanh:
      return m_gelu_tanh(a);
    case word_op::gelu_erf:
      return m_gelu_erf(a);
    case word_op::relu:
      return m_relu(a);
    case word_op::logical_not:
      return one_or_zero(a == 0.0f);
    default:
      return immediate == type_f16 ? round_to<f16>(a) : round_to<bf16>(a);  // a cast
  }
}

RS_DEVICE float binary_word(int code, float a, float b) {
  switch (code) {
    case word_op::add:
      return a + b;
    case word_op::subtract:
      return a - b;
    case word_op::multiply:
      return a * b;
    case word_op::divide:
      return a / b;
    case word_op::min:
      return m_min(a, b);
    case word_op::max:
      return m_max(a, b);
    case word_op::pow:
      return m_pow(a, b);
    case word_op::less:
      return one_or_zero(a < b);
    case word_op::less_equal:
      return one_or_zero(a <= b);
    case word_op::equal:
      return one_or_zero(a == b);
    case word_op::not_equal:
      return one_or_zero(a != b);
    case word_op::logical_and:
      return one_or_zero(a != 0.0f && b != 0.0f);
    default:
      return one_or_zero(a != 0.0f || b != 0.0f);  // logical_or
  }
}

// REQUIRES: words that rowsmith::expression made; args, params and outputs as many as they name.
RS_DEVICE void interpret(const u64* words, int count, const float* args, const float* params, float* outputs) {
  float value[most_words];
  value[0] = 0.0f;  // operands that a word does not use are 0
  for (int at = 0; at < count; ++at) {
    const u64 word = words[at];
    const int code = static_cast<int>(word & 0xff);
    const u32 immediate = static_cast<u32>(word >> 32);
    const float a = value[word >> 8 & 0xff], b = value[word >> 16 & 0xff], c = value[word >> 24 & 0xff];
    if (code == word_op::argument) {
      value[at] = args[immediate];
    } else if (code == word_op::parameter) {
      value[at] = params[immediate];
    } else if (code == word_op::constant) {
      value[at] = __builtin_bit_cast(float, immediate);
    } else if (code == word_op::output) {
      outputs[immediate] = a;
    } else if (code == word_op::where) {
      value[at] = select(a != 0.0f, b, c);
    } else {
      value[at] = code < word_op::add ? unary_word(code, immediate, a) : binary_word(code, a, b);
    }
  }
}

}  // namespace rs
