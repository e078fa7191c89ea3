#include "model/any_width.h"

#include <algorithm>
#include <iterator>

#include "model/op_table.h"

namespace rowsmith {

bool has_bucket(const shape_class& c) noexcept {
  return describe(c.op).along != reduces::nothing && c.width > 0 && c.width <= *std::rbegin(width_buckets) &&
         !c.asks_for(ask_any_width);
}

shape_class any_width_class(const shape_class& c) noexcept {
  shape_class any = c;
  any.asks |= ask_any_width;
  any.width = *std::lower_bound(std::begin(width_buckets), std::end(width_buckets), c.width);
  // Rows of any width begin anywhere: what stays is whether they do so together.
  any.flags &= fact_in_place | fact_same_phase | fact_side_by_side;
  any.run = c.run != 0;
  for (int k = 0; k < any.operand_count; ++k) {
    operand_facts& o = any.operands[k];
    if (o.align != 0) o.align = static_cast<std::uint8_t>(size_of(o.dtype));
  }
  return any;
}

shape_class width_family(const shape_class& c) noexcept {
  shape_class family = any_width_class(c);
  family.width = 0;
  family.flags &= fact_in_place;
  return family;
}

}  // namespace rowsmith
