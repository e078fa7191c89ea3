// words: what the command line says, read as numbers and names; a word that is not understood is refused.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "rowsmith/status.h"

namespace rowsmith::cli {

// What a word is refused with; whoever reads words catches it.
struct refusal {
  std::string text;
};

template <class... A>
[[noreturn]] void refuse(fmt::format_string<A...> format, A&&... values) {
  throw refusal{fmt::format(format, std::forward<A>(values)...)};
}

template <class T>
T need(result<T> r) {
  if (!r) throw refusal{r.status().message()};
  return std::move(*r);
}

template <class T>
T number_in(std::string_view argument, std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) {
    refuse("{}: found \"{}\", a number is allowed", argument, text);
  }
  return value;
}

// "0,2,1"
inline std::vector<int> numbers_in(std::string_view argument, std::string_view text) {
  std::vector<int> all;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    all.push_back(number_in<int>(argument, text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return all;
}

// "eps=1e-6"
inline std::pair<std::string, std::string> name_and_value(std::string_view argument, const std::string& text) {
  const std::size_t at = text.find('=');
  if (at == std::string::npos) refuse("{}: found \"{}\", NAME=VALUE is allowed", argument, text);
  return {text.substr(0, at), text.substr(at + 1)};
}

}  // namespace rowsmith::cli
