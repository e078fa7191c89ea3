#include "inspect/collapse.h"

#include <algorithm>
#include <cstdlib>

namespace rowsmith {

namespace {

// Axes are sorted as this operand lies: results leave in order.
int guide_of(const request& r, const iteration& over) noexcept {
  for (int k = 0; k < r.operand_count; ++k) {
    if (over.spec[k]->output && over.spec[k]->extent == reach::full) return k;
  }
  return over.leader;
}

// The axes in `mask` that have extents above 1, slowest first, merged, from position `begin` on. Returns how many.
int collapse_group(const request& r, const iteration& over, unsigned mask, int begin, call_data* c) noexcept {
  const std::int64_t(&lies)[max_rank] = over.stride[guide_of(r, over)];
  int order[max_rank];
  int count = 0;
  for (int i = 0; i < over.rank; ++i) {
    if ((mask >> i & 1) == 0 || over.shape[i] == 1) continue;
    int at = count++;
    for (; at > 0 && std::llabs(lies[order[at - 1]]) < std::llabs(lies[i]); --at) order[at] = order[at - 1];
    order[at] = i;
  }
  int end = begin;
  for (int n = 0; n < count; ++n) {
    const int i = order[n];
    bool merges = end > begin;
    for (int k = 0; merges && k < r.operand_count; ++k) {
      merges = c->operands[k].stride[end - 1] == over.stride[k][i] * over.shape[i];
    }
    const int at = merges ? end - 1 : end++;
    c->extent[at] = merges ? c->extent[at] * over.shape[i] : over.shape[i];
    for (int k = 0; k < r.operand_count; ++k) c->operands[k].stride[at] = over.stride[k][i];
  }
  return end - begin;
}

int add_axis_of_one(const request& r, int at, call_data* c) noexcept {
  c->extent[at] = 1;
  for (int k = 0; k < r.operand_count; ++k) c->operands[k].stride[at] = 0;
  return 1;
}

// Elements of which there is only one lie any way: side by side.
void one_element_rows(const request& r, const iteration& over, int at, call_data* c) noexcept {
  for (int k = 0; k < r.operand_count; ++k) {
    if (over.spec[k]->extent != reach::per_row) c->operands[k].stride[at] = 1;
  }
}

}  // namespace

void collapse(const request& r, const op_row& op, const iteration& over, facts* f) noexcept {
  call_data& c = f->call;
  const unsigned all = (1u << over.rank) - 1;
  int outer = collapse_group(r, over, all & ~over.reduced, 0, &c);
  int inner = 0;
  if (op.along == reduces::nothing) {  // the fastest axis is the row
    if (outer == 1) {
      c.extent[1] = c.extent[0];
      for (int k = 0; k < r.operand_count; ++k) c.operands[k].stride[1] = c.operands[k].stride[0];
      outer = add_axis_of_one(r, 0, &c);
      inner = 1;
    } else if (outer > 1) {
      --outer, inner = 1;
    }
  }
  if (outer == 0) outer = add_axis_of_one(r, 0, &c);
  if (inner == 0) inner = collapse_group(r, over, over.reduced, outer, &c);
  if (inner == 0) {
    inner = add_axis_of_one(r, outer, &c);
    one_element_rows(r, over, outer, &c);
  }
  f->fixed.outer_rank = static_cast<std::uint8_t>(outer);
  f->fixed.inner_rank = static_cast<std::uint8_t>(inner);
  c.rows = c.width = 1;
  for (int i = 0; i < outer; ++i) c.rows *= c.extent[i];
  for (int i = outer; i < outer + inner; ++i) c.width *= c.extent[i];
}

}  // namespace rowsmith
