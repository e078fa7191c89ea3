#include "call/dispatch.h"

#include <fmt/format.h>

#include <cstring>

#include "call/runtime_state.h"
#include "deploy/record.h"
#include "inspect/inspect.h"

namespace rowsmith {

namespace {

void trace(const shape_class& c, const executable& e) {
  call_trace& t = this_threads_trace();
  t.strategy = name_of(e.how());
  t.source = name_of(e.from());
  t.backend = name_of(c.vendor);
  std::memset(t.digest, 0, sizeof t.digest);
  std::memcpy(t.digest, e.digest().data(), std::min(e.digest().size(), sizeof t.digest - 1));
}

// A class that the table does not hold. Compiling and loading are illegal while a stream is captured into a graph, and
// would break the capture; it is refused before anything is touched.
[[gnu::cold, gnu::noinline]] status call_cold(runtime_state& run, const facts& f, stream on) noexcept try {
  ++run.misses;
  backend* b = backend_for(f.fixed.vendor);
  if (b == nullptr) {
    return status(code::invalid_argument,
                  fmt::format("x: device kind {} is none of host, cuda, hip, null", static_cast<int>(f.fixed.vendor)));
  }
  if (result<device_info> there = b->describe(f.fixed.device_index); !there) return there.status();
  const result<bool> capturing = b->capturing(f.fixed.device_index, on);
  if (!capturing) return capturing.status();
  if (*capturing) {
    return status(code::would_compile, fmt::format("{} is not loaded and its stream is being captured: call it once "
                                                   "before the capture",
                                                   to_string(f.fixed)));
  }
  const builder::answer built = run.cold.build(f.fixed);
  if (!built) return built.status();
  run.table.put(f.fixed, *built);
  trace(f.fixed, **built);
  return (*built)->run(f, on);
} catch (const std::bad_alloc&) {
  return status(code::out_of_memory, "no host memory for a cold call");
} catch (const std::exception& e) {
  return status(code::internal, fmt::format("a cold call threw: {}", e.what()));
}

// A launch that failed says little; a stream of another device is the usual reason, and can be told.
[[gnu::cold, gnu::noinline]] status explain_failure(const facts& f, stream on, status failed) noexcept {
  backend* b = backend_for(f.fixed.vendor);
  const result<bool> capturing = b->capturing(f.fixed.device_index, on);
  if (!capturing && capturing.status().error() == code::invalid_argument) return capturing.status();
  return failed;
}

}  // namespace

status dispatch(const request& r) noexcept {
  facts f;
  if (status refused = inspect(r, &f); !refused.ok()) return refused;
  if (f.call.rows == 0) return {};
  runtime_state& run = the_runtime();
  const kernel_table::entry* known = run.table.find(f.fixed);
  if (known == nullptr) return record(run.env.record, r, f), call_cold(run, f, r.on);
  status launched = known->current.load(std::memory_order_acquire)->run(f, r.on);
  if (!launched.ok()) return explain_failure(f, r.on, std::move(launched));
  return launched;
}

}  // namespace rowsmith
