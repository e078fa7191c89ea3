// dlpack: DLPack tensors as views, and views as DLPack tensors. Header only.
//
// The declarations below have the layout of DLPack 1.x under names of our own, so that this header and
// <dlpack/dlpack.h> may be included in any order, or without each other. Everything that takes a DLPack structure is a
// template and accepts both.
//
// Nothing here synchronizes: hand over the producer's stream with the call (or synchronize it) as the exchange protocol
// asks. Views borrow: the managed tensor must outlive every call made with them, and whoever holds it calls its
// deleter, after a refusal too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include "rowsmith/status.h"
#include "rowsmith/tensor_view.h"

namespace rowsmith {
namespace dlpack {

// ---- The ABI of DLPack 1.x ----

constexpr std::uint32_t major_version = 1;
constexpr std::uint32_t minor_version = 0;
constexpr std::uint64_t flag_read_only = 1;

// DLDeviceType.
enum : std::int32_t {
  device_cpu = 1,
  device_cuda = 2,
  device_cuda_host = 3,  // pinned: the host's for us
  device_rocm = 10,
  device_rocm_host = 11,
  device_cuda_managed = 13,
};

// DLDataTypeCode.
enum : std::uint8_t { code_int = 0, code_uint = 1, code_float = 2, code_bfloat = 4, code_bool = 6 };

struct DLDevice {
  std::int32_t device_type;
  std::int32_t device_id;
};

struct DLDataType {
  std::uint8_t code;
  std::uint8_t bits;
  std::uint16_t lanes;
};

struct DLTensor {
  void* data;
  DLDevice device;
  std::int32_t ndim;
  DLDataType dtype;
  std::int64_t* shape;
  std::int64_t* strides;  // elements; null from older producers: dense
  std::uint64_t byte_offset;
};

struct DLManagedTensor {
  DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(DLManagedTensor* self);
};

struct DLPackVersion {
  std::uint32_t major;
  std::uint32_t minor;
};

struct DLManagedTensorVersioned {
  DLPackVersion version;
  void* manager_ctx;
  void (*deleter)(DLManagedTensorVersioned* self);
  std::uint64_t flags;
  DLTensor dl_tensor;
};

static_assert(sizeof(DLTensor) == 48 && offsetof(DLTensor, ndim) == 16 && offsetof(DLTensor, shape) == 24);
static_assert(sizeof(DLManagedTensor) == 64 && sizeof(DLManagedTensorVersioned) == 80);
static_assert(offsetof(DLManagedTensorVersioned, flags) == 24 && offsetof(DLManagedTensorVersioned, dl_tensor) == 32);

// ---- Parts of the conversion ----

namespace detail {

template <class T, class = void>
struct is_versioned : std::false_type {};
template <class T>
struct is_versioned<T, std::void_t<decltype(std::declval<const T&>().version)>> : std::true_type {};

template <class T, class = void>
struct is_managed : std::false_type {};
template <class T>
struct is_managed<T, std::void_t<decltype(std::declval<const T&>().dl_tensor)>> : std::true_type {};

// The DLTensor in whatever carries it.
template <class T>
const auto& bare(const T& tensor) {
  if constexpr (is_managed<T>::value) {
    static_assert(sizeof(tensor.dl_tensor) == sizeof(DLTensor), "not the layout of DLPack 1.x");
    return tensor.dl_tensor;
  } else {
    static_assert(sizeof(T) == sizeof(DLTensor), "not the layout of DLPack 1.x");
    return tensor;
  }
}

inline status refuse(code c, const char* field, const std::string& found, const char* allowed) {
  return {c, std::string(field) + ": found " + found + ", " + allowed};
}

template <class T>
status check_version(const T& tensor) {
  static_assert(sizeof(T) == sizeof(DLManagedTensorVersioned), "not the layout of DLPack 1.x");
  if (tensor.version.major == major_version) return {};
  return refuse(code::unsupported, "version.major", std::to_string(tensor.version.major), "1 is allowed");
}

inline status to_dtype(int code, int bits, int lanes, dtype* out) {
  const auto is = [&](int c, int b) { return code == c && bits == b; };
  if (lanes != 1) {
    return refuse(rowsmith::code::unsupported, "dtype.lanes", std::to_string(lanes), "only 1 is allowed");
  }
  if (is(code_float, 32)) return *out = dtype::f32, status();
  if (is(code_float, 16)) return *out = dtype::f16, status();
  if (is(code_bfloat, 16)) return *out = dtype::bf16, status();
  if (is(code_float, 64)) return *out = dtype::f64, status();
  if (is(code_bool, 8)) return *out = dtype::b8, status();
  if (is(code_int, 32)) return *out = dtype::i32, status();
  if (is(code_int, 64)) return *out = dtype::i64, status();
  if (is(code_int, 8)) return *out = dtype::i8, status();
  if (is(code_uint, 8)) return *out = dtype::u8, status();
  return refuse(rowsmith::code::unsupported, "dtype",
                "code " + std::to_string(code) + " of " + std::to_string(bits) + " bits",
                "float 16, 32, 64, bfloat 16, bool 8, int 8, 32, 64 and uint 8 are allowed");
}

// The fp8 types stay out until their variant (fn, fnuz) is part of ours.
inline bool from_dtype(dtype t, DLDataType* out) {
  switch (t) {
    case dtype::f32:
      *out = {code_float, 32, 1};
      return true;
    case dtype::f16:
      *out = {code_float, 16, 1};
      return true;
    case dtype::bf16:
      *out = {code_bfloat, 16, 1};
      return true;
    case dtype::f64:
      *out = {code_float, 64, 1};
      return true;
    case dtype::b8:
      *out = {code_bool, 8, 1};
      return true;
    case dtype::i32:
      *out = {code_int, 32, 1};
      return true;
    case dtype::i64:
      *out = {code_int, 64, 1};
      return true;
    case dtype::i8:
      *out = {code_int, 8, 1};
      return true;
    case dtype::u8:
      *out = {code_uint, 8, 1};
      return true;
    default:
      return false;
  }
}

inline status to_device(std::int32_t type, std::int32_t id, device* out) {
  switch (type) {
    case device_cpu:
    case device_cuda_host:
    case device_rocm_host:
      *out = {device_kind::host, 0};
      return {};
    case device_cuda:
    case device_cuda_managed:
      *out = {device_kind::cuda, id};
      return {};
    case device_rocm:
      *out = {device_kind::hip, id};
      return {};
    default:
      return refuse(code::unsupported, "device.device_type", std::to_string(type),
                    "CPU (1), CUDA (2), pinned (3, 11), ROCm (10) and CUDA managed (13) are allowed");
  }
}

template <class Tensor>
result<tensor_view> to_view(const Tensor& t) {
  tensor_view v;
  if (t.ndim < 0 || t.ndim > max_rank) {
    return refuse(code::invalid_argument, "ndim", std::to_string(t.ndim), "0 to 8 is allowed");
  }
  if (t.ndim > 0 && t.shape == nullptr) return refuse(code::invalid_argument, "shape", "null", "a pointer is needed");
  if (status s = to_dtype(t.dtype.code, t.dtype.bits, t.dtype.lanes, &v.dtype); !s) return s;
  const auto type = static_cast<std::int32_t>(t.device.device_type);
  if (status s = to_device(type, t.device.device_id, &v.device); !s) return s;
  v.rank = t.ndim;
  std::int64_t step = 1;
  bool empty = false;
  for (int i = t.ndim - 1; i >= 0; --i) {
    if (t.shape[i] < 0) {
      const std::string name = "shape[" + std::to_string(i) + "]";
      return refuse(code::invalid_argument, name.c_str(), std::to_string(t.shape[i]), "0 or more is allowed");
    }
    v.shape[i] = t.shape[i];
    v.stride[i] = t.strides != nullptr ? t.strides[i] : step;
    if (t.shape[i] == 0) {
      empty = true;
    } else if (step > INT64_MAX / t.shape[i]) {
      return refuse(code::invalid_argument, "shape", "more than 2^63 elements", "fewer are allowed");
    } else {
      step *= t.shape[i];
    }
  }
  if (t.data == nullptr && !empty) {
    return refuse(code::invalid_argument, "data", "null with elements", "a pointer is needed");
  }
  v.data = t.data == nullptr ? nullptr : static_cast<char*>(t.data) + t.byte_offset;
  return v;
}

// A managed tensor with everything it points at, and whoever owns the memory.
struct exported {
  DLManagedTensorVersioned managed{};
  std::int64_t shape[max_rank] = {};
  std::int64_t strides[max_rank] = {};
  void (*release)(void*) = nullptr;
  void* owner = nullptr;

  static void destroy(DLManagedTensorVersioned* self) {
    auto* e = static_cast<exported*>(self->manager_ctx);
    if (e->release != nullptr) e->release(e->owner);
    delete e;
  }
};

template <class View>
result<DLManagedTensorVersioned*> to_managed(const View& v, std::uint64_t flags, void (*release)(void*), void* owner) {
  if (v.rank < 0 || v.rank > max_rank) {
    return refuse(code::invalid_argument, "rank", std::to_string(v.rank), "0 to 8 is allowed");
  }
  DLDataType type;
  if (!from_dtype(v.dtype, &type)) {
    return refuse(code::unsupported, "dtype", std::to_string(static_cast<int>(v.dtype)), "DLPack has no such type");
  }
  std::int32_t kind = 0;
  switch (v.device.kind) {
    case device_kind::host:
      kind = device_cpu;
      break;
    case device_kind::cuda:
      kind = device_cuda;
      break;
    case device_kind::hip:
      kind = device_rocm;
      break;
    default:
      return refuse(code::unsupported, "device", "the null device", "host, cuda and hip are allowed");
  }
  auto* e = new exported;
  for (int i = 0; i < v.rank; ++i) {
    e->shape[i] = v.shape[i];
    e->strides[i] = v.stride[i];
  }
  e->release = release;
  e->owner = owner;
  e->managed.version = {major_version, minor_version};
  e->managed.manager_ctx = e;
  e->managed.deleter = &exported::destroy;
  e->managed.flags = flags;
  e->managed.dl_tensor = {const_cast<void*>(v.data), {kind, v.device.index}, v.rank, type, e->shape, e->strides, 0};
  return &e->managed;
}

}  // namespace detail

// ---- DLPack to view ----

// A view to write to. T: DLTensor, DLManagedTensor or DLManagedTensorVersioned, ours or <dlpack/dlpack.h>'s.
// Errors: invalid_argument and unsupported, which name the field; unsupported for another major version (call its
// deleter; nothing else of it may be touched) and invalid_argument for one that is flagged read-only.
template <class T>
result<tensor_view> output(const T& tensor) {
  if constexpr (detail::is_versioned<T>::value) {
    if (status s = detail::check_version(tensor); !s) return s;
    if ((tensor.flags & flag_read_only) != 0) {
      return detail::refuse(code::invalid_argument, "flags", "read-only", "an output must be writable");
    }
  }
  return detail::to_view(detail::bare(tensor));
}

// A view to read from. As output(), read-only or not.
template <class T>
result<const_tensor_view> input(const T& tensor) {
  if constexpr (detail::is_versioned<T>::value) {
    if (status s = detail::check_version(tensor); !s) return s;
  }
  auto view = detail::to_view(detail::bare(tensor));
  if (!view) return std::move(view).status();
  return const_tensor_view(*view);
}

// ---- View to DLPack ----

// A managed tensor over the view's memory. Its deleter, which the consumer calls once, calls release(owner), where
// `release` is given, and frees the structure. On a failure nothing was taken over. To hand it to code that knows
// <dlpack/dlpack.h>, reinterpret_cast the pointer: the layouts are the same.
inline result<DLManagedTensorVersioned*> managed(const tensor_view& view, void (*release)(void*) = nullptr,
                                                 void* owner = nullptr) {
  return detail::to_managed(view, 0, release, owner);
}

// The same, flagged read-only.
inline result<DLManagedTensorVersioned*> managed(const const_tensor_view& view, void (*release)(void*) = nullptr,
                                                 void* owner = nullptr) {
  return detail::to_managed(view, flag_read_only, release, owner);
}

}  // namespace dlpack
}  // namespace rowsmith
