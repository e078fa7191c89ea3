// Memory: every copy and fill is work of a stream, so that it runs late, too.
#include <cstring>

#include "gcn/runtime/world.h"

using namespace hipsim;

namespace {

error allocate(world& w, void** to, std::size_t bytes) {
  *to = nullptr;
  if (w.scheduler.forbidden_by_capture()) return capture_unsupported;
  if (bytes == 0) return ok;
  *to = w.memory.allocate(current_device(), bytes);
  return *to != nullptr ? ok : out_of_memory;
}

error release(world& w, void* base) {
  if (base == nullptr) return ok;
  bool known = false;
  const std::string damage = w.memory.release(base, &known);
  if (!damage.empty()) w.complain(damage);
  return known ? ok : invalid_value;
}

// A copy that leaves an allocation is refused before anything is written.
error enqueue_copy(world& w, void* to, const void* from, std::size_t bytes, void* handle) {
  stream* s = w.scheduler.find(handle, current_device());
  if (s == nullptr) return invalid_handle;
  if (!w.memory.inside(to, bytes) || !w.memory.inside(from, bytes)) return invalid_value;
  return w.scheduler.enqueue(*s, [=]() -> error { return std::memmove(to, from, bytes), ok; });
}

error enqueue_fill(world& w, void* to, int value, std::size_t bytes, void* handle) {
  stream* s = w.scheduler.find(handle, current_device());
  if (s == nullptr) return invalid_handle;
  if (w.memory.find(to, nullptr) == nullptr || !w.memory.inside(to, bytes)) return invalid_value;
  return w.scheduler.enqueue(*s, [=]() -> error { return std::memset(to, value, bytes), ok; });
}

// The synchronous forms: on the default stream, waited for.
error finish(world& w, error enqueued) {
  return enqueued != ok ? enqueued : w.scheduler.synchronize(*w.scheduler.find(nullptr, current_device()));
}

struct pointer_attributes {
  int type, device;
  void *device_pointer, *host_pointer;
  int managed;
  unsigned flags;
};

}  // namespace

HIPSIM_API error hipMalloc(void** to, std::size_t bytes) {
  return call([&](world& w) { return allocate(w, to, bytes); });
}
HIPSIM_API error hipFree(void* base) {
  return call([&](world& w) -> error {
    if (w.scheduler.forbidden_by_capture()) return capture_unsupported;
    (void)w.scheduler.synchronize_device(current_device());  // it waits for the device's work
    return release(w, base);
  });
}
HIPSIM_API error hipHostMalloc(void** to, std::size_t bytes, unsigned) { return hipMalloc(to, bytes); }
HIPSIM_API error hipHostFree(void* base) { return hipFree(base); }
HIPSIM_API error hipMallocAsync(void** to, std::size_t bytes, void*) { return hipMalloc(to, bytes); }
HIPSIM_API error hipFreeAsync(void* base, void* handle) {
  return call([&](world& w) -> error {
    stream* s = w.scheduler.find(handle, current_device());
    if (s == nullptr) return invalid_handle;
    return w.scheduler.enqueue(*s, [&w, base] { return release(w, base); });
  });
}
HIPSIM_API error hipMemGetInfo(std::size_t* free, std::size_t* total) {
  return call([&](world& w) -> error { return *total = total_memory, *free = total_memory - w.memory.in_use(), ok; });
}

HIPSIM_API error hipMemcpy(void* to, const void* from, std::size_t bytes, int) {
  return call([&](world& w) -> error {
    if (w.scheduler.forbidden_by_capture()) return capture_implicit;
    return finish(w, enqueue_copy(w, to, from, bytes, nullptr));
  });
}
HIPSIM_API error hipMemcpyAsync(void* to, const void* from, std::size_t bytes, int, void* handle) {
  return call([&](world& w) { return enqueue_copy(w, to, from, bytes, handle); });
}
HIPSIM_API error hipMemset(void* to, int value, std::size_t bytes) {
  return call([&](world& w) -> error {
    if (w.scheduler.forbidden_by_capture()) return capture_implicit;
    return finish(w, enqueue_fill(w, to, value, bytes, nullptr));
  });
}
HIPSIM_API error hipMemsetAsync(void* to, int value, std::size_t bytes, void* handle) {
  return call([&](world& w) { return enqueue_fill(w, to, value, bytes, handle); });
}

HIPSIM_API error hipPointerGetAttributes(void* to, const void* address) {
  return call([&](world& w) -> error {
    const memory::block* b = w.memory.find(address, nullptr);
    if (b == nullptr) return invalid_value;
    constexpr int type_device = is_dtk ? 1 : 2;  // HIP 6 renumbered the memory types
    const pointer_attributes a{type_device, b->device, const_cast<void*>(address), nullptr, 0, 0};
    std::memcpy(to, &a, sizeof a);
    return ok;
  });
}
