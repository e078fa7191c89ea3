// arguments: words of the command line as values. Every refusal names the argument, what was found and what is allowed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rowsmith/ops.h"
#include "rowsmith/status.h"
#include "rowsmith/tensor_view.h"

namespace rowsmith::cli {

using shape = std::vector<std::int64_t>;

// "4x32x512x512": 1 to 8 axes, 0 or more elements along each, less than 2^48 together.
result<shape> parse_shape(const std::string& text);
std::string to_string(const shape& s);
std::int64_t elements(const shape& s) noexcept;

// f32, f16 or bf16. `argument`: "--dtype".
result<dtype> parse_float(const std::string& argument, const std::string& text);

// "host", "cuda:0", …
result<device> parse_device(const std::string& text);
std::string to_string(device d);

// "by_output", "fast", "accurate".
result<exp_mode> parse_exp(const std::string& text);

// "1500", "64K", "10M", "2G".
result<std::int64_t> parse_bytes(const std::string& argument, const std::string& text);

// A dense view of `s` on `where`.
tensor_view view_of(void* data, dtype type, const shape& s, device where);

}  // namespace rowsmith::cli
