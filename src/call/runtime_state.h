// runtime_state: the one mutable object of the process: environment, builder and kernel table.
#pragma once

#include <atomic>

#include "base/environment.h"
#include "build/builder.h"
#include "call/call_memo.h"
#include "call/kernel_table.h"
#include "call/widths.h"
#include "rowsmith/explain.h"

namespace rowsmith {

struct runtime_state {
  runtime_state();

  const environment& env;
  kernel_table table;
  call_memo memo;  // of calls that kernels of the table answer
  width_book widths;
  builder cold;
  std::atomic<std::uint64_t> misses{0};
};

// Built at the first call, never destroyed. A forked child gets one of its own, empty: threads and vendor handles do
// not survive a fork.
runtime_state& the_runtime();

// This thread's last cold call.
call_trace& this_threads_trace() noexcept;

}  // namespace rowsmith
