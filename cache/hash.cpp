#include "cache/hash.h"

#include <algorithm>
#include <iterator>

// Inlined, so that no xxHash symbol leaves the library and no xxHash library is linked.
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace rowsmith::cache {
namespace {

digest128 canonical(XXH128_hash_t h) {
  XXH128_canonical_t bytes;
  XXH128_canonicalFromHash(&bytes, h);
  digest128 d;
  std::copy(std::begin(bytes.digest), std::end(bytes.digest), d.begin());
  return d;
}

}  // namespace

digest128 digest(std::string_view bytes) { return canonical(XXH3_128bits(bytes.data(), bytes.size())); }

std::string hex(const digest128& d) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  text.reserve(32);
  for (const unsigned char byte : d) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

struct field_hasher::state {
  XXH3_state_t xxh;  // wants 64-byte alignment, which new gives over-aligned types since C++17
};

field_hasher::field_hasher() : state_(std::make_unique<state>()) { XXH3_128bits_reset(&state_->xxh); }
field_hasher::~field_hasher() = default;

field_hasher& field_hasher::add(std::string_view bytes) {
  add(static_cast<std::uint64_t>(bytes.size()));
  XXH3_128bits_update(&state_->xxh, bytes.data(), bytes.size());
  return *this;
}

field_hasher& field_hasher::add(std::uint64_t number) {
  unsigned char little[8];
  for (int i = 0; i < 8; ++i) little[i] = static_cast<unsigned char>(number >> (8 * i));
  XXH3_128bits_update(&state_->xxh, little, sizeof little);
  return *this;
}

digest128 field_hasher::finish() const { return canonical(XXH3_128bits_digest(&state_->xxh)); }

}  // namespace rowsmith::cache
