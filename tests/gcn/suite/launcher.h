// launcher: builds and runs a source of a test's own on the double, through the backend that the library uses.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "gcn/suite/double.h"

namespace rowsmith::test {

inline constexpr const char* const every_gcn_arch[] = {"gfx906", "gfx90a"};

// What this process' card is; programs of this suite that see the library's insides have one each.
inline std::string card_arch() { return std::getenv("HIPSIM_ARCH"); }

class launcher {
 public:
  // By the compiler that the backend chooses, for the card of this process.
  static result<std::unique_ptr<loaded_kernel>> build(const source& s, const launch_plan& how) {
    backend& b = *backend_for(device_kind::hip);
    auto made = b.compile(s, b.traits_of(card_arch()).value());
    if (!made) return made.status();
    return b.load(0, made->code, how);
  }

  // A kernel that takes one pointer to a block of floats.
  static result<std::unique_ptr<loaded_kernel>> build(const std::string& text, int threads) {
    source s;
    s.name = "test.hip";
    s.entry = "k";
    s.text = text;
    launch_plan how;
    how.entry = "k";
    how.threads = threads;
    return build(s, how);
  }
};

// Memory of the card.
class card_memory {
 public:
  explicit card_memory(std::size_t bytes)
      : bytes_(bytes), data_(backend_for(device_kind::hip)->allocate(0, bytes).value()) {}
  ~card_memory() {
    if (data_ != nullptr) release();
  }
  card_memory(const card_memory&) = delete;
  card_memory& operator=(const card_memory&) = delete;

  void* data() const { return data_; }
  void release() {
    EXPECT_TRUE(backend_for(device_kind::hip)->release(0, data_).ok());
    data_ = nullptr;
  }
  void write(const void* from) { EXPECT_TRUE(backend_for(device_kind::hip)->copy(0, data_, from, bytes_).ok()); }
  void read(void* to) const { EXPECT_TRUE(backend_for(device_kind::hip)->copy(0, to, data_, bytes_).ok()); }

 private:
  std::size_t bytes_;
  void* data_;
};

}  // namespace rowsmith::test
