#include "inspect/validate.h"

#include <algorithm>
#include <bit>

#include "base/failure.h"
#include "inspect/aliasing.h"
#include "inspect/dense.h"
#include "inspect/refusal.h"
#include "inspect/shape_match.h"

namespace rowsmith {

namespace {

// Does every byte of the view have an address? Offsets are summed with checks, axes of one element aside.
bool has_addresses(const tensor_view& v) noexcept {
  std::int64_t low = 0, high = 0;
  bool wraps = false;
  for (int i = 0; i < v.rank; ++i) {
    if (v.shape[i] <= 1) continue;
    std::int64_t reach = 0;
    wraps |= __builtin_mul_overflow(v.stride[i], v.shape[i] - 1, &reach);
    std::int64_t& end = reach < 0 ? low : high;
    wraps |= __builtin_add_overflow(end, reach, &end);
  }
  const auto size = static_cast<std::int64_t>(size_of(v.dtype));
  const auto base = reinterpret_cast<std::intptr_t>(v.data);
  wraps |= __builtin_add_overflow(high, 1, &high);
  for (std::int64_t* end : {&low, &high}) {
    wraps |= __builtin_mul_overflow(*end, size, end);
    wraps |= __builtin_add_overflow(base, *end, end);
  }
  return !wraps;
}

// The number of elements, or -1 with *why set.
std::int64_t count_elements(const tensor_view& v, role what, status* why) noexcept {
  std::int64_t elements = 1;
  bool empty = false;
  for (int i = 0; i < v.rank; ++i) {
    if (v.shape[i] < 0) {
      *why = refuse(what, "shape[{}] is {}, at least 0 is allowed", i, v.shape[i]);
      return -1;
    }
    if (v.shape[i] == 0)
      empty = true;
    else if (__builtin_mul_overflow(elements, v.shape[i], &elements)) {
      *why = refuse(what, "shape is {}: more than 2^63 elements", shape_text(v));
      return -1;
    }
  }
  return empty ? 0 : elements;
}

status check_memory(const operand& o) noexcept {
  const tensor_view& v = o.view;
  const std::int64_t elements = elements_of(v);
  if (elements == 0) return {};
  if (v.data == nullptr) return refuse(o.what, "data is null, but the view has {} elements", elements);
  if (reinterpret_cast<std::uintptr_t>(v.data) % size_of(v.dtype) != 0) {
    return refuse(o.what, "data is at {}, which is not a multiple of the element size {}", v.data, size_of(v.dtype));
  }
  if (!has_addresses(v)) {
    return refuse(o.what, "shape {} with its strides reaches past the address space", shape_text(v));
  }
  return {};
}

// The operands against the op's list: both in order, optional ones may be left out.
[[gnu::cold, gnu::noinline]] status wrong_operands(const request& r, const op_row& op, int at,
                                                   const operand_spec* expected) noexcept {
  if (expected == nullptr || at >= r.operand_count) {
    const auto needed =
        std::count_if(op.operands.begin(), op.operands.end(), [](const operand_spec& s) { return !s.optional; });
    return failure(code::invalid_argument, "{}: {} operands given, it takes {} to {}", op.name, r.operand_count, needed,
                   op.operands.size());
  }
  return failure(code::invalid_argument, "{}: operand {} is {}, it takes {} there", op.name, at,
                 name_of(r.operands[at].what), name_of(expected->what));
}

status match_operands(const request& r, const op_row& op, iteration* over) noexcept {
  int at = 0;
  for (const operand_spec& s : op.operands) {
    if (at < r.operand_count && r.operands[at].what == s.what) {
      over->spec[at++] = &s;
    } else if (!s.optional) {
      return wrong_operands(r, op, at, &s);
    }
  }
  return at == r.operand_count ? status() : wrong_operands(r, op, at, nullptr);
}

status reduced_axes(const request& r, const op_row& op, int rank, unsigned* mask) noexcept {
  int axis = r.axis;
  switch (op.along) {
    case reduces::axis:
      axis = axis < 0 ? axis + rank : axis;
      if (axis < 0 || axis >= rank) {
        return failure(code::invalid_argument, "axis: is {}, allowed is {} to {}", r.axis, -rank, rank - 1);
      }
      *mask = 1u << axis;
      return {};
    case reduces::trailing:
      if (axis < 1 || axis > rank) {
        return failure(code::invalid_argument, "axes: is {}, allowed is 1 to {}", axis, rank);
      }
      *mask = ((1u << axis) - 1) << (rank - axis);
      return {};
    case reduces::set:
      if (axis <= 0 || axis >= 1 << rank) {
        return failure(code::invalid_argument,
                       "axes: the set {:#x} is empty or names an axis that rank {} does not have", axis, rank);
      }
      *mask = static_cast<unsigned>(axis);
      return {};
    case reduces::nothing:
      *mask = 0;
      return {};
  }
  return {};
}

status check_view(const request& r, const op_row& op, int k, const iteration& over) noexcept {
  const operand& o = r.operands[k];
  const operand& lead = r.operands[over.leader];
  const tensor_view& v = o.view;
  if ((over.spec[k]->dtypes & bit(v.dtype)) == 0) {
    return refuse(o.what, "dtype is {}, allowed are {}", name_of(v.dtype), list_of(over.spec[k]->dtypes));
  }
  if (((bit(v.dtype) | bit(lead.view.dtype)) & op.moved_dtypes) != 0 && v.dtype != lead.view.dtype) {
    return refuse(o.what, "dtype is {}, but {} is {}: only f32, f16 and bf16 are converted", name_of(v.dtype),
                  name_of(lead.what), name_of(lead.view.dtype));
  }
  if (v.device != lead.view.device) {
    return refuse(o.what, "device is {}:{}, but {} is on {}:{}: all operands must be on one device",
                  name_of(v.device.kind), v.device.index, name_of(lead.what), name_of(lead.view.device.kind),
                  lead.view.device.index);
  }
  if (v.rank < 0 || v.rank > max_rank) return refuse(o.what, "rank is {}, allowed is 0 to {}", v.rank, max_rank);
  return {};
}

}  // namespace

std::int64_t elements_of(const tensor_view& v) noexcept {
  std::int64_t n = 1;
  for (int i = 0; i < v.rank; ++i) n *= v.shape[i];
  return n;
}

status validate(const request& r, const op_row& op, shortcut dense, iteration* over) noexcept {
  if (status s = match_operands(r, op, over); !s) return s;
  if (!options_are_known(op, r.options)) [[unlikely]] {
    return failure(code::invalid_argument, "options: {:#x} is nothing that {} knows", r.options, op.name);
  }
  int leader = 0;
  while (leader < r.operand_count && (over->spec[leader]->extent != reach::full || r.operands[leader].rows_from >= 0)) {
    ++leader;
  }
  if (leader == r.operand_count) return wrong_operands(r, op, 0, nullptr);
  over->leader = leader;
  const tensor_view& lead = r.operands[leader].view;
  if (lead.rank < 1 || lead.rank > max_rank) {
    return refuse(r.operands[leader].what, "rank is {}, allowed is 1 to {}", lead.rank, max_rank);
  }
  if (lead.device.index < 0 || lead.device.index > largest_device_index) {
    return refuse(r.operands[leader].what, "device index is {}, allowed is 0 to {}", lead.device.index,
                  largest_device_index);
  }
  over->rank = lead.rank;
  for (int i = 0; i < lead.rank; ++i) over->shape[i] = lead.shape[i];
  if (status s = reduced_axes(r, op, lead.rank, &over->reduced); !s) return s;
  status why;
  over->elements = count_elements(lead, r.operands[leader].what, &why);
  if (over->elements < 0) return why;

  over->dense = dense == shortcut::allowed && is_dense_call(r, over);
  unsigned indices = 0;  // that no operand's rows come from so far
  for (int k = 0; k < r.operand_count; ++k) {
    if (status s = check_view(r, op, k, *over); !s) return s;
    if (over->dense) continue;
    if (is_index(r.operands[k].what)) indices |= 1u << k;
    if (k != leader && count_elements(r.operands[k].view, r.operands[k].what, &why) < 0) return why;
    if (status s = match_shape(r, k, over); !s) return s;
    if (over->spec[k]->extent == reach::no_memory) continue;
    if (status s = check_memory(r.operands[k]); !s) return s;
  }
  for (int k = 0; indices != 0 && k < r.operand_count; ++k) {
    if (r.operands[k].rows_from >= 0) indices &= ~(1u << r.operands[k].rows_from);
  }
  if (indices != 0) return refuse(r.operands[std::countr_zero(indices)].what, "no operand's rows come from it");
  if (r.workspace != nullptr) [[unlikely]]
    return check_workspace(r, *over);
  return {};
}

}  // namespace rowsmith
