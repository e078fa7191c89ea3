#include "inspect/overlap.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "model/byte_span.h"

namespace rowsmith {

namespace {

struct axis {
  std::int64_t step;    // > 0, elements
  std::int64_t extent;  // > 1
};

struct sorted_axes {
  axis axes[max_rank];
  int count = 0;
};

// Axes that matter, slowest first, strides as distances.
sorted_axes sort(const tensor_view& v) noexcept {
  sorted_axes s;
  for (int i = 0; i < v.rank; ++i) {
    if (v.shape[i] > 1) s.axes[s.count++] = {std::llabs(v.stride[i]), v.shape[i]};
  }
  std::sort(s.axes, s.axes + s.count, [](const axis& a, const axis& b) { return a.step > b.step; });
  return s;
}

// Does every axis step over all that the faster ones cover? Then an offset has one index, and overlap can be decided.
bool nested(const sorted_axes& s) noexcept {
  std::int64_t covered = 0;  // largest offset that the faster axes reach
  for (int i = s.count - 1; i >= 0; --i) {
    if (s.axes[i].step <= covered) return false;
    covered += s.axes[i].step * (s.axes[i].extent - 1);
  }
  return true;
}

struct byte_range {
  std::intptr_t first, last;  // last: one past the end
};

byte_range range_of(const tensor_view& v) noexcept {
  const byte_span s = byte_span_of(v);
  const auto base = reinterpret_cast<std::intptr_t>(v.data);
  return {base + s.low, base + s.high};
}

// Can sum k_i * step_i, |k_i| < extent_i, equal `distance`? In nested axes the candidates for each k_i are the two
// quotients around distance / step_i, so the search is a short recursion.
bool reachable(const sorted_axes& s, int i, std::int64_t distance) noexcept {
  if (i == s.count) return distance == 0;
  const std::int64_t k = distance / s.axes[i].step;
  for (const std::int64_t q : {k - 1, k, k + 1}) {
    if (std::llabs(q) < s.axes[i].extent && reachable(s, i + 1, distance - q * s.axes[i].step)) return true;
  }
  return false;
}

}  // namespace

bool overlaps_itself(const tensor_view& v) noexcept { return !nested(sort(v)); }

bool ranges_overlap(const tensor_view& a, const tensor_view& b) noexcept {
  const byte_range ra = range_of(a), rb = range_of(b);
  return ra.first < rb.last && rb.first < ra.last;
}

bool overlap(const tensor_view& a, const tensor_view& b) noexcept {
  if (!ranges_overlap(a, b)) return false;
  const auto size = static_cast<std::int64_t>(size_of(a.dtype));
  if (size_of(b.dtype) != size_of(a.dtype)) return true;
  for (int i = 0; i < a.rank; ++i) {
    if (a.shape[i] > 1 && a.stride[i] != b.stride[i]) return true;
  }
  const std::intptr_t bytes = reinterpret_cast<std::intptr_t>(a.data) - reinterpret_cast<std::intptr_t>(b.data);
  if (bytes % size != 0) return true;
  const sorted_axes s = sort(a);
  return !nested(s) || reachable(s, 0, bytes / size);
}

}  // namespace rowsmith
