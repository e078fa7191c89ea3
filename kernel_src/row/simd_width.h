// The geometry of a row on the host: how many packs it has, and which of the last one's elements count. Known to the
// compiler, or a number of the call.
#pragma once

namespace rs {

template <int Width>
struct fixed_width {
  static constexpr int elements = Width;
  static constexpr int part = Width < pack_size ? Width : pack_size;  // elements of a pack that there are
  static constexpr int packs = (Width + pack_size - 1) / pack_size;
  static constexpr int odd = Width < pack_size ? 0 : Width % pack_size;
  static constexpr int twice = odd == 0 ? 0 : pack_size - odd;      // elements that come twice, first in the last pack
  static constexpr int chains = packs > 8 ? 4 : packs > 2 ? 2 : 1;  // accumulators of a reduction
  static constexpr bool whole_lines = Width % 16 == 0;              // of 4-byte elements
};

// Any width of at least a pack, or (Narrow) any at all.
template <bool Narrow>
struct any_width {
  static constexpr int chains = Narrow ? 1 : 4;
  static constexpr bool whole_lines = false;
  static constexpr int part = pack_size;
  int elements, packs, odd, twice;

  static RS_MEMBER any_width of(i64 width) {
    const int elements = static_cast<int>(width), odd = elements % pack_size;
    return {elements, (elements - 1) / pack_size + 1, odd, odd == 0 ? 0 : pack_size - odd};
  }
};
template <>
struct any_width<true> {
  static constexpr int chains = 1;
  static constexpr bool whole_lines = false;
  int elements, part, packs, odd, twice;

  static RS_MEMBER any_width of(i64 width) {
    const int elements = static_cast<int>(width), part = elements < pack_size ? elements : pack_size;
    const int odd = part < pack_size ? 0 : elements % pack_size;
    return {elements, part, (elements - 1) / pack_size + 1, odd, odd == 0 ? 0 : pack_size - odd};
  }
};

}  // namespace rs
