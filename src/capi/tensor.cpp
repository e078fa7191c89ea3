// tensor: small helpers that build C views.
#include <string>

#include "capi/convert.h"
#include "capi/guard.h"

using namespace rowsmith;

rs_status rs_dense(void* data, rs_dtype dtype, rs_device device, int32_t rank, const int64_t* shape, rs_tensor* out) {
  return capi::guarded([&]() -> status {
    if (out == nullptr) return capi::null_argument("out");
    if (rank < 0 || rank > max_rank) {
      return {code::invalid_argument, "rank: found " + std::to_string(rank) + ", 0 to 8 is allowed"};
    }
    if (shape == nullptr && rank != 0) return capi::null_argument("shape");
    *out = rs_tensor{};
    out->data = data;
    out->dtype = dtype;
    out->device = device;
    out->rank = rank;
    int64_t step = 1;
    for (int i = rank - 1; i >= 0; --i) {
      out->shape[i] = shape[i];
      out->stride[i] = step;
      // A shape too large for any memory is left to the op's own checks: here it must only not overflow.
      if (shape[i] > 0 && __builtin_mul_overflow(step, shape[i], &step)) {
        return {code::invalid_argument, "shape: has more than 2^63 elements"};
      }
    }
    return {};
  });
}

rs_status rs_device_parse(const char* text, rs_device* out) {
  return capi::guarded([&]() -> status {
    if (text == nullptr) return capi::null_argument("text");
    if (out == nullptr) return capi::null_argument("out");
    device d;
    if (!parse(text, &d)) {
      return {code::invalid_argument,
              std::string("text: found \"") + text + "\", \"host\", \"cuda:1\", \"hip\" are allowed"};
    }
    *out = capi::from_device(d);
    return {};
  });
}
