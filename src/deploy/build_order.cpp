#include "deploy/build_order.h"

#include <tuple>

namespace rowsmith {

build_order::rank build_order::rank_of(std::size_t q) const noexcept {
  if (state_[q].taken == queues_[q].pieces) return rank::none;
  if (queues_[q].alone.empty()) return rank::shared;
  for (std::size_t other = 0; other < queues_.size(); ++other) {
    if (queues_[other].alone == queues_[q].alone && state_[other].at_work != 0) return rank::busy_alone;
  }
  return rank::idle_alone;
}

std::optional<build_order::piece> build_order::take() {
  const std::lock_guard lock(mutex_);
  std::size_t best = 0;
  auto least = std::tuple(rank::none, std::size_t{0});
  for (std::size_t q = 0; q < queues_.size(); ++q) {
    const auto now = std::tuple(rank_of(q), state_[q].taken);
    if (now < least) least = now, best = q;
  }
  if (std::get<rank>(least) == rank::none) return std::nullopt;
  ++state_[best].at_work;
  return piece{best, state_[best].taken++};
}

void build_order::done(piece p) {
  const std::lock_guard lock(mutex_);
  --state_[p.queue].at_work;
}

std::size_t build_order::pieces() const noexcept {
  std::size_t all = 0;
  for (const queue& q : queues_) all += q.pieces;
  return all;
}

}  // namespace rowsmith
