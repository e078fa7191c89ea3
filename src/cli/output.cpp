#include "cli/output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace rowsmith::cli {

namespace {

// Width on a terminal: UTF-8 continuation bytes take no column.
std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string padded(std::string_view text, std::size_t width) {
  std::string out(text);
  const std::size_t have = columns(text);
  if (have < width) out.append(width - have, ' ');
  return out;
}

// An empty last cell leaves no blanks behind.
std::string without_tail(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

enum class promise { none, made, kept };
promise g_json = promise::none;

}  // namespace

void promise_json() noexcept { g_json = promise::made; }

// Bytes that are not UTF-8 (a path, a compiler's log) are replaced: an object must come out whatever was found.
void print_json(const json& value) {
  g_json = promise::kept;
  print_text(value.dump(2, ' ', false, json::error_handler_t::replace) + "\n");
}

void print_error(std::string_view code, std::string_view message, std::string_view detail) {
  if (g_json != promise::made) return;
  json error = {{"code", code}, {"message", message}};
  if (!detail.empty()) error["detail"] = detail;
  print_json({{"error", error}});
}

void print_text(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

std::string aligned(const std::vector<std::pair<std::string, std::string>>& rows) {
  std::size_t width = 0;
  for (const auto& [name, value] : rows) width = std::max(width, columns(name));
  std::string text;
  for (const auto& [name, value] : rows) text += without_tail(padded(name, width) + "  " + value) + "\n";
  return text;
}

std::string table(const std::vector<std::string>& headings, const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> width;
  for (const std::string& h : headings) width.push_back(columns(h));
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) width[i] = std::max(width[i], columns(row[i]));
  }
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string text;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      text += i + 1 < cells.size() ? padded(cells[i], width[i]) + "  " : cells[i];
    }
    return without_tail(text) + "\n";
  };
  std::string text = line(headings);
  for (const auto& row : rows) text += line(row);
  return text;
}

std::string indented(std::string_view text, int by) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out += std::string(end == 0 ? 0 : by, ' ') + std::string(text.substr(0, end)) + "\n";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string human_bytes(std::int64_t bytes) {
  constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  int unit = 0;
  while (value >= 1024 && unit < 4) value /= 1024, ++unit;
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, units[unit]);
}

int fail(const status& s) {
  print_error(name_of(s.error()), s.message(), s.detail());
  std::fflush(stdout);
  fmt::print(stderr, "rowsmith: {}\n", s.to_string());
  if (!s.detail().empty()) fmt::print(stderr, "{}", indented(s.detail(), 2));
  return exit_of(s.error());
}

}  // namespace rowsmith::cli
