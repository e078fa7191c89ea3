#include "capi/convert.h"

#include <cstddef>
#include <cstring>

#include "model/op.h"
#include "rowsmith/ops.h"
#include "rowsmith/status.h"

namespace rowsmith::capi {

// ---- Frozen layouts ----

static_assert(sizeof(rs_device) == 8 && sizeof(device) == 8);
static_assert(offsetof(rs_device, kind) == 0 && offsetof(device, kind) == 0);
static_assert(offsetof(rs_device, index) == 4 && offsetof(device, index) == 4);

static_assert(sizeof(rs_tensor) == 152 && sizeof(tensor_view) == 152);
static_assert(offsetof(rs_tensor, data) == 0 && offsetof(tensor_view, data) == 0);
static_assert(offsetof(rs_tensor, dtype) == 8 && offsetof(tensor_view, dtype) == 8);
static_assert(offsetof(rs_tensor, device) == 12 && offsetof(tensor_view, device) == 12);
static_assert(offsetof(rs_tensor, rank) == 20 && offsetof(tensor_view, rank) == 20);
static_assert(offsetof(rs_tensor, shape) == 24 && offsetof(tensor_view, shape) == 24);
static_assert(offsetof(rs_tensor, stride) == 88 && offsetof(tensor_view, stride) == 88);
static_assert(sizeof(rs_operand) == 160 && offsetof(rs_operand, view) == 8 && offsetof(rs_operand, rows_from) == 1);
static_assert(sizeof(stream) == sizeof(rs_stream) && int{RS_MAX_RANK} == max_rank);

static_assert(sizeof(rs_softmax_options) == 16);
static_assert(offsetof(rs_softmax_options, axis) == 4 && offsetof(softmax_options, axis_index) == 4);
static_assert(offsetof(rs_softmax_options, exponential) == 8 && offsetof(softmax_options, exponential) == 8);
static_assert(sizeof(rs_op_options) == 136 && offsetof(rs_op_options, causal_offset) == 16 &&
              offsetof(rs_op_options, settings) == 24 && offsetof(rs_op_options, workspace) == 56 &&
              offsetof(rs_op_options, pre) == 72 && offsetof(rs_op_options, params) == 120);
static_assert(sizeof(rs_counter_values) == 88 && offsetof(rs_counter_values, calls_missed) == 8);
static_assert(sizeof(rs_device_info) == 232 && offsetof(rs_device_info, name) == 12 &&
              offsetof(rs_device_info, arch) == 140 && offsetof(rs_device_info, memory_bytes) == 216);

// ---- Frozen values ----

template <class E>
constexpr bool same(int c, E cpp) {
  return c == static_cast<int>(cpp);
}

static_assert(same(RS_OK, code::ok) && same(RS_INVALID_ARGUMENT, code::invalid_argument) &&
              same(RS_UNSUPPORTED, code::unsupported) && same(RS_NOT_FOUND, code::not_found) &&
              same(RS_COMPILE_FAILED, code::compile_failed) && same(RS_WOULD_COMPILE, code::would_compile) &&
              same(RS_DEVICE_ERROR, code::device_error) && same(RS_IO_ERROR, code::io_error) &&
              same(RS_CORRUPT, code::corrupt) && same(RS_OUT_OF_MEMORY, code::out_of_memory) &&
              same(RS_INTERNAL, code::internal));

static_assert(same(RS_F32, dtype::f32) && same(RS_F16, dtype::f16) && same(RS_BF16, dtype::bf16) &&
              same(RS_F64, dtype::f64) && same(RS_B8, dtype::b8) && same(RS_I32, dtype::i32) &&
              same(RS_I64, dtype::i64) && same(RS_I8, dtype::i8) && same(RS_U8, dtype::u8) &&
              same(RS_F8_E4M3, dtype::f8_e4m3) && same(RS_F8_E5M2, dtype::f8_e5m2));

static_assert(same(RS_HOST, device_kind::host) && same(RS_CUDA, device_kind::cuda) && same(RS_HIP, device_kind::hip) &&
              same(RS_NULL, device_kind::null));

static_assert(same(RS_EXP_BY_OUTPUT, exp_mode::by_output) && same(RS_EXP_FAST, exp_mode::fast) &&
              same(RS_EXP_ACCURATE, exp_mode::accurate));

static_assert(same(RS_OP_SOFTMAX, op_id::softmax) && same(RS_OP_LOG_SOFTMAX, op_id::log_softmax) &&
              same(RS_OP_SOFTMAX_BACKWARD, op_id::softmax_backward) &&
              same(RS_OP_LOG_SOFTMAX_BACKWARD, op_id::log_softmax_backward) &&
              same(RS_OP_LAYER_NORM, op_id::layer_norm) && same(RS_OP_RMS_NORM, op_id::rms_norm) &&
              same(RS_OP_ADD_LAYER_NORM, op_id::add_layer_norm) && same(RS_OP_ADD_RMS_NORM, op_id::add_rms_norm) &&
              same(RS_OP_LAYER_NORM_BACKWARD, op_id::layer_norm_backward) &&
              same(RS_OP_RMS_NORM_BACKWARD, op_id::rms_norm_backward) && same(RS_OP_MOMENTS, op_id::moments) &&
              same(RS_OP_GATHER_ROWS, op_id::gather_rows) &&
              same(RS_OP_GATHER_ROWS_BACKWARD, op_id::gather_rows_backward) && same(RS_OP_COPY, op_id::copy) &&
              same(RS_OP_ELEMENTWISE, op_id::elementwise));

static_assert(same(RS_ROLE_X, role::x) && same(RS_ROLE_Y, role::y) && same(RS_ROLE_MASK, role::mask) &&
              same(RS_ROLE_BIAS, role::bias) && same(RS_ROLE_WEIGHT, role::weight) &&
              same(RS_ROLE_RESIDUAL, role::residual) && same(RS_ROLE_SUM, role::sum) && same(RS_ROLE_LSE, role::lse) &&
              same(RS_ROLE_MEAN, role::mean) && same(RS_ROLE_RSTD, role::rstd) &&
              same(RS_ROLE_VARIANCE, role::variance) && same(RS_ROLE_DY, role::dy) && same(RS_ROLE_DX, role::dx) &&
              same(RS_ROLE_DWEIGHT, role::dweight) && same(RS_ROLE_DBIAS, role::dbias) &&
              same(RS_ROLE_INDEX, role::index) && same(RS_ROLE_INDEX2, role::index2) && same(RS_ROLE_IN1, role::in1) &&
              same(RS_ROLE_IN1 + 6, role::in7) && same(RS_ROLE_OUT1, role::out1) && same(RS_ROLE_OUT1 + 2, role::out3));

// ---- Conversions ----

device to_device(rs_device d) noexcept { return {static_cast<device_kind>(d.kind), d.index}; }
rs_device from_device(device d) noexcept { return {static_cast<rs_device_kind>(d.kind), d.index}; }

tensor_view to_view(const rs_tensor& t) noexcept {
  tensor_view v;
  std::memcpy(static_cast<void*>(&v), &t, sizeof v);
  return v;
}

rs_tensor from_view(const tensor_view& v) noexcept {
  rs_tensor t;
  std::memcpy(&t, &v, sizeof t);
  return t;
}

}  // namespace rowsmith::capi
