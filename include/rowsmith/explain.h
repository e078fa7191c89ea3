// explain: what a call would do, without running it. Needs no device: any target can be named.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rowsmith/export.h"
#include "rowsmith/ops.h"
#include "rowsmith/status.h"
#include "rowsmith/tensor_view.h"

namespace rowsmith {

struct launch_explanation {
  std::string strategy;       // "lanes", "block", "staged", "streamed", "simd", …
  std::string entry;          // the kernel's symbol
  std::string source;         // the whole translation unit
  std::string instantiation;  // its last lines, which differ from kernel to kernel
  std::string key;            // the cache key, readable
  std::string digest;         // and its 32 hex digits
  bool compiled = false;      // were the figures below read from machine code?
  std::string compile_error;  // why not, when asked for
  double compile_ms = 0;
  // Read from the machine code; -1 where the format does not tell.
  int registers = -1, spills = -1, local_bytes = -1, shared_bytes = -1;
  int wide_loads = -1, wide_stores = -1, narrow_loads = -1, narrow_stores = -1;  // 16-byte and narrower global accesses
  int barriers = -1, instructions = -1;
};

struct explanation {
  std::string facts;  // what inspection found, one line
  std::string target;
  std::string plan;  // readable, several lines
  std::vector<std::string> why;
  std::vector<std::pair<std::string, std::string>> rejected;  // what, why
  std::vector<launch_explanation> launches;
  std::size_t workspace_bytes = 0;
};

struct explain_options {
  std::string target;   // "sm_90", "gfx906", "host"; empty: the views' own device
  bool compile = true;  // build the kernel and read its machine code
};

// What softmax(x, y, options) would do. `data` pointers are only looked at for their alignment and may be null (taken
// as 16-byte aligned). Errors: as softmax, unsupported for a target nobody knows, and invalid_argument for views
// without elements: nothing would be launched.
ROWSMITH_EXPORT result<explanation> explain_softmax(const const_tensor_view& x, const tensor_view& y,
                                                    const softmax_options& options = {},
                                                    const explain_options& how = {});

// What this thread's last cold call did: the last call that found no loaded kernel for its shape. Warm calls leave it
// alone (they are too short to report on). Strings are static.
struct call_trace {
  std::string_view strategy;  // "lanes", …; empty before the first cold call
  std::string_view source;    // "compiled", "disk", "memory" or "fallback"
  std::string_view backend;   // "cuda"
  char digest[33] = {};       // of the key of its first launch
};
ROWSMITH_EXPORT call_trace last_cold_call() noexcept;

}  // namespace rowsmith
