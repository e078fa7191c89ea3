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

  static constexpr int sure = Width / (Pack * Lanes) > (Window ? 1 : 0)
                                  ? static_cast<int>(Width / (Pack * Lanes)) - (Window ? 1 : 0)
                                  : 0;  // packs of a lane that are inside the row whatever lane and phase are

  int lane;
  int phase;

  static constexpr RS_MEMBER int sure_packs() { return sure; }

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

// The same where the width is a number of the call. Without a window, packs are single elements: those divide it.
template <int Pack, int Lanes, bool Window>
struct any_share {
  using offset = int;
  static_assert(Window || Pack == 1, "what divides every width");
  static constexpr int pack_size = Pack;
  static constexpr bool windowed = Window;
  static constexpr int first_sure = Window ? 1 : 0;
  static constexpr int sure = 0;  // as far as a compiler knows

  int lane;
  int phase;
  int width;
  int packs;     // of a lane, at most
  int end_sure;  // packs [first_sure, end_sure) are inside the row for every lane and phase

  static RS_MEMBER any_share of(int lane, int phase, i64 row_width) {
    const int width = static_cast<int>(row_width);
    return {lane, phase, width, (width - 1 + (Window ? Pack - 1 : 0)) / (Pack * Lanes) + 1, width / (Pack * Lanes)};
  }

  RS_MEMBER int sure_packs() const { return end_sure > first_sure ? end_sure - first_sure : 0; }
  RS_MEMBER int start() const { return lane * Pack - (Window ? phase : 0); }
  static constexpr RS_MEMBER int step(int i) { return i * Lanes * Pack; }
  RS_MEMBER int first(int i) const { return start() + step(i); }
  RS_MEMBER bool inside(int i) const { return first(i) >= 0 && first(i) <= width - Pack; }
  RS_MEMBER bool has(int i, int k) const { return static_cast<u32>(first(i) + k) < static_cast<u32>(width); }
};

// The phase of a row at p, in packs of 16 bytes.
template <class Share, class T>
RS_DEVICE int phase_of(const T* p) {
  if constexpr (!Share::windowed) return 0;
  return static_cast<int>(reinterpret_cast<u64>(p) / sizeof(T) % Share::pack_size);
}

// The share of a lane in the row at p.
template <class Share, class T>
RS_DEVICE Share share_of(int lane, const T* p) {
  return {lane, phase_of<Share>(p)};
}

}  // namespace rs
