// forked: a function that runs in a copy of this process, for libraries that serve one thread at a time.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <utility>

#include "base/descriptor.h"
#include "rowsmith/status.h"

namespace rowsmith {

class forked {
 public:
  // A copy in which this thread alone goes on: it runs `ask`, sends the answer and ends, without anything that runs at
  // exit. Whatever another thread is inside of at this moment is never left in the copy: `ask` has to keep away from
  // it. io_error where the system makes no copy.
  static result<forked> start(const std::function<std::string()>& ask);

  forked(forked&& other) noexcept;
  forked& operator=(forked&&) = delete;
  ~forked();  // ends the copy

  // Waits for what `ask` returned, once. internal: it threw, or the copy ended before.
  result<std::string> answer();

 private:
  forked(pid_t process, descriptor from) noexcept : process_(process), from_(std::move(from)) {}
  int wait() noexcept;

  pid_t process_;
  descriptor from_;
};

}  // namespace rowsmith
