// The public runtime door: devices, counters, memory, life.
#include "rowsmith/runtime.h"

#include <fmt/format.h>

#include "call/runtime_state.h"

namespace rowsmith {

namespace {

constexpr device_kind k_real_kinds[] = {device_kind::host, device_kind::cuda, device_kind::hip};

result<backend*> find_backend(device where) {
  backend* b = backend_for(where.kind);
  if (b == nullptr)
    return status(code::unsupported, fmt::format("device: no {} backend in this build", name_of(where.kind)));
  return b;
}

}  // namespace

std::vector<device_description> devices() {
  std::vector<device_description> all;
  for (const device_kind kind : k_real_kinds) {
    backend* b = backend_for(kind);
    const int count = b == nullptr ? 0 : b->device_count();
    for (int i = 0; i < count; ++i) {
      const result<device_info> info = b->describe(i);
      if (!info) continue;
      all.push_back({{kind, i},
                     info->card.name,
                     info->traits.arch,
                     info->traits.wave,
                     info->card.units,
                     info->card.memory_bytes,
                     info->card.l2_bytes});
    }
  }
  return all;
}

counter_values counters() noexcept {
  runtime_state& run = the_runtime();
  const build_counters& b = run.cold.counters();
  const cache::counters c = run.cold.store().stats();
  counter_values v;
  v.calls_missed = run.misses;
  v.compiled = b.compiled;
  v.compile_failures = b.compile_failures;
  v.loaded_from_disk = b.from_disk;
  v.loaded_from_memory = b.from_memory;
  v.fallback_kernels = b.fallbacks;
  v.cache_damaged = c.damaged;
  v.cache_store_failures = c.store_failures;
  v.answered_by_any_width = run.widths.by_any();
  v.exact_after_calls = run.widths.promotions();
  return v;
}

void forget_kernels() {
  runtime_state& run = the_runtime();
  run.memo.clear();
  run.table.clear();
  run.cold.forget();
  run.widths.forget();
}

void shutdown() { forget_kernels(); }

result<void*> allocate(device where, std::size_t bytes) {
  result<backend*> b = find_backend(where);
  return b ? (*b)->allocate(where.index, bytes) : result<void*>(b.status());
}

status release(device where, void* memory) {
  const result<backend*> b = find_backend(where);
  return b ? (*b)->release(where.index, memory) : b.status();
}

status copy(device where, void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return {};
  if (to == nullptr || from == nullptr)
    return status(code::invalid_argument, "to, from: null, but there are bytes to copy");
  const result<backend*> b = find_backend(where);
  return b ? (*b)->copy(where.index, to, from, bytes) : b.status();
}

status synchronize(device where, stream on) {
  const result<backend*> b = find_backend(where);
  return b ? (*b)->synchronize(where.index, on) : b.status();
}

call_trace last_cold_call() noexcept { return this_threads_trace(); }

std::string_view version() noexcept { return ROWSMITH_VERSION; }

}  // namespace rowsmith
