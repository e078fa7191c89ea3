// refusal: the sentences of invalid requests. Cold and out of line, so that the checks stay small.
#pragma once

#include <fmt/format.h>

#include "base/failure.h"
#include "model/op_table.h"
#include "rowsmith/status.h"

namespace rowsmith {

template <class... A>
[[gnu::cold, gnu::noinline]] status refuse(role argument, fmt::format_string<A...> format, A&&... values) noexcept try {
  return failure(code::invalid_argument, "{}: {}", name_of(argument), fmt::format(format, std::forward<A>(values)...));
} catch (const std::bad_alloc&) {
  return failure(code::invalid_argument, "{}", name_of(argument));
}

// "f16, bf16, f32" for a set of dtypes.
[[gnu::cold]] std::string list_of(std::uint32_t dtypes) noexcept;  // empty where there is no memory

// "4x32x512"
[[gnu::cold]] std::string shape_text(const tensor_view& v) noexcept;  // the same

}  // namespace rowsmith
