#include "base/subprocess.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include "base/descriptor.h"

extern char** environ;

namespace rowsmith {
namespace {

// spawn's own two resources, released together.
struct spawn_setup {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  spawn_setup() {
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawnattr_init(&attributes);
  }
  ~spawn_setup() {
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
  }
};

std::vector<char*> pointers(const std::vector<std::string>& lines) {
  std::vector<char*> all;
  for (const std::string& line : lines) all.push_back(const_cast<char*>(line.c_str()));
  all.push_back(nullptr);
  return all;
}

// This process's environment with `extra` in place of the variables it names.
std::vector<std::string> merged_environment(const std::vector<std::string>& extra) {
  const auto name = [](std::string_view line) { return line.substr(0, line.find('=')); };
  std::vector<std::string> all;
  for (char** line = environ; line != nullptr && *line != nullptr; ++line) {
    bool replaced = false;
    for (const std::string& e : extra) replaced = replaced || name(e) == name(*line);
    if (!replaced) all.emplace_back(*line);
  }
  all.insert(all.end(), extra.begin(), extra.end());
  return all;
}

status refused(std::string_view what, std::string_view program, int error) {
  return status(code::io_error, fmt::format("{}: {} was refused by the system", program, what), error,
                std::strerror(error));
}

// Writes what is left of `input` and reads what has been printed until the child closes its output. A child that
// stops reading early is no error: it ends with a status of its own.
status exchange(descriptor& to, descriptor& from, const std::string& program, const std::string& input,
                std::string& output) {
  std::size_t sent = 0;
  if (input.empty()) to.reset();
  char buffer[16384];
  while (true) {
    pollfd ends[2] = {{from.get(), POLLIN, 0}, {to.get(), POLLOUT, 0}};
    if (::poll(ends, to.get() >= 0 ? 2 : 1, -1) < 0) {
      if (errno == EINTR) continue;
      return refused("poll", program, errno);
    }
    if (ends[1].revents != 0 && to.get() >= 0) {
      // A socket, so that a reader that went away is EPIPE and not a signal for the whole process.
      const ssize_t n = ::send(to.get(), input.data() + sent, input.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (n > 0) sent += static_cast<std::size_t>(n);
      const bool gone = n < 0 && errno != EAGAIN && errno != EINTR;
      if (gone || sent == input.size()) to.reset();
    }
    if (ends[0].revents != 0) {
      const ssize_t n = ::read(from.get(), buffer, sizeof buffer);
      if (n == 0) return {};
      if (n < 0 && errno != EINTR && errno != EAGAIN) return refused("read", program, errno);
      if (n > 0) output.append(buffer, static_cast<std::size_t>(n));
    }
  }
}

}  // namespace

result<subprocess_result> run(const std::vector<std::string>& argv, const std::string& input,
                              const std::vector<std::string>& environment) {
  if (argv.empty() || argv[0].empty()) return status(code::invalid_argument, "subprocess: no program is named");
  const std::string& program = argv[0];

  // Every end is close-on-exec from the start, so that a child spawned by another thread keeps none of them open.
  int in[2], out[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in) != 0) return refused("socketpair", program, errno);
  descriptor to(in[0]), child_in(in[1]);
  if (::pipe2(out, O_CLOEXEC) != 0) return refused("pipe", program, errno);
  descriptor from(out[0]), child_out(out[1]);

  spawn_setup setup;
  ::posix_spawn_file_actions_adddup2(&setup.actions, child_in.get(), STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&setup.actions, child_out.get(), STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&setup.actions, child_out.get(), STDERR_FILENO);
  // The host program may block or ignore signals; the child starts with none blocked and the usual answers.
  sigset_t none, usual;
  ::sigemptyset(&none);
  ::sigemptyset(&usual);
  for (int s : {SIGPIPE, SIGINT, SIGTERM, SIGCHLD}) ::sigaddset(&usual, s);
  ::posix_spawnattr_setsigmask(&setup.attributes, &none);
  ::posix_spawnattr_setsigdefault(&setup.attributes, &usual);
  ::posix_spawnattr_setflags(&setup.attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

  const std::vector<std::string> lines = merged_environment(environment);
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, program.c_str(), &setup.actions, &setup.attributes, pointers(argv).data(),
                                   pointers(lines).data());
  if (error == ENOENT || error == ENOTDIR) {
    return status(code::not_found, fmt::format("{}: no such program", program), error, std::strerror(error));
  }
  if (error != 0) return refused("posix_spawn", program, error);
  child_in.reset();
  child_out.reset();

  subprocess_result r;
  const status talked = exchange(to, from, program, input, r.output);
  to.reset();
  from.reset();

  int ended = 0;
  while (::waitpid(child, &ended, 0) < 0) {
    if (errno == EINTR) continue;
    if (!talked) return talked;
    // A program that ignores SIGCHLD has its children reaped by the system: the status is lost (-1), the output is not.
    return r;
  }
  if (!talked) return talked;
  r.exit_status = WIFSIGNALED(ended) ? 128 + WTERMSIG(ended) : WEXITSTATUS(ended);
  return r;
}

}  // namespace rowsmith
