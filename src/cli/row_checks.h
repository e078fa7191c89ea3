// row_checks: what the outputs of one row must be, op by op; and what is made of all rows at once.
#pragma once

#include <cstdint>

#include "cli/call_tensors.h"
#include "cli/verdict.h"

namespace rowsmith::cli {

void check_softmax(const call_tensors& c, std::int64_t row, verdict* v);
void check_log_softmax(const call_tensors& c, std::int64_t row, verdict* v);
void check_softmax_backward(const call_tensors& c, std::int64_t row, verdict* v);
void check_log_softmax_backward(const call_tensors& c, std::int64_t row, verdict* v);

void check_layer_norm(const call_tensors& c, std::int64_t row, verdict* v);  // with a residual, too
void check_rms_norm(const call_tensors& c, std::int64_t row, verdict* v);
void check_layer_norm_backward(const call_tensors& c, std::int64_t row, verdict* v);  // dx
void check_rms_norm_backward(const call_tensors& c, std::int64_t row, verdict* v);
void sum_layer_norm_backward(const call_tensors& c, verdict* v);  // dweight and dbias
void sum_rms_norm_backward(const call_tensors& c, verdict* v);

void check_moments(const call_tensors& c, std::int64_t row, verdict* v);
void check_gather_rows(const call_tensors& c, std::int64_t row, verdict* v);
void sum_gather_rows_backward(const call_tensors& c, verdict* v);
void check_copy(const call_tensors& c, std::int64_t row, verdict* v);
void check_elementwise(const call_tensors& c, std::int64_t row, verdict* v);

}  // namespace rowsmith::cli
