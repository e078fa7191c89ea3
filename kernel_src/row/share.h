// The geometry of a row dealt out in packs to a team of lanes: pack i of a lane holds elements first(i) … first(i) +
// Pack. Lanes, block, streamed and staged rows all use it.
#pragma once

namespace rs {

// What counts the elements of a row: 32 bits, but for rows that have more.
template <bool Wide>
struct offset_type {
  using type = int;
};
template <>
struct offset_type<true> {
  using type = i64;
};

// Window: the packs are aligned 16-byte windows of memory, and the row begins `phase` elements into the first of them.
// Otherwise phase is 0 and Pack divides Width, so that a pack is inside the row or outside, never across its end.
template <i64 Width, int Pack, int Lanes, bool Window>
struct share {
  using offset = typename offset_type<(Width > 0x7fff0000)>::type;
  using unsigned_offset = decltype(sizeof(offset) > 4 ? u64() : u32());
  static_assert(Window || Width % Pack == 0, "without a window the plan chooses packs that divide the width");
  static constexpr offset width = Width;
  static constexpr int pack_size = Pack;
  static constexpr bool windowed = Window;
  static constexpr int packs = static_cast<int>((Width + (Window ? Pack - 1 : 0) + Pack * Lanes - 1) / (Pack * Lanes));

  int lane;
  int phase;

  // first(i) in two parts: what depends on the lane, and what a compiler folds into the access.
  RS_MEMBER offset start() const { return lane * Pack - (Window ? phase : 0); }
  static constexpr RS_MEMBER offset step(int i) { return static_cast<offset>(i) * Lanes * Pack; }
  RS_MEMBER offset first(int i) const { return start() + step(i); }

  // Packs [first_sure, end_sure) are inside the row for every lane and phase.
  static constexpr int first_sure = Window ? 1 : 0;
  static constexpr int end_sure = static_cast<int>(Width / (Pack * Lanes));

  // Known without the lane and the phase; a constant where i is one.
  static constexpr RS_MEMBER bool surely_inside(int i) { return i >= first_sure && i < end_sure; }

  // All elements of pack i are elements of the row.
  RS_MEMBER bool inside(int i) const { return surely_inside(i) || (first(i) >= 0 && first(i) <= width - Pack); }

  // Element k of pack i is an element of the row.
  RS_MEMBER bool has(int i, int k) const {
    if constexpr (!Window) return inside(i);
    return surely_inside(i) || static_cast<unsigned_offset>(first(i) + k) < static_cast<unsigned_offset>(width);
  }
};

// The share of a lane in the row at p.
template <class Share, class T>
RS_DEVICE Share share_of(int lane, const T* p) {
  int phase = 0;
  if constexpr (Share::windowed) phase = static_cast<int>(reinterpret_cast<u64>(p) / sizeof(T) % Share::pack_size);
  return {lane, phase};
}

}  // namespace rs
