#include "property/expressions.h"

#include <bit>
#include <cmath>
#include <vector>

#include "model/expression/instruction.h"
#include "reference/element.h"

namespace rowsmith::test {

namespace {

class author {
 public:
  author(int arguments, bool exact, dice& d) : arguments_(arguments), exact_(exact), d_(d) {}

  expr term(int depth) {
    if (depth == 0 || d_.one_in(6)) return leaf();
    if (exact_ || d_.one_in(2)) return rounded_once(depth - 1);
    return function(depth - 1);
  }

 private:
  expr leaf() {
    if (d_.percent(75)) return arg(static_cast<int>(d_.from_to(0, arguments_ - 1)));
    if (d_.one_in(2)) return param(static_cast<int>(d_.from_to(0, 3)));
    return constant(static_cast<float>(d_.one_in(3) ? d_.from_to(-2, 2) : d_.between(-4, 4)));
  }

  // Above 0 by far, whatever the rounding: nothing that divides by it, or takes its logarithm, comes near an edge.
  expr positive(int depth) { return abs(term(depth)) + constant(static_cast<float>(d_.between(0.25, 2))); }

  expr condition(int depth) {
    const expr a = term(depth), b = leaf();
    switch (d_.from_to(0, 6)) {
      case 0:
        return a < b;
      case 1:
        return a <= b;
      case 2:
        return a > b;
      case 3:
        return a >= b;
      case 4:
        return a == b;
      case 5:
        return logical_or(a != b, logical_not(leaf()));
      default:
        return logical_and(a < b, leaf());
    }
  }

  expr rounded_once(int depth) {
    switch (d_.from_to(0, 11)) {
      case 0:
      case 1:
        return term(depth) + term(depth);
      case 2:
        return term(depth) - term(depth);
      case 3:
      case 4:
        return term(depth) * term(depth);
      case 5:
        return term(depth) / positive(depth);
      case 6:
        return min(term(depth), term(depth));
      case 7:
        return max(term(depth), term(depth));
      case 8:
        return where(condition(depth), term(depth), term(depth));
      case 9:
        return cast(term(depth), d_.of({dtype::f16, dtype::bf16}));
      case 10:
        return d_.one_in(2) ? relu(term(depth)) : -term(depth);
      default:
        return sqrt(abs(term(depth)));
    }
  }

  expr function(int depth) {
    switch (d_.from_to(0, 11)) {
      case 0:
        return exp(term(depth));
      case 1:
        return log(positive(depth));
      case 2:
        return log1p(abs(term(depth)));
      case 3:
        return tanh(term(depth));
      case 4:
        return erf(term(depth));
      case 5:
        return pow(positive(depth), constant(d_.of({-1.5f, 0.5f, 2.0f, 3.0f})));
      case 6:
        return sigmoid(term(depth));
      case 7:
        return silu(term(depth));
      case 8:
        return gelu_tanh(term(depth));
      case 9:
        return gelu_erf(term(depth));
      case 10:
        return gradient(d_.of({&silu, &gelu_tanh, &gelu_erf, &sigmoid, &rowsmith::tanh})(arg(0)) * leaf(), 0);
      default:
        return rounded_once(depth);
    }
  }

  int arguments_;
  bool exact_;
  dice& d_;
};

expression draw_around(int more, bool exact, dice& d) {
  for (;;) {
    author a(more + 1, exact, d);
    const expr inner = d.one_in(2) ? arg(0) * param(0) : arg(0);
    const expr e = d.one_in(2) ? inner + a.term(2) : a.term(2) * inner;
    const auto made = expression::make(d.one_in(4) ? cast(e, dtype::bf16) : e);
    if (made.ok() && (made->arguments_of(0) & 1) != 0) return *made;
  }
}

}  // namespace

expression draw_before(int more, dice& d) { return draw_around(more, true, d); }
expression draw_behind(int more, dice& d) { return draw_around(more, false, d); }

expression draw_computation(int inputs, int outputs, dice& d) {
  for (;;) {
    std::vector<expr> all;
    for (int i = 0; i < outputs; ++i) all.push_back(author(inputs, false, d).term(static_cast<int>(d.from_to(1, 4))));
    const auto made = expression::make(all.data(), all.size());
    if (made.ok()) return *made;
  }
}

namespace {

// std::fmin and std::fmax lose a NaN.
float smaller(float a, float b) { return std::isnan(a) || std::isnan(b) ? NAN : std::fmin(a, b); }
float larger(float a, float b) { return std::isnan(a) || std::isnan(b) ? NAN : std::fmax(a, b); }

float cast_to(float v, dtype t) {
  using namespace rowsmith::reference;
  return t == dtype::f16 ? half_to_float(float_to_half(v)) : t == dtype::bf16 ? bfloat_to_float(float_to_bfloat(v)) : v;
}

}  // namespace

float exact_value(const expression& e, std::span<const float> args, std::span<const float> params) {
  float values[max_expression_words];
  std::size_t n = 0;
  for (const std::uint64_t word : e.words()) {
    const instruction i = instruction::of(word);
    const float a = values[i.operand[0]], b = values[i.operand[1]];
    float& v = values[n++];
    switch (i.op) {
      case opcode::argument:
        v = args[i.immediate];
        break;
      case opcode::parameter:
        v = params[i.immediate];
        break;
      case opcode::constant:
        v = std::bit_cast<float>(i.immediate);
        break;
      case opcode::output:
        return a;
      case opcode::negate:
        v = -a;
        break;
      case opcode::abs:
        v = std::fabs(a);
        break;
      case opcode::sqrt:
        v = std::sqrt(a);
        break;
      case opcode::relu:
        v = a < 0 ? 0 : a;
        break;
      case opcode::logical_not:
        v = a == 0;
        break;
      case opcode::cast:
        v = cast_to(a, static_cast<dtype>(i.immediate));
        break;
      case opcode::add:
        v = a + b;
        break;
      case opcode::subtract:
        v = a - b;
        break;
      case opcode::multiply:
        v = a * b;
        break;
      case opcode::divide:
        v = a / b;
        break;
      case opcode::min:
        v = smaller(a, b);
        break;
      case opcode::max:
        v = larger(a, b);
        break;
      case opcode::less:
        v = a < b;
        break;
      case opcode::less_equal:
        v = a <= b;
        break;
      case opcode::equal:
        v = a == b;
        break;
      case opcode::not_equal:
        v = a != b;
        break;
      case opcode::logical_and:
        v = a != 0 && b != 0;
        break;
      case opcode::logical_or:
        v = a != 0 || b != 0;
        break;
      case opcode::where:
        v = a != 0 ? b : values[i.operand[2]];
        break;
      default:
        v = NAN;
        break;
    }
  }
  return NAN;
}

}  // namespace rowsmith::test
