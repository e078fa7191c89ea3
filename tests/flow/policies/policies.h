// policies: scenes on the scripted device, each in a process of its own.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "call/runtime_state.h"
#include "flow/child.h"
#include "flow/in_child.h"
#include "rowsmith/rowsmith.h"
#include "scripted_backend.h"

namespace rowsmith::test {

using namespace std::chrono_literals;

constexpr int compile_ms = 300;

// A softmax of 8 rows on the scripted device; `base` only matters for its alignment.
inline status call(std::int64_t width, const softmax_options& o = {}, std::uintptr_t base = 1 << 20) {
  const device where{device_kind::null, 0};
  return softmax(dense(reinterpret_cast<void*>(base), dtype::f16, {8, width}, where),
                 dense(reinterpret_cast<void*>(base + (1 << 24)), dtype::f16, {8, width}, where), o);
}
inline status prepare(std::int64_t width) {
  const device where{device_kind::null, 0};
  return prepare_softmax(dense(reinterpret_cast<void*>(1 << 20), dtype::f16, {8, width}, where),
                         dense(reinterpret_cast<void*>(1 << 25), dtype::f16, {8, width}, where));
}

inline double ms_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

inline bool soon(const std::function<bool()>& so) {
  for (int i = 0; i < 1000; ++i, std::this_thread::sleep_for(10ms)) {
    if (so()) return true;
  }
  return false;
}

class policies : public testing::Test {
 protected:
  policies() { ::new (&the_script()) script; }

  // How long the scene took, exit included.
  double in_child(const std::vector<std::string>& environment, const std::function<void()>& body, bool exits = false) {
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(test::in_child(home_.path() / "cache", environment, body, exits), 0);
    return ms_since(start);
  }

  private_folder home_;
};

inline const std::vector<std::string> background = {"ROWSMITH_COMPILE=background"};

}  // namespace rowsmith::test
