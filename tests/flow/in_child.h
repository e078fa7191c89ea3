// in_child: a scene in a process of its own, because the environment is read once a process.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace rowsmith::test {

// The child's wait status: 0 where its expectations held. It ends at once, or `exits` as a program does.
inline int in_child(const std::filesystem::path& cache, const std::vector<std::string>& environment,
                    const std::function<void()>& body, bool exits = false) {
  std::fflush(nullptr);  // or the child says it again
  const pid_t child = ::fork();
  if (child == 0) {
    ::setenv("ROWSMITH_CACHE_DIR", cache.c_str(), 1);
    for (const std::string& line : environment) {
      const auto equals = line.find('=');
      ::setenv(line.substr(0, equals).c_str(), line.substr(equals + 1).c_str(), 1);
    }
    body();
    const int result = testing::Test::HasFailure() ? 1 : 0;
    std::fflush(nullptr);
    exits ? std::exit(result) : ::_exit(result);
  }
  int state = 0;
  EXPECT_EQ(::waitpid(child, &state, 0), child);
  return state;
}

// How much of everything: 1 in a usual run, more in a soak.
inline int soak() {
  const char* text = std::getenv("ROWSMITH_SOAK");
  return text != nullptr ? std::max(1, std::atoi(text)) : 1;
}

}  // namespace rowsmith::test
