// progress_bar: how far a long verb is and how long it will take, on stderr, and only where that is a terminal.
#pragma once

#include <cstdint>

#include "cli/stopwatch.h"

namespace rowsmith::cli {

class progress_bar {
 public:
  progress_bar();
  ~progress_bar();  // wipes the line
  progress_bar(const progress_bar&) = delete;
  progress_bar& operator=(const progress_bar&) = delete;

  void show(std::int64_t done, std::int64_t total);

 private:
  const bool terminal_;
  const stopwatch since_start_;
  double last_shown_ = -1;
};

}  // namespace rowsmith::cli
