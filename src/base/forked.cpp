#include "base/forked.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <utility>

namespace rowsmith {
namespace {

[[noreturn]] void answer_and_end(const std::function<std::string()>& ask, int to) noexcept {
  bool sent = false;
  try {
    const std::string text = ask();
    const std::uint64_t length = text.size();
    sent = write_all(to, &length, sizeof length) && write_all(to, text.data(), text.size());
  } catch (...) {  // the status tells
  }
  ::_exit(sent ? 0 : 1);
}

std::string how_it_ended(int state) {
  if (WIFSIGNALED(state)) return fmt::format("was ended by signal {}", WTERMSIG(state));
  return "ended";
}

}  // namespace

result<forked> forked::start(const std::function<std::string()>& ask) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return status(code::io_error, "no pipe to be had", errno, std::strerror(errno));
  descriptor from(ends[0]), to(ends[1]);
  const pid_t process = ::fork();
  if (process == 0) {
    from.reset();
    answer_and_end(ask, to.get());
  }
  if (process < 0) return status(code::io_error, "no process to be had", errno, std::strerror(errno));
  return forked(process, std::move(from));
}

forked::forked(forked&& other) noexcept : process_(std::exchange(other.process_, 0)), from_(std::move(other.from_)) {}

forked::~forked() {
  if (process_ > 0) ::kill(process_, SIGKILL);  // nobody waits for its answer any more
  (void)wait();
}

int forked::wait() noexcept {
  int state = 0;
  const pid_t process = std::exchange(process_, 0);
  while (process > 0 && ::waitpid(process, &state, 0) < 0 && errno == EINTR) {
  }
  return state;
}

// The answer's end is told by its length: a process that somebody else forked may hold the pipe open.
result<std::string> forked::answer() {
  std::uint64_t length = 0;
  std::string text;
  bool whole = read_all(from_.get(), &length, sizeof length);
  if (whole) {
    text.resize(length);
    whole = read_all(from_.get(), text.data(), text.size());
  }
  const int state = wait();
  if (!whole) return status(code::internal, fmt::format("the process {} before it answered", how_it_ended(state)));
  return text;
}

}  // namespace rowsmith
