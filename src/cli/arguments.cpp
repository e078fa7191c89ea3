#include "cli/arguments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <string_view>

#include "cli/number.h"

namespace rowsmith::cli {

namespace {

constexpr std::int64_t k_most_elements = std::int64_t{1} << 48;

status refuse(const std::string& argument, const std::string& found, const std::string& rest) {
  return {code::invalid_argument, fmt::format("{}: found \"{}\", {}", argument, found, rest)};
}

}  // namespace

result<shape> parse_shape(const std::string& text) {
  constexpr const char* form = "whole numbers joined by x are allowed, as in 4x32x512x512";
  shape s;
  std::int64_t product = 1;
  std::string_view rest = text;
  while (true) {
    const std::size_t end = std::min(rest.find('x'), rest.size());
    const std::string_view word = rest.substr(0, end);
    std::int64_t n = 0;
    const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), n);
    if (error == std::errc::result_out_of_range) {
      return refuse("--shape", text, fmt::format("axis {} is too large", s.size()));
    }
    if (error != std::errc() || stop != word.data() + word.size() || n < 0) {
      return refuse("--shape", text, fmt::format("axis {} is \"{}\"; {}", s.size(), word, form));
    }
    s.push_back(n);
    if (n != 0 && product > k_most_elements / n) return refuse("--shape", text, "at most 2^48 elements are allowed");
    product *= std::max<std::int64_t>(n, 1);
    if (end == rest.size()) break;
    rest.remove_prefix(end + 1);
  }
  if (s.size() > max_rank) {
    return refuse("--shape", text, fmt::format("{} axes, at most {} are allowed", s.size(), max_rank));
  }
  return s;
}

std::string to_string(const shape& s) { return fmt::format("{}", fmt::join(s, "x")); }

std::int64_t elements(const shape& s) noexcept {
  return std::accumulate(s.begin(), s.end(), std::int64_t{1}, std::multiplies<>());
}

result<dtype> parse_float(const std::string& argument, const std::string& text) {
  dtype t;
  if (!parse(text, &t) || !is_float(t)) return refuse(argument, text, "f32, f16 and bf16 are allowed");
  return t;
}

result<device> parse_device(const std::string& text) {
  device d;
  if (!parse(text, &d)) return refuse("--device", text, "host, cuda:N and hip:N are allowed");
  return d;
}

std::string to_string(device d) {
  const bool numbered = d.kind == device_kind::cuda || d.kind == device_kind::hip;
  return numbered ? fmt::format("{}:{}", name_of(d.kind), d.index) : std::string(name_of(d.kind));
}

result<exp_mode> parse_exp(const std::string& text) {
  if (text == "by_output") return exp_mode::by_output;
  if (text == "fast") return exp_mode::fast;
  if (text == "accurate") return exp_mode::accurate;
  return refuse("--exp", text, "by_output, fast and accurate are allowed");
}

result<std::int64_t> parse_bytes(const std::string& argument, const std::string& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string suffix(end, text.data() + text.size());
  const int shift = suffix.empty() ? 0 : suffix == "K" ? 10 : suffix == "M" ? 20 : suffix == "G" ? 30 : -1;
  if (error != std::errc() || number < 0 || shift < 0 || number > (INT64_MAX >> shift)) {
    return refuse(argument, text, "a number of bytes is allowed, with an optional suffix K, M or G");
  }
  return number << shift;
}

tensor_view view_of(void* data, dtype type, const shape& s, device where) {
  tensor_view v;
  v.data = data;
  v.dtype = type;
  v.device = where;
  v.rank = static_cast<std::int32_t>(s.size());
  std::int64_t step = 1;
  for (int i = v.rank - 1; i >= 0; --i) {
    v.shape[i] = s[i];
    v.stride[i] = step;
    step *= std::max<std::int64_t>(s[i], 1);
  }
  return v;
}

}  // namespace rowsmith::cli
