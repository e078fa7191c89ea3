#include "cli/instruction_counter.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>
#include <vector>

extern char** environ;

namespace rowsmith::cli {

result<std::string> count_instructions(const std::string& target, const op_words& call) {
  std::error_code failed;
  const std::filesystem::path program =
      std::filesystem::read_symlink("/proc/self/exe", failed).parent_path() / "rowsmith_gcn_count";
  if (!std::filesystem::exists(program, failed)) {
    return status(code::not_found, "--count: " + program.string() + " is not there; it is built with the tests");
  }
  std::vector<std::string> words = {program.string(), target};
  for (std::string& word : arguments_of(call)) words.push_back(std::move(word));
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return status(code::io_error, "--count: no pipe");
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  for (const int to : {STDOUT_FILENO, STDERR_FILENO}) ::posix_spawn_file_actions_adddup2(&actions, ends[1], to);
  pid_t child = 0;
  const int refused = ::posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  std::string said;
  char part[4096];
  for (ssize_t n; refused == 0 && (n = ::read(ends[0], part, sizeof part)) > 0;) {
    said.append(part, static_cast<std::size_t>(n));
  }
  ::close(ends[0]);
  int ended = 0;
  if (refused != 0 || ::waitpid(child, &ended, 0) != child) {
    return status(code::io_error, "--count: " + program.string() + " cannot be run");
  }
  while (!said.empty() && said.back() == '\n') said.pop_back();
  if (ended == 0) return said;
  return status(code::unsupported, "--count: " + said.substr(0, said.find('\n'))).with_detail(said);
}

}  // namespace rowsmith::cli
