#include "inspect/validate.h"

#include "inspect/refusal.h"

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
  wraps |= __builtin_mul_overflow(low, size, &low) | __builtin_mul_overflow(high, size, &high);
  return !(wraps | __builtin_add_overflow(base, low, &low) | __builtin_add_overflow(base, high, &high));
}

status check_one(const operand& o, const operand_spec& spec, const tensor_view& first, std::int64_t elements) noexcept {
  const tensor_view& v = o.view;
  if ((spec.dtypes & bit(v.dtype)) == 0) {
    return refuse(o.what, "dtype is {}, allowed are {}", name_of(v.dtype), list_of(spec.dtypes));
  }
  if (v.device != first.device) {
    return refuse(o.what, "device is {}:{}, but x is on {}:{}: all operands must be on one device",
                  name_of(v.device.kind), v.device.index, name_of(first.device.kind), first.device.index);
  }
  if (v.rank != first.rank) return refuse(o.what, "rank is {}, but x has rank {}", v.rank, first.rank);
  for (int i = 0; i < v.rank; ++i) {
    if (v.shape[i] != first.shape[i]) {
      return refuse(o.what, "shape is {}, but x has shape {}", shape_text(v), shape_text(first));
    }
  }
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

}  // namespace

status validate(const request& r, const op_row& op, int* axis, std::int64_t* elements) noexcept {
  if (r.operand_count != static_cast<int>(op.operands.size())) {
    return status(code::invalid_argument,
                  fmt::format("{}: {} operands given, it takes {}", op.name, r.operand_count, op.operands.size()));
  }
  const tensor_view& first = r.operands[0].view;
  if (first.rank < 1 || first.rank > max_rank) {
    return refuse(r.operands[0].what, "rank is {}, allowed is 1 to {}", first.rank, max_rank);
  }
  constexpr int largest_index = 0xffff;
  if (first.device.index < 0 || first.device.index > largest_index) {
    return refuse(r.operands[0].what, "device index is {}, allowed is 0 to {}", first.device.index, largest_index);
  }
  const int from_front = r.axis < 0 ? r.axis + first.rank : r.axis;
  if (from_front < 0 || from_front >= first.rank) {
    return status(code::invalid_argument,
                  fmt::format("axis: is {}, allowed is {} to {}", r.axis, -first.rank, first.rank - 1));
  }
  *axis = from_front;
  status why;
  *elements = count_elements(first, r.operands[0].what, &why);
  if (*elements < 0) return why;
  for (int i = 0; i < r.operand_count; ++i) {
    if (r.operands[i].what != op.operands[static_cast<std::size_t>(i)].what) {
      return status(code::invalid_argument,
                    fmt::format("{}: operand {} is {}, it takes {} there", op.name, i, name_of(r.operands[i].what),
                                name_of(op.operands[static_cast<std::size_t>(i)].what)));
    }
    if (status s = check_one(r.operands[i], op.operands[static_cast<std::size_t>(i)], first, *elements); !s) return s;
  }
  return {};
}

}  // namespace rowsmith
