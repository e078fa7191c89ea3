// The requests of elementwise calls.
#pragma once

#include <cstddef>

#include "model/request.h"
#include "rowsmith/elementwise.h"
#include "rowsmith/status.h"

namespace rowsmith {

// The expression is known to this process afterwards. Operands that it does not read are left out.
status elementwise_request(const expression& e, const const_tensor_view* inputs, std::size_t input_count,
                           const tensor_view* outputs, std::size_t output_count, const elementwise_options& options,
                           stream on, request* r);

status copy_request(const const_tensor_view& x, const tensor_view& y, const copy_options& options, stream on,
                    request* r) noexcept;

}  // namespace rowsmith
