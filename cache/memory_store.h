// memory_store: the entries of this process, up to a number of bytes, least recently used first out.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "cache/store.h"

namespace rowsmith::cache {

class memory_store final : public store {
 public:
  static constexpr std::uint64_t default_max_bytes = 256ull << 20;

  explicit memory_store(std::uint64_t max_bytes = default_max_bytes) : max_bytes_(max_bytes) {}

  result<entry> get(const key& k, accept a) override;
  status put(const entry& e) override;
  bool writable() const override { return true; }
  std::string name() const override { return "memory"; }
  std::vector<entry_info> list() override;
  counters stats() const override;

  void clear();

 private:
  using slot = std::list<std::shared_ptr<const entry>>;  // most recently used first

  slot::iterator find(const key& k, accept a);
  void drop(slot::iterator it);

  const std::uint64_t max_bytes_;
  mutable std::mutex mutex_;
  slot used_;
  std::unordered_multimap<std::string, slot::iterator> by_what_;  // what_digest -> entry, one per who
  std::uint64_t bytes_ = 0;
  counters counters_;
};

}  // namespace rowsmith::cache
