// Requests made by hand, for tests of the rooms behind the front doors. The memory is pretended: nothing looks at it.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "model/request.h"
#include "rowsmith/tensor_view.h"

namespace rowsmith::test {

inline void* at(std::uintptr_t address) { return reinterpret_cast<void*>(address); }

constexpr std::uintptr_t x_base = 0x10000000000, y_base = 0x20000000000;

inline request softmax_of(const tensor_view& x, const tensor_view& y) {
  request r;
  r.op = op_id::softmax;
  r.add(role::x, x);
  r.add(role::y, y);
  return r;
}

inline request softmax_of(std::initializer_list<std::int64_t> shape, dtype in = dtype::f16, dtype out = dtype::f16,
                          std::uintptr_t x = x_base, std::uintptr_t y = y_base) {
  return softmax_of(dense(at(x), in, shape), dense(at(y), out, shape));
}

}  // namespace rowsmith::test
