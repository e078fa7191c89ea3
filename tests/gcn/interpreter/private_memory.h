// private_memory: the scratch of one wave: so many bytes for each lane, which no other lane sees. Knows which bytes
// were written.
#pragma once

#include <cstring>
#include <vector>

#include "lanes.h"

namespace rowsmith::gcn {

class private_memory {
 public:
  // What the descriptor of the buffer holds for a base; kernels add their wave's offset to it, which is 0 here.
  static constexpr u64 base = 0x5c4a7c4000000000;

  void resize(u32 bytes_a_lane) {
    bytes_ = bytes_a_lane;
    data_.resize(std::size_t{bytes_} * k_lanes);
    written_.resize(data_.size());
  }
  u32 size() const { return bytes_; }
  void forget() { std::fill(written_.begin(), written_.end(), u8{0}); }
  bool contains(u32 at, u32 size) const { return at <= bytes_ && bytes_ - at >= size; }

  // REQUIRES: contains(at, size). True: all of it was written.
  bool load(int lane, u32 at, u32 size, void* to) const {
    const std::size_t first = std::size_t(lane) * bytes_ + at;
    std::memcpy(to, &data_[first], size);
    bool all = true;
    for (u32 n = 0; n < size; ++n) all = all && written_[first + n] != 0;
    return all;
  }
  void store(int lane, u32 at, u32 size, const void* from, bool defined) {
    const std::size_t first = std::size_t(lane) * bytes_ + at;
    std::memcpy(&data_[first], from, size);
    std::memset(&written_[first], defined ? 1 : 0, size);
  }

 private:
  u32 bytes_ = 0;
  std::vector<u8> data_, written_;
};

}  // namespace rowsmith::gcn
