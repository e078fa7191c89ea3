// index_tensor: row numbers on a device.
#pragma once

#include <stdexcept>
#include <vector>

#include "rowsmith/runtime.h"
#include "support/tensor.h"

namespace rowsmith::test {

class index_tensor {
 public:
  // type: i32 or i64. No numbers: no memory is taken, and there is no view.
  index_tensor(device where, dtype type, dims shape, const std::vector<std::int64_t>& numbers)
      : where_(where), type_(type), shape_(std::move(shape)) {
    if (numbers.empty()) return;
    const std::vector<std::int32_t> narrow(numbers.begin(), numbers.end());
    const void* from = type == dtype::i64 ? static_cast<const void*>(numbers.data()) : narrow.data();
    const std::size_t bytes = numbers.size() * size_of(type);
    data_ = allocate(where_, bytes).value();
    if (!copy(where_, data_, from, bytes).ok()) throw std::runtime_error("an index did not reach its device");
  }
  ~index_tensor() {
    if (data_ != nullptr) (void)release(where_, data_).ok();
  }
  index_tensor(const index_tensor&) = delete;
  index_tensor& operator=(const index_tensor&) = delete;

  const_tensor_view view() const {
    return dense(static_cast<const void*>(data_), type_, shape_.data(), static_cast<int>(shape_.size()), where_);
  }

 private:
  device where_;
  dtype type_;
  dims shape_;
  void* data_ = nullptr;
};

}  // namespace rowsmith::test
