// memory_map: the ranges of host memory that kernels may touch.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "lanes.h"
#include "machine.h"

namespace rowsmith::gcn {

struct memory_range {
  u64 begin = 0;
  u64 end = 0;
  access allowed = access::read;

  bool holds(u64 at, u64 size) const { return at >= begin && at <= end && end - at >= size; }
};

// The ranges at one moment, in order. A run uses one from begin to end.
class memory_snapshot {
 public:
  explicit memory_snapshot(std::vector<memory_range> ordered) : ranges_(std::move(ordered)) {}

  // The range that holds all of the bytes; null when none does.
  const memory_range* find(u64 at, u64 size) const;
  // "16 bytes past the end of the 4096 bytes at 0x…", for error texts.
  std::string nearest(u64 at) const;

 private:
  std::vector<memory_range> ranges_;
};

class memory_map {
 public:
  void add(const void* base, std::size_t bytes, access allowed);
  void remove(const void* base);
  memory_snapshot snapshot() const;

 private:
  mutable std::mutex guard_;
  std::map<u64, memory_range> ranges_;
};

}  // namespace rowsmith::gcn
