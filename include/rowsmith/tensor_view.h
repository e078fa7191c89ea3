// tensor_view: a typed, strided window on memory that somebody else owns. Trivially copyable; no allocation, no
// lifetime.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <type_traits>

#include "rowsmith/export.h"

namespace rowsmith {

// Element types. The values are frozen: they are part of the C ABI, of records and of cache keys.
enum class dtype : std::uint8_t {
  f32 = 1,
  f16 = 2,   // IEEE binary16
  bf16 = 3,  // upper half of an IEEE binary32
  f64 = 4,   // reserved
  b8 = 5,    // bool: one byte, 0 or 1
  i32 = 6,
  i64 = 7,
  i8 = 8,        // reserved
  u8 = 9,        // reserved
  f8_e4m3 = 10,  // reserved
  f8_e5m2 = 11,  // reserved
};

constexpr std::size_t size_of(dtype t) noexcept {
  switch (t) {
    case dtype::f64:
    case dtype::i64:
      return 8;
    case dtype::f32:
    case dtype::i32:
      return 4;
    case dtype::f16:
    case dtype::bf16:
      return 2;
    default:
      return 1;
  }
}

ROWSMITH_EXPORT std::string_view name_of(dtype t) noexcept;              // "f16"; "dtype(77)" never: "unknown"
ROWSMITH_EXPORT bool parse(std::string_view text, dtype* out) noexcept;  // the inverse; false leaves *out alone

enum class device_kind : std::uint8_t {
  host = 1,
  cuda = 2,
  hip = 3,   // AMD and Hygon DCU
  null = 4,  // plans and renders everything, computes nothing: for tests and overhead measurements
};

struct device {
  device_kind kind = device_kind::host;
  std::int32_t index = 0;
  friend constexpr bool operator==(device a, device b) noexcept { return a.kind == b.kind && a.index == b.index; }
  friend constexpr bool operator!=(device a, device b) noexcept { return !(a == b); }
};

ROWSMITH_EXPORT std::string_view name_of(device_kind k) noexcept;         // "cuda"
ROWSMITH_EXPORT bool parse(std::string_view text, device* out) noexcept;  // "host", "cuda:1", "hip" (index 0)

// A vendor stream (CUstream, hipStream_t). Null is the device's default stream; the host ignores it: host calls return
// when the result is there, device calls return when the work is enqueued.
struct stream {
  void* handle = nullptr;
};

constexpr int max_rank = 8;

// shape[i] elements along axis i, stride[i] elements (not bytes) from one to the next; strides may be negative or 0.
// Only the first `rank` entries are read.
struct tensor_view {
  void* data = nullptr;
  rowsmith::dtype dtype = rowsmith::dtype::f32;
  rowsmith::device device{};
  std::int32_t rank = 0;
  std::int64_t shape[max_rank] = {};
  std::int64_t stride[max_rank] = {};
};

// The same for memory that is only read. Every tensor_view converts to it.
struct const_tensor_view {
  const void* data = nullptr;
  rowsmith::dtype dtype = rowsmith::dtype::f32;
  rowsmith::device device{};
  std::int32_t rank = 0;
  std::int64_t shape[max_rank] = {};
  std::int64_t stride[max_rank] = {};

  constexpr const_tensor_view() noexcept = default;
  constexpr const_tensor_view(const tensor_view& v) noexcept
      : data(v.data), dtype(v.dtype), device(v.device), rank(v.rank) {
    for (int i = 0; i < max_rank; ++i) {
      shape[i] = v.shape[i];
      stride[i] = v.stride[i];
    }
  }
};

static_assert(std::is_trivially_copyable_v<tensor_view> && std::is_trivially_copyable_v<const_tensor_view>);
static_assert(sizeof(tensor_view) == sizeof(const_tensor_view));

// A dense row-major view of `rank` extents. Ranks above max_rank are kept as they are, and refused by the op that gets
// them.
constexpr tensor_view dense(void* data, dtype type, const std::int64_t* shape, int rank, device where = {}) noexcept {
  tensor_view v;
  v.data = data;
  v.dtype = type;
  v.device = where;
  v.rank = rank;
  const int known = rank < max_rank ? rank : max_rank;
  for (int i = 0; i < known; ++i) v.shape[i] = shape[i];
  std::int64_t step = 1;
  for (int i = known; i-- > 0;) {
    v.stride[i] = step;
    // An extent that is no extent, or a product past 64 bits, is for the op to refuse; it must not overflow here.
    if (v.shape[i] > 0 && step <= INT64_MAX / v.shape[i]) step *= v.shape[i];
  }
  return v;
}

constexpr tensor_view dense(void* data, dtype type, std::initializer_list<std::int64_t> shape,
                            device where = {}) noexcept {
  return dense(data, type, shape.begin(), static_cast<int>(shape.size()), where);
}

constexpr tensor_view dense(std::nullptr_t, dtype type, std::initializer_list<std::int64_t> shape,
                            device where = {}) noexcept {
  return dense(static_cast<void*>(nullptr), type, shape, where);
}

// The same for memory that is only read.
constexpr const_tensor_view dense(const void* data, dtype type, const std::int64_t* shape, int rank,
                                  device where = {}) noexcept {
  const_tensor_view v = dense(static_cast<void*>(nullptr), type, shape, rank, where);
  v.data = data;
  return v;
}

constexpr const_tensor_view dense(const void* data, dtype type, std::initializer_list<std::int64_t> shape,
                                  device where = {}) noexcept {
  return dense(data, type, shape.begin(), static_cast<int>(shape.size()), where);
}

}  // namespace rowsmith
