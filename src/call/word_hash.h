// word_hash: of an even number of words, for tables that compare whole keys afterwards.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rowsmith {

// A multiply per two words. Constants: odd, dense.
inline std::uint64_t hash_words(const std::uint64_t* w, std::size_t even_count) noexcept {
  constexpr std::uint64_t salt[] = {0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9, 0x94d049bb133111eb, 0xd6e8feb86659fd93,
                                    0xa0761d6478bd642f, 0xe7037ed1a0b428db, 0x8ebc6af09c88c6e3, 0x589965cc75374cc3};
  std::uint64_t h = 0;
  for (std::size_t i = 0; i < even_count; i += 2) {
    const auto product = static_cast<unsigned __int128>(w[i] ^ salt[i % 8] ^ i) * (w[i + 1] ^ salt[i % 8 + 1]);
    h ^= static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }
  return h ^ h >> 32;
}

}  // namespace rowsmith
