// convert: the C values as the C++ ones, and the proof that they are the same.
#pragma once

#include "rowsmith/rowsmith_c.h"
#include "rowsmith/tensor_view.h"

namespace rowsmith::capi {

device to_device(rs_device d) noexcept;
rs_device from_device(device d) noexcept;
tensor_view to_view(const rs_tensor& t) noexcept;
rs_tensor from_view(const tensor_view& v) noexcept;

}  // namespace rowsmith::capi
