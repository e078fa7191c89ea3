// common_options: what the options of every op have in common, as a request takes it.
#pragma once

#include <fmt/format.h>

#include "model/request.h"
#include "rowsmith/status.h"

namespace rowsmith {

template <class Options>
status check_size(const Options& options) noexcept {
  if (options.struct_size == sizeof(Options)) [[likely]] return {};
  return status(code::invalid_argument, fmt::format("options.struct_size: is {}, this version has {}",
                                                    options.struct_size, sizeof(Options)));
}

template <class Options>
void take_common(const Options& options, stream on, request* r) noexcept {
  if (options.deterministic_answer) r->flags |= request_deterministic;
  if (options.fallback_in_capture) r->flags |= request_capture_fallback;
  r->workspace = options.workspace_memory;
  r->workspace_bytes = options.workspace_size;
  r->on = on;
}

}  // namespace rowsmith
