// common_options: what the options of every op have in common, as a request takes it.
#pragma once

#include "base/failure.h"
#include "model/request.h"
#include "rowsmith/row_options.h"
#include "rowsmith/status.h"

namespace rowsmith {

template <class Options>
status check_size(const Options& options) noexcept {
  if (options.struct_size == sizeof(Options)) [[likely]]
    return check_width(options.width_as);
  return failure(code::invalid_argument, "options.struct_size: is {}, this version has {}", options.struct_size,
                 sizeof(Options));
}

inline status check_width(width_mode m) noexcept {
  if (m <= width_mode::any) [[likely]]
    return {};
  return failure(code::invalid_argument, "options.width_as: is {}, 0, 1 and 2 are allowed", static_cast<int>(m));
}

// The request_flags of what all row ops can be told.
template <class Options>
std::uint8_t flags_of(const Options& options) noexcept {
  static_assert(request_exact_width == 16 * static_cast<int>(width_mode::exact) &&
                request_any_width == 16 * static_cast<int>(width_mode::any));
  return static_cast<std::uint8_t>(
      options.deterministic_answer * request_deterministic + options.fallback_in_capture * request_capture_fallback +
      options.batch_invariant_rows * request_batch_invariant + static_cast<int>(options.width_as) * 16);
}

template <class Options>
void take_common(const Options& options, stream on, request* r) noexcept {
  r->flags = flags_of(options);
  r->workspace = options.workspace_memory;
  r->workspace_bytes = options.workspace_size;
  r->on = on;
}

}  // namespace rowsmith
