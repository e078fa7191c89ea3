#include "cli/progress_bar.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <string>

namespace rowsmith::cli {

namespace {

constexpr std::int64_t width = 30;
constexpr double interval = 0.1;  // seconds between two looks

std::string time_left(double seconds) {
  const auto whole = static_cast<std::int64_t>(seconds + 0.5);
  return whole < 120 ? fmt::format("{} s left", whole) : fmt::format("{} min left", (whole + 59) / 60);
}

}  // namespace

progress_bar::progress_bar() : terminal_(isatty(STDERR_FILENO) != 0) {}

progress_bar::~progress_bar() {
  if (last_shown_ >= 0) std::fputs("\r\x1b[K", stderr);
}

void progress_bar::show(std::int64_t done, std::int64_t total) {
  const double now = since_start_.seconds();
  if (!terminal_ || done == 0 || total == 0 || (last_shown_ >= 0 && now - last_shown_ < interval)) return;
  last_shown_ = now;
  const auto full = static_cast<std::size_t>(done * width / total);
  const double left = now / static_cast<double>(done) * static_cast<double>(total - done);
  const std::string line =
      fmt::format("\r\x1b[K[{}{}] {}/{}, {}", std::string(full, '#'),
                  std::string(static_cast<std::size_t>(width) - full, '.'), done, total, time_left(left));
  std::fputs(line.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace rowsmith::cli
