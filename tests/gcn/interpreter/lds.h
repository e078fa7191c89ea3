// lds: the shared memory of one block. Knows which bytes were written, and which wave touched a word since the last
// barrier: two waves of which one writes have raced.
#pragma once

#include <span>
#include <vector>

#include "lanes.h"

namespace rowsmith::gcn {

class lds {
 public:
  explicit lds(u32 bytes) : bytes_(bytes), words_((bytes + 3) / 4) {}

  // A new block: nothing is written.
  void forget();
  void barrier() { ++epoch_; }
  u32 size() const { return static_cast<u32>(bytes_.size()); }

  enum class fault : u8 { none, outside, misaligned, undefined, race };

  // `written` becomes whether all of the bytes hold values.
  fault load(u32 at, u32 size, int wave, void* to, bool* written);
  fault store(u32 at, u32 size, int wave, const void* from, bool written);
  // For an atomic: the word, after the checks. Atomics of several waves on one word do not race with each other.
  fault update(u32 at, u32 size, int wave, u8** word, bool* written);

  int other_wave() const { return other_; }  // of the last race

 private:
  struct word {
    u32 write_epoch = 0, read_epoch = 0;
    i16 writer = 0, reader = 0;  // k_many: more than one
    u8 written = 0;              // a bit each byte, ever
    u8 wrote = 0, read = 0;      // a bit each byte, in the epoch
    bool atomic = false;         // `wrote` was by atomics alone
  };
  static constexpr i16 k_many = -1;

  fault check(u32 at, u32 size) const;
  bool races(const word& w, u8 bytes, int wave, bool writes, bool atomic);
  template <class F>
  bool each_word(u32 at, u32 size, F&& f);

  std::vector<u8> bytes_;
  std::vector<word> words_;
  u32 epoch_ = 1;
  int other_ = 0;
};

}  // namespace rowsmith::gcn
