// dice: random numbers that are the same on every machine, and that any draw can begin anew from its own numbers.
#pragma once

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace rowsmith::test {

class dice {
 public:
  // Streams of different numbers have nothing in common.
  explicit dice(std::initializer_list<std::uint64_t> numbers) {
    for (const std::uint64_t n : numbers) state_ = mixed(state_ + n + step);
  }

  std::uint64_t bits() { return mixed(state_ += step); }  // splitmix64 (Steele, Lea, Flood, 2014)

  // Whole numbers from low to high, both included. REQUIRES: low <= high.
  std::int64_t from_to(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(bits() % (static_cast<std::uint64_t>(high - low) + 1));
  }
  bool one_in(int n) { return from_to(1, n) == 1; }
  bool percent(int n) { return from_to(1, 100) <= n; }

  double unit() { return static_cast<double>(bits() >> 11) * 0x1p-53; }  // [0, 1)
  double between(double low, double high) { return low + (high - low) * unit(); }
  double sign() { return one_in(2) ? -1 : 1; }

  // 2^bits or 10^digits for an even number of bits or digits: small ones as often as large ones.
  double ten_to(double low, double high) { return std::pow(10.0, between(low, high)); }
  std::int64_t magnitude(std::int64_t least, std::int64_t most) {
    const double low = std::log(static_cast<double>(least)), high = std::log(static_cast<double>(most) + 1);
    const auto n = static_cast<std::int64_t>(std::exp(between(low, high)));
    return n < least ? least : n > most ? most : n;
  }

  template <class T>
  T of(std::initializer_list<T> choices) {
    return choices.begin()[from_to(0, static_cast<std::int64_t>(choices.size()) - 1)];
  }
  template <class T>
  const T& of(const std::vector<T>& choices) {
    return choices[static_cast<std::size_t>(from_to(0, static_cast<std::int64_t>(choices.size()) - 1))];
  }

 private:
  static constexpr std::uint64_t step = 0x9e3779b97f4a7c15u;

  static std::uint64_t mixed(std::uint64_t z) {
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
  }

  std::uint64_t state_ = 0;
};

}  // namespace rowsmith::test
