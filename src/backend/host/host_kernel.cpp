#include "backend/host/host_kernel.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <cstring>
#include <exception>

#include "base/failure.h"

namespace rowsmith::host {

status host_kernel::launch(std::int64_t blocks, const void* arguments, std::size_t size, stream) const noexcept {
  std::int64_t rows = 0;
  if (size < sizeof rows) return status(code::internal, "launch: the argument block has no rows");
  std::memcpy(&rows, arguments, sizeof rows);  // word 0 of every argument block
  if (rows <= 0 || blocks <= 0) return {};

  // A launch of fewer blocks than the rows need covers them all the same, in larger blocks.
  const std::int64_t chunk = std::max(rows_per_block_, (rows - 1) / blocks + 1);
  const std::int64_t chunks = (rows - 1) / chunk + 1;
  if (chunks == 1) {
    run_(arguments, 0, rows);
    return {};
  }
  try {
    // Isolated: a thread of the program that waits here must not pick up the program's own unrelated tasks.
    tbb::this_task_arena::isolate([&] {
      tbb::parallel_for(tbb::blocked_range<std::int64_t>(0, chunks), [&](const tbb::blocked_range<std::int64_t>& r) {
        run_(arguments, r.begin() * chunk, std::min(r.end() * chunk, rows));
      });
    });
  } catch (const std::exception& e) {
    return failure(code::device_error, "the thread pool refused the launch: {}", e.what());
  } catch (...) {
    return status(code::device_error, "the thread pool refused the launch");
  }
  return {};
}

}  // namespace rowsmith::host
