#include "cli/call_tensors.h"

#include <algorithm>

#include "cli/number.h"

namespace rowsmith::cli {

namespace {

double element(const void* memory, dtype type, std::int64_t i) {
  switch (type) {
    case dtype::b8:
      return static_cast<const std::uint8_t*>(memory)[i] != 0 ? 1 : 0;
    case dtype::i32:
      return static_cast<const std::int32_t*>(memory)[i];
    case dtype::i64:
      return static_cast<double>(static_cast<const std::int64_t*>(memory)[i]);
    default:
      return load(memory, type, i);
  }
}

bool is_inner(const op_setup& s, int axis) { return std::find(s.inner.begin(), s.inner.end(), axis) != s.inner.end(); }

std::string_view extent_of(const op_info& op, std::string_view role) {
  for (const op_info::operand& o : op.operands) {
    if (o.role == role) return o.extent;
  }
  return {};
}

// Offsets of all elements over these axes, the last one fastest.
std::vector<std::int64_t> offsets(const shape& extents, const shape& strides) {
  std::vector<std::int64_t> all = {0};
  for (std::size_t i = 0; i < extents.size(); ++i) {
    std::vector<std::int64_t> next;
    next.reserve(all.size() * static_cast<std::size_t>(extents[i]));
    for (const std::int64_t base : all) {
      for (std::int64_t k = 0; k < extents[i]; ++k) next.push_back(base + k * strides[i]);
    }
    all = std::move(next);
  }
  return all;
}

}  // namespace

call_tensors::call_tensors(const op_setup& s, const std::vector<host_memory>& memory) : setup_(s), rows_(s.rows()) {
  for (const int i : s.inner) width_ *= s.shape[i];
  for (std::size_t k = 0; k < s.tensors.size(); ++k) placed_.push_back(place(k, memory[k].data()));
}

call_tensors::placed call_tensors::place(std::size_t k, const void* data) const {
  const tensor_setup& t = setup_.tensors[k];
  const int rank = static_cast<int>(setup_.shape.size());
  placed p{&t, data, std::vector<std::int64_t>(rank, 0), {}, -1};
  shape extents, strides;  // of a row
  if (!t.rows_from.empty()) {
    for (std::size_t i = 0; i < setup_.tensors.size(); ++i) {
      if (setup_.tensors[i].role == t.rows_from) p.index = static_cast<int>(i);
    }
    extents.assign(t.extents.begin() + 1, t.extents.end());
    strides.assign(t.strides.begin() + 1, t.strides.end());
    p.inside = offsets(extents, strides);
    return p;
  }
  const bool columns = extent_of(setup_.op, t.role) == "per_column";
  for (int i = 0; i < rank; ++i) {
    // Right-aligned; of an operand that has a row's axes alone, one by one.
    int at = static_cast<int>(t.extents.size()) - rank + i;
    if (columns) at = is_inner(setup_, i) ? static_cast<int>(extents.size()) : -1;
    const std::int64_t stride = at < 0 || t.extents[at] == 1 ? 0 : t.strides[at];
    if (is_inner(setup_, i)) {
      extents.push_back(setup_.shape[i]);
      strides.push_back(stride);
    } else {
      p.outer[i] = stride;
    }
  }
  p.inside = offsets(extents, strides);
  return p;
}

const call_tensors::placed* call_tensors::find(std::string_view role) const {
  for (const placed& p : placed_) {
    if (p.what->role == role) return &p;
  }
  return nullptr;
}

std::int64_t call_tensors::coordinate(int axis, std::int64_t row) const {
  for (int i = static_cast<int>(setup_.shape.size()); i-- > 0;) {
    if (is_inner(setup_, i)) continue;
    if (i == axis) return row % setup_.shape[i];
    row /= setup_.shape[i];
  }
  return 0;
}

std::int64_t call_tensors::offset(const placed& p, std::int64_t row) const {
  std::int64_t at = 0;
  for (int i = static_cast<int>(setup_.shape.size()); i-- > 0;) {
    if (is_inner(setup_, i)) continue;
    at += row % setup_.shape[i] * p.outer[i];
    row /= setup_.shape[i];
  }
  return at;
}

std::int64_t call_tensors::begin(const placed& p, std::int64_t row) const {
  if (p.index < 0) return offset(p, row);
  const placed& index = placed_[p.index];
  const auto at = static_cast<std::int64_t>(element(index.data, index.what->type, offset(index, row)));
  return at < 0 || at >= p.what->extents[0] ? -1 : at * p.what->strides[0];
}

bool call_tensors::is_there(std::string_view role, std::int64_t row) const { return begin(*find(role), row) >= 0; }

reference::reals call_tensors::row(std::string_view role, std::int64_t row) const {
  const placed* p = find(role);
  if (p == nullptr) return {};
  const std::int64_t first = begin(*p, row);
  reference::reals values(p->inside.size(), 0);
  if (first < 0) return values;
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = element(p->data, p->what->type, first + p->inside[i]);
  return values;
}

double call_tensors::one(std::string_view role, std::int64_t row) const {
  const placed& p = *find(role);
  return element(p.data, p.what->type, offset(p, row));
}

reference::reals call_tensors::all(std::string_view role) const {
  const placed* p = find(role);
  if (p == nullptr) return {};
  reference::reals values;
  for (const std::int64_t at : offsets(p->what->extents, p->what->strides)) {
    values.push_back(element(p->data, p->what->type, at));
  }
  return values;
}

}  // namespace rowsmith::cli
