// build_order: which of several queues a job takes its next piece of work from, when some compilers take one at a time.
#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace rowsmith {

class build_order {
 public:
  struct queue {
    std::size_t pieces = 0;
    std::string alone;  // of queues with one name here, one piece is worked at at a time; empty: any number
  };
  struct piece {
    std::size_t queue, number;  // of the queues given, of the pieces of that queue
  };

  explicit build_order(std::vector<queue> queues) : queues_(std::move(queues)), state_(queues_.size()) {}

  // First of a compiler that takes one at a time and is idle: its work is what cannot be shared out later. Then of the
  // others, the queues in turns. At last what waits for a compiler that is busy. Nothing when all is taken.
  std::optional<piece> take();

  // Every piece that was taken, once.
  void done(piece p);

  std::size_t pieces() const noexcept;

 private:
  struct state {
    std::size_t taken = 0, at_work = 0;
  };
  enum class rank { idle_alone, shared, busy_alone, none };

  rank rank_of(std::size_t q) const noexcept;

  const std::vector<queue> queues_;
  std::mutex mutex_;  // guards state_
  std::vector<state> state_;
};

}  // namespace rowsmith
