// failure: a status with a formatted message that also stands where no exception may pass: without memory for the words
// the code remains.
#pragma once

#include <fmt/format.h>

#include <new>
#include <utility>

#include "rowsmith/status.h"

namespace rowsmith {

template <class... A>
[[gnu::cold, gnu::noinline]] status failure(code c, fmt::format_string<A...> format, A&&... values) noexcept {
  try {
    return status(c, fmt::format(format, std::forward<A>(values)...));
  } catch (const std::bad_alloc&) {
    return status(c, "no memory is left to say why");
  }
}

}  // namespace rowsmith
