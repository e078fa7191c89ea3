#include "model/arguments.h"

#include <bit>
#include <cstring>

#include "model/expression/intern.h"

namespace rowsmith {

namespace {

// The axes of a call in the places that a kernel has for them: each group at the end of its places.
template <class Value>
std::uint64_t* put_axes(std::uint64_t* w, const shape_class& c, const argument_layout& layout, Value&& value,
                        std::uint64_t missing) {
  for (int i = c.outer_rank; i < layout.outer; ++i) *w++ = missing;
  for (int i = 0; i < c.outer_rank; ++i) *w++ = static_cast<std::uint64_t>(value(i));
  for (int i = c.inner_rank; i < layout.inner; ++i) *w++ = missing;
  for (int i = 0; i < c.inner_rank; ++i) *w++ = static_cast<std::uint64_t>(value(c.outer_rank + i));
  return w;
}

// The place, in the kernel's own order, of the operand that picks this one's rows.
std::uint64_t rows_from(const shape_class& c, const argument_layout& layout, int place) {
  if (!c.operands[place].has(operand_indexed)) return 0;
  std::uint64_t k = 0;
  while (layout.place[k] != c.operands[place].rows_from) ++k;
  return (k + 1) << 8;
}

// The strides of the op's whole shape, row after row.
struct dense_strides {
  std::int64_t of[max_rank + 1];

  explicit dense_strides(const facts& f) noexcept {
    std::int64_t step = 1;
    for (int i = f.fixed.outer_rank + f.fixed.inner_rank; i-- > 0; step *= f.call.extent[i]) of[i] = step;
  }
};

constexpr int own_dtype_shift = 16;
constexpr std::uint64_t rows_in_place = 1 << 24;

// An expression's words behind their number; none: 0. Room that they leave stays 0.
std::uint64_t* put_words(std::uint64_t* w, const expression_id& id) {
  const expression* e = id ? find(id) : nullptr;
  const std::size_t count = e == nullptr ? 0 : e->words().size();
  *w++ = count;
  std::uint64_t* const end = w + max_expression_words;
  for (std::size_t i = 0; i < count; ++i) *w++ = e->words()[i];
  while (w != end) *w++ = 0;
  return w;
}

}  // namespace

arguments::arguments(const facts& f, const argument_layout& layout, std::int64_t items, std::int64_t blocks,
                     void* workspace) noexcept {
  std::uint64_t* w = words_.data();
  *w++ = static_cast<std::uint64_t>(items);
  *w++ = static_cast<std::uint64_t>(f.call.rows);
  *w++ = static_cast<std::uint64_t>(f.call.width);
  *w++ = static_cast<std::uint64_t>(blocks);
  *w++ = f.fixed.options;
  *w++ = std::bit_cast<std::uint64_t>(workspace);
  std::memcpy(w, f.call.param, sizeof f.call.param);
  w += max_params / 2;
  w = put_axes(
      w, f.fixed, layout, [&](int i) { return f.call.extent[i]; }, 1);
  for (int k = 0; k < layout.operands; ++k) {
    const int place = layout.place[k];
    if (place >= f.fixed.operand_count) {
      for (int i = 0; i < 2 + layout.outer + layout.inner; ++i) *w++ = 0;
      continue;
    }
    const auto own = static_cast<std::uint64_t>(f.fixed.operands[place].dtype);
    if ((layout.in_workspace >> k & 1) != 0) {
      const dense_strides dense(f);
      *w++ = std::bit_cast<std::uint64_t>(workspace);
      *w++ = static_cast<std::uint64_t>(dtype::f32) | rows_from(f.fixed, layout, place) | own << own_dtype_shift |
             rows_in_place;
      w = put_axes(
          w, f.fixed, layout, [&](int i) { return dense.of[i]; }, 0);
      continue;
    }
    const call_data::memory& m = f.call.operands[place];
    *w++ = std::bit_cast<std::uint64_t>(m.data);
    *w++ = own | rows_from(f.fixed, layout, place);
    w = put_axes(
        w, f.fixed, layout, [&](int i) { return m.stride[i]; }, 0);
  }
  if (layout.words != carried::none) w = put_words(w, layout.words == carried::pre ? f.fixed.pre : f.fixed.post);
  count_ = static_cast<std::size_t>(w - words_.data());
}

}  // namespace rowsmith
