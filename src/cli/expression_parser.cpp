#include "cli/expression_parser.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <charconv>
#include <string_view>
#include <vector>

namespace rowsmith::cli {

namespace {

constexpr int k_deepest = 100;

// Where the text stops being an expression.
struct misread {
  std::size_t at;
  std::string why;
};

using one = expr (*)(const expr&);
using two = expr (*)(const expr&, const expr&);

struct unary_row {
  std::string_view name;
  one make;
};
constexpr std::array k_unary = {
    unary_row{"abs", abs},
    unary_row{"sqrt", sqrt},
    unary_row{"exp", exp},
    unary_row{"log", log},
    unary_row{"log1p", log1p},
    unary_row{"tanh", tanh},
    unary_row{"erf", erf},
    unary_row{"sigmoid", sigmoid},
    unary_row{"silu", silu},
    unary_row{"gelu_tanh", gelu_tanh},
    unary_row{"gelu_erf", gelu_erf},
    unary_row{"relu", relu},
    unary_row{"not", logical_not},
    unary_row{"f16", [](const expr& a) { return cast(a, dtype::f16); }},
    unary_row{"bf16", [](const expr& a) { return cast(a, dtype::bf16); }},
};

struct binary_row {
  std::string_view name;
  two make;
};
constexpr std::array k_binary = {binary_row{"min", min}, binary_row{"max", max}, binary_row{"pow", pow},
                                 binary_row{"and", logical_and}, binary_row{"or", logical_or}};
// The longer ones first: "<=" is not "<".
constexpr std::array k_comparisons = {binary_row{
    "<=", operator<= },
    binary_row{">=", operator>= },
               binary_row{"==", operator== },
                          binary_row{"!=", operator!= }, binary_row{"<", operator<}, binary_row{">", operator> } };
constexpr std::array k_sums = {binary_row{"+", operator+ }, binary_row{"-", static_cast<two>(operator-)}};
constexpr std::array k_products = {binary_row{"*", operator* }, binary_row{"/", operator/ } };

struct ready_row {
  std::string_view name, text;
};
constexpr std::array k_ready = {ready_row{"gelu", "gelu_erf(x)"},
                                ready_row{"add", "x + in1"},
                                ready_row{"add_sigmoid", "sigmoid(x + in1)"},
                                ready_row{"silu_mul", "silu(x) * in1"},
                                ready_row{"bias_gelu", "gelu_erf(x + in1)"},
                                ready_row{"scale", "x * p0"},
                                ready_row{"power", "pow(x, p0)"},
                                ready_row{"masked_fill", "where(in1, p0, x)"}};

class parser {
 public:
  explicit parser(std::string_view text) : text_(text) {}

  std::vector<expr> all() {
    std::vector<expr> outputs = list();
    skip();
    if (at_ != text_.size()) stop("an operator or a comma is missing");
    return outputs;
  }

 private:
  [[noreturn]] void stop(std::string why) const { throw misread{at_, std::move(why)}; }

  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  bool take(std::string_view word) {
    skip();
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  std::vector<expr> list() {
    std::vector<expr> items;
    do items.push_back(comparison());
    while (take(","));
    return items;
  }

  // a op b op c …, from the left.
  template <std::size_t N, class Next>
  expr chain(const std::array<binary_row, N>& operators, Next next) {
    expr left = next();
    while (true) {
      const binary_row* found = nullptr;
      for (const binary_row& row : operators) {
        if (found == nullptr && take(row.name)) found = &row;
      }
      if (found == nullptr) return left;
      left = found->make(left, next());
    }
  }

  expr comparison() {
    if (++depth_ > k_deepest) stop("it is nested too deep");
    expr e = chain(k_comparisons, [&] { return sum(); });
    --depth_;
    return e;
  }
  expr sum() {
    return chain(k_sums, [&] { return product(); });
  }
  expr product() {
    return chain(k_products, [&] { return factor(); });
  }

  expr factor() {
    int minuses = 0;
    while (take("-")) ++minuses;
    expr e = primary();
    for (; minuses > 0; --minuses) e = -e;
    return e;
  }

  expr primary() {
    if (take("(")) {
      const expr inside = comparison();
      close();
      return inside;
    }
    if (at_ < text_.size() && (std::isdigit(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '.')) {
      return number();
    }
    return named();
  }

  void close() {
    if (!take(")")) stop("a ) is missing");
  }

  expr number() {
    float value = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc()) stop("no number that fp32 has");
    at_ = static_cast<std::size_t>(end - text_.data());
    return constant(value);
  }

  std::string_view word() {
    skip();
    const std::size_t begin = at_;
    const auto belongs = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    while (at_ < text_.size() && belongs(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  expr named() {
    const std::size_t begin = at_;
    const std::string_view name = word();
    if (take("(")) {
      const std::vector<expr> given = list();
      close();
      return called(name, given);
    }
    if (name == "x") return arg(0);
    const bool numbered = !name.empty() && name.back() >= '0' && name.back() <= '7';
    const int digit = numbered ? name.back() - '0' : 0;
    if (numbered && digit > 0 && name.size() == 3 && name.substr(0, 2) == "in") return arg(digit);
    if (numbered && digit < max_expression_parameters && name.size() == 2 && name[0] == 'p') return param(digit);
    at_ = begin;
    stop(name.empty() ? "a number, a name or a ( is missing"
                      : fmt::format("\"{}\" is no name: x, in1 to in7 and p0 to p3 are", name));
  }

  expr called(std::string_view name, const std::vector<expr>& given) const {
    for (const unary_row& row : k_unary) {
      if (row.name == name && given.size() == 1) return row.make(given[0]);
    }
    for (const binary_row& row : k_binary) {
      if (row.name == name && given.size() == 2) return row.make(given[0], given[1]);
    }
    if (name == "where" && given.size() == 3) return where(given[0], given[1], given[2]);
    stop(fmt::format("there is no function \"{}\" of {} argument{}", name, given.size(), given.size() == 1 ? "" : "s"));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

std::string written_out(const std::string& text) {
  for (const ready_row& row : k_ready) {
    if (row.name == text) return std::string(row.text);
  }
  for (const unary_row& row : k_unary) {
    if (row.name == text) return text + "(x)";
  }
  return text;
}

}  // namespace

std::string ready_made() {
  std::string names;
  for (const ready_row& row : k_ready) names += (names.empty() ? "" : ", ") + std::string(row.name);
  return names;
}

result<expression> parse_expression(const std::string& argument, const std::string& text) try {
  const std::vector<expr> outputs = parser(written_out(text)).all();
  auto made = expression::make(outputs.data(), outputs.size());
  if (made) return made;
  return status(code::invalid_argument, fmt::format("{}: {}", argument, made.status().message()));
} catch (const misread& m) {
  return status(code::invalid_argument,
                fmt::format("{}: found \"{}\"; after {} characters {}", argument, text, m.at, m.why));
}

}  // namespace rowsmith::cli
