#include "support/tensor.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "support/element.h"

namespace rowsmith::test {

namespace {

constexpr std::size_t red_zone = 4096;  // bytes of poison before and behind, on a device

std::size_t round_up(std::size_t n, std::size_t unit) { return (n + unit - 1) / unit * unit; }

void must(const status& s) {
  if (!s.ok()) throw std::runtime_error(s.to_string());
}

}  // namespace

dims dense_strides(const dims& shape) {
  dims stride(shape.size());
  std::int64_t step = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    stride[i] = step;
    step *= std::max<std::int64_t>(shape[i], 1);
  }
  return stride;
}

std::int64_t count(const dims& shape) {
  std::int64_t n = 1;
  for (const std::int64_t d : shape) n *= d;
  return n;
}

tensor::tensor(device where, dtype type, dims shape, dims stride, placement at, unsigned char poison)
    : where_(where), type_(type), shape_(std::move(shape)), stride_(std::move(stride)) {
  if (stride_.empty()) stride_ = dense_strides(shape_);
  const std::size_t size = size_of(type);
  std::int64_t low = 0, high = 0;
  for (std::size_t i = 0; i < shape_.size(); ++i) {
    (stride_[i] < 0 ? low : high) += stride_[i] * std::max<std::int64_t>(shape_[i] - 1, 0);
  }
  const std::size_t bytes = count(shape_) == 0 ? 0 : static_cast<std::size_t>(high - low + 1) * size;
  const std::size_t phase = at.phase < 0 ? 0 : static_cast<std::size_t>(at.phase) * size % 16;
  std::size_t begin;  // of the lowest element in the block
  std::size_t length;
  if (where_.kind == device_kind::host) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const std::size_t slack = at.phase < 0 ? 0 : round_up(phase + bytes, 16) - phase - bytes;
    length = round_up(bytes + 32, page);
    begin = at.tight == edge::begin ? phase : length - bytes - slack;
    mapped_ = length + 2 * page;
    map_ = ::mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map_ == MAP_FAILED) throw std::bad_alloc();
    block_ = static_cast<char*>(map_) + page;
    if (::mprotect(block_, length, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
  } else {
    begin = red_zone + phase;
    length = round_up(begin + bytes, 16) + red_zone;
    block_ = static_cast<char*>(allocate(where_, length).value());
  }
  first_ = begin + static_cast<std::size_t>(-low) * size;
  before_.assign(length, poison);
  must(copy(where_, block_, before_.data(), length));
}

tensor::~tensor() {
  if (map_ != nullptr)
    ::munmap(map_, mapped_);
  else if (!release(where_, block_).ok())
    std::abort();
}

tensor_view tensor::view() const {
  tensor_view v;
  v.data = block_ + first_;
  v.dtype = type_;
  v.device = where_;
  v.rank = static_cast<std::int32_t>(shape_.size());
  for (std::size_t i = 0; i < shape_.size(); ++i) v.shape[i] = shape_[i], v.stride[i] = stride_[i];
  return v;
}

// f(byte offset in the block), in row-major order of the shape.
template <class F>
void tensor::for_each_element(F f) const {
  const std::int64_t n = count(shape_);
  const auto size = static_cast<std::int64_t>(size_of(type_));
  const std::size_t last = shape_.size() - 1;
  dims index(shape_.size(), 0);
  std::int64_t row = static_cast<std::int64_t>(first_);
  for (std::int64_t done = 0; done < n; done += shape_[last]) {
    for (std::int64_t i = 0; i < shape_[last]; ++i) f(static_cast<std::size_t>(row + i * stride_[last] * size));
    for (std::size_t d = last; d-- > 0;) {
      row += stride_[d] * size;
      if (++index[d] < shape_[d]) break;
      row -= stride_[d] * size * shape_[d];
      index[d] = 0;
    }
  }
}

void tensor::write(const std::vector<float>& values) {
  std::size_t i = 0;
  for_each_element([&](std::size_t at) {
    put(&before_[at], type_, values[i]);
    if (++i == values.size()) i = 0;
  });
  must(copy(where_, block_, before_.data(), before_.size()));
}

void tensor::write_whole(const std::vector<std::int64_t>& values) {
  std::size_t i = 0;
  for_each_element([&](std::size_t at) { put_whole(&before_[at], type_, values[i++]); });
  must(copy(where_, block_, before_.data(), before_.size()));
}

void tensor::write_bits(const std::vector<unsigned char>& bits) {
  std::size_t i = 0;
  for_each_element([&](std::size_t at) {
    for (std::size_t byte = 0; byte < size_of(type_); ++byte) {
      before_[at + byte] = bits[i];
      if (++i == bits.size()) i = 0;
    }
  });
  must(copy(where_, block_, before_.data(), before_.size()));
}

std::vector<float> tensor::decode(const std::vector<unsigned char>& block) const {
  std::vector<float> values;
  values.reserve(static_cast<std::size_t>(count(shape_)));
  for_each_element([&](std::size_t at) { values.push_back(get(&block[at], type_)); });
  return values;
}

void tensor::fetch() {
  now_.resize(before_.size());
  must(copy(where_, now_.data(), block_, now_.size()));
}

std::vector<unsigned char> tensor::bits() const {
  std::vector<unsigned char> all;
  for_each_element([&](std::size_t at) {
    all.insert(all.end(), now_.begin() + static_cast<std::ptrdiff_t>(at),
               now_.begin() + static_cast<std::ptrdiff_t>(at + size_of(type_)));
  });
  return all;
}

testing::AssertionResult tensor::same(const std::vector<unsigned char>& want) const {
  if (want == now_) return testing::AssertionSuccess();
  std::size_t at = 0;
  while (want[at] == now_[at]) ++at;
  return testing::AssertionFailure() << "the byte " << static_cast<std::int64_t>(at) - static_cast<std::int64_t>(first_)
                                     << " from element 0 was written: " << int{now_[at]} << ", was " << int{want[at]};
}

testing::AssertionResult tensor::unchanged() const { return same(before_); }

testing::AssertionResult tensor::only_elements_changed() const {
  std::vector<unsigned char> want = before_;
  for_each_element([&](std::size_t at) { std::memcpy(&want[at], &now_[at], size_of(type_)); });
  return same(want);
}

}  // namespace rowsmith::test
