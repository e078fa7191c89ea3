#include "lds.h"

#include <algorithm>
#include <cstring>

namespace rowsmith::gcn {

void lds::forget() {
  ++epoch_;
  for (word& w : words_) w.written = 0;
}

lds::fault lds::check(u32 at, u32 size) const {
  if (at > bytes_.size() || bytes_.size() - at < size) return fault::outside;
  return fault::none;  // at any byte: the HSA's unaligned mode, which compilers count on
}

// f(word, bytes of it) for every word; stops at false.
template <class F>
bool lds::each_word(u32 at, u32 size, F&& f) {
  for (u32 w = at / 4; w * 4 < at + size; ++w) {
    const u32 first = at > w * 4 ? at - w * 4 : 0, end = at + size < w * 4 + 4 ? at + size - w * 4 : 4;
    const u8 bytes = static_cast<u8>((1u << end) - (1u << first));
    if (!f(words_[w], bytes)) return false;
  }
  return true;
}

bool lds::races(const word& w, u8 bytes, int wave, bool writes, bool atomic) {
  if (w.write_epoch == epoch_ && (w.wrote & bytes) && w.writer != wave && !(atomic && w.atomic)) {
    other_ = w.writer;
    return true;
  }
  if (writes && w.read_epoch == epoch_ && (w.read & bytes) && w.reader != wave) {
    other_ = w.reader;
    return true;
  }
  return false;
}

lds::fault lds::load(u32 at, u32 size, int wave, void* to, bool* written) {
  if (const fault f = check(at, size); f != fault::none) return f;
  bool all = true;
  const bool quiet = each_word(at, size, [&](word& w, u8 bytes) {
    if (races(w, bytes, wave, false, false)) return false;
    all &= (w.written & bytes) == bytes;
    if (w.read_epoch != epoch_) {
      w.read_epoch = epoch_;
      w.reader = static_cast<i16>(wave);
      w.read = 0;
    }
    if (w.reader != wave) w.reader = k_many;
    w.read |= bytes;
    return true;
  });
  if (!quiet) return fault::race;
  std::memcpy(to, bytes_.data() + at, size);
  *written = all;
  return fault::none;
}

lds::fault lds::store(u32 at, u32 size, int wave, const void* from, bool written) {
  if (const fault f = check(at, size); f != fault::none) return f;
  const bool quiet = each_word(at, size, [&](word& w, u8 bytes) {
    if (races(w, bytes, wave, true, false)) return false;
    if (w.write_epoch != epoch_) {
      w.write_epoch = epoch_;
      w.wrote = 0;
    }
    w.writer = w.wrote == 0 || w.writer == wave ? static_cast<i16>(wave) : k_many;
    w.atomic = false;
    w.wrote |= bytes;
    w.written = static_cast<u8>(written ? w.written | bytes : w.written & ~bytes);
    return true;
  });
  if (!quiet) return fault::race;
  std::memcpy(bytes_.data() + at, from, size);
  return fault::none;
}

lds::fault lds::update(u32 at, u32 size, int wave, u8** memory, bool* written) {
  if (at % size != 0) return fault::misaligned;  // atomics, though, are whole
  if (const fault f = check(at, size); f != fault::none) return f;
  bool all = true;
  const bool quiet = each_word(at, size, [&](word& w, u8 bytes) {
    if (races(w, bytes, wave, true, true)) return false;
    const bool first = w.write_epoch != epoch_;
    w.atomic = first || w.atomic;
    w.writer = first || w.writer == wave ? static_cast<i16>(wave) : k_many;
    w.wrote = first ? bytes : w.wrote | bytes;
    w.write_epoch = epoch_;
    all &= (w.written & bytes) == bytes;
    return true;
  });
  if (!quiet) return fault::race;
  *memory = bytes_.data() + at;
  *written = all;
  return fault::none;
}

}  // namespace rowsmith::gcn
