// kernel_table: class of shapes -> executable. Readers never lock and never wait; writers take turns.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "build/executable.h"
#include "call/published.h"
#include "model/facts.h"

namespace rowsmith {

class kernel_table {
 public:
  // One class of shapes. `current` may be replaced while calls run (a fallback by the kernel it stood in for).
  struct entry {
    std::uint64_t hash = 0;
    shape_class fixed;
    std::atomic<const executable*> current{nullptr};
    // `current` only stands in for what is still to be built: calls look twice. Cleared after `current` is replaced.
    std::atomic<bool> provisional{false};
  };

  // Null when the class is not known.
  const entry* find(const shape_class& c) const noexcept;

  // Adds the class, or replaces its executable. What was replaced stays alive until clear(). A provisional executable
  // never replaces a final one.
  const entry* put(const shape_class& c, std::shared_ptr<const executable> e, bool provisional = false);

  // An executable of this table also stands in for class `c`, provisionally.
  const entry* lend(const shape_class& c, const executable& owned);

  // Forgets everything. REQUIRES: no call is running.
  void clear();

 private:
  const entry* place(const shape_class& c, const executable& e, bool provisional);

  published<entry> all_;
  std::mutex writers_;
  std::vector<std::shared_ptr<const executable>> executables_;
};

}  // namespace rowsmith
