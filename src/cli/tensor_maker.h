// tensor_maker: drawn inputs on the host, and memory on a device that gives itself back.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "cli/random.h"
#include "rowsmith/runtime.h"

namespace rowsmith::cli {

// Host bytes that nobody has written yet: a vector would touch gigabytes for nothing.
class host_memory {
 public:
  explicit host_memory(std::size_t bytes);
  void* data() const noexcept { return data_.get(); }

 private:
  struct free_it {
    void operator()(void* p) const noexcept;
  };
  std::unique_ptr<void, free_it> data_;
};

// `count` elements of `type`, element i from the sequence's i-th number, rounded to nearest even.
host_memory make_tensor(dtype type, std::int64_t count, const distribution& d, std::uint64_t seed);

class device_memory {
 public:
  static result<device_memory> make(device where, std::size_t bytes);
  device_memory(device_memory&& other) noexcept : where_(other.where_), data_(std::exchange(other.data_, nullptr)) {}
  device_memory& operator=(device_memory&&) = delete;
  ~device_memory();
  void* data() const noexcept { return data_; }

 private:
  device_memory(device where, void* data) noexcept : where_(where), data_(data) {}
  device where_;
  void* data_;
};

}  // namespace rowsmith::cli
