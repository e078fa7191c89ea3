#include "command.h"

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "support/private_folder.h"

namespace rowsmith::cli_test {

outcome rowsmith(const std::string& arguments, const std::string& environment) {
  const test::private_folder folder("cli");
  const std::string err = folder.path().string() + "/err";
  const std::string line = environment + " '" ROWSMITH_CLI_PATH "' " + arguments + " 2>'" + err + "'";
  outcome o;
  FILE* pipe = popen(line.c_str(), "r");
  if (pipe == nullptr) return o;
  std::array<char, 4096> buffer;
  for (std::size_t n; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) != 0;) o.out.append(buffer.data(), n);
  const int ended = pclose(pipe);
  o.exit = WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
  std::ifstream file(err);
  o.err.assign(std::istreambuf_iterator<char>(file), {});
  return o;
}

}  // namespace rowsmith::cli_test
