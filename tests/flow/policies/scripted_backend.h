// scripted_backend: a device whose compiler is as slow, as broken or as absent as a test wants, and whose streams are
// captured when a test says so. It answers to "null".
#pragma once

#include <atomic>
#include <string>

#include "backend/backend.h"

namespace rowsmith::test {

struct script {
  std::atomic<int> compile_ms{0};
  std::atomic<bool> compiler_fails{false};
  std::atomic<bool> has_compiler{true};
  std::atomic<bool> capturing{false};
  std::atomic<int> loads_without_memory{0};  // so many loads are refused
  std::atomic<int> borrows_without_memory{0}, borrowed{0}, given_back{0};
  std::atomic<int> compiler_version{1};
  std::atomic<bool> files_tell_the_build{false};

  std::atomic<int> asked{0};  // how often the compiler was asked who it is
  std::atomic<int> compiles{0}, compiling{0}, most_compiling{0};
  std::atomic<int> fallback_launches{0}, kernel_launches{0};
  std::atomic<int> last_version{0};  // of the compiler whose kernel was launched last
};

// Shared by a process and the children that it forks: see in_child().
script& the_script();

}  // namespace rowsmith::test
