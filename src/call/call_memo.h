// call_memo: form of a call -> its known launch. Readers never lock and never wait. It saves the inspection: a warm
// call is folded, looked up and launched.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "call/call_form.h"
#include "call/known_launch.h"
#include "call/published.h"

namespace rowsmith {

class call_memo {
 public:
  // Null: not known. REQUIRES: form.usable().
  const known_launch* find(const call_form& form) const noexcept;

  // Takes what is known ahead of a call, in the place of what was known of its form. Forgets nothing, and so takes no
  // more than most_forms: a program whose every call is of another form has no use of them.
  void remember(const call_form& form, std::unique_ptr<const known_launch> launch);

  bool full() const noexcept { return count_.load(std::memory_order_relaxed) >= most_forms; }

  // REQUIRES: no call is running.
  void clear();

  static constexpr std::size_t most_forms = 4096;  // of about a KiB

 private:
  struct entry {
    std::uint64_t hash = 0;
    std::vector<std::uint64_t> words;
    std::atomic<const known_launch*> launch{nullptr};
  };

  const entry* find_entry(const call_form& form) const noexcept;

  published<entry> all_;
  std::atomic<std::size_t> count_{0};
  std::mutex writers_;
  std::vector<std::unique_ptr<const known_launch>> launches_;
};

}  // namespace rowsmith
