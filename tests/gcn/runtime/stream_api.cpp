// Streams, events, capture and graphs.
#include "gcn/runtime/world.h"

using namespace hipsim;

namespace {

constexpr unsigned non_blocking = 1;

template <class F>
error with_stream(void* handle, F body) {
  return call([&](world& w) -> error {
    stream* s = w.scheduler.find(handle, current_device());
    return s != nullptr ? body(w, *s) : invalid_handle;
  });
}

}  // namespace

HIPSIM_API error hipStreamCreateWithFlags(void** handle, unsigned flags) {
  return call(
      [&](world& w) -> error { return *handle = w.scheduler.create(current_device(), flags != non_blocking), ok; });
}
HIPSIM_API error hipStreamCreate(void** handle) { return hipStreamCreateWithFlags(handle, 0); }
HIPSIM_API error hipStreamDestroy(void* handle) {
  return call(
      [&](world& w) -> error { return w.scheduler.destroy(static_cast<stream*>(handle)) ? ok : invalid_handle; });
}
HIPSIM_API error hipStreamSynchronize(void* handle) {
  return with_stream(handle, [](world& w, stream& s) -> error { return w.scheduler.synchronize(s); });
}
HIPSIM_API error hipStreamQuery(void* handle) {
  return with_stream(handle, [](world&, stream& s) -> error { return s.queue.empty() ? ok : not_ready; });
}
HIPSIM_API error hipStreamGetDevice(void* handle, int* device) {
  return with_stream(handle, [&](world&, stream& s) -> error { return *device = s.device, ok; });
}
HIPSIM_API error hipStreamWaitEvent(void* handle, void* what, unsigned) {
  return with_stream(handle, [&](world& w, stream& s) {
    return w.scheduler.enqueue(
        s, []() -> error { return ok; }, static_cast<event*>(what));
  });
}

HIPSIM_API error hipEventCreateWithFlags(void** handle, unsigned) {
  return call([&](world&) -> error { return *handle = new event, ok; });
}
HIPSIM_API error hipEventCreate(void** handle) { return hipEventCreateWithFlags(handle, 0); }
HIPSIM_API error hipEventDestroy(void* handle) {
  return call([&](world& w) -> error {
    (void)w.scheduler.synchronize(*static_cast<event*>(handle));
    delete static_cast<event*>(handle);
    return ok;
  });
}
HIPSIM_API error hipEventRecord(void* handle, void* on) {
  return with_stream(on, [&](world& w, stream& s) -> error {
    w.scheduler.record(s, *static_cast<event*>(handle));
    return w.scheduler.fault();
  });
}
HIPSIM_API error hipEventSynchronize(void* handle) {
  return call([&](world& w) { return w.scheduler.synchronize(*static_cast<event*>(handle)); });
}
HIPSIM_API error hipEventQuery(void* handle) {
  return call([&](world&) -> error {
    const auto* e = static_cast<event*>(handle);
    return !e->recorded || e->done ? ok : not_ready;
  });
}
HIPSIM_API error hipEventElapsedTime(float* ms, void* from, void* to) {
  return call([&](world&) -> error {
    const auto *a = static_cast<event*>(from), *b = static_cast<event*>(to);
    if (!a->recorded || !b->recorded) return invalid_handle;
    if (!a->done || !b->done) return not_ready;
    return *ms = static_cast<float>(b->at_ms - a->at_ms), ok;
  });
}

HIPSIM_API error hipStreamBeginCapture(void* handle, int mode) {
  return with_stream(handle, [&](world&, stream& s) -> error {
    if (handle == nullptr) return capture_unsupported;  // the legacy default stream cannot be captured
    if (s.captured != nullptr) return invalid_value;
    s.captured = std::make_unique<graph>();
    s.capture_mode = mode;
    s.capture_thread = std::this_thread::get_id();
    s.capture_broken = false;
    return ok;
  });
}
HIPSIM_API error hipStreamEndCapture(void* handle, void** made) {
  return with_stream(handle, [&](world&, stream& s) -> error {
    *made = nullptr;
    if (s.captured == nullptr) return capture_unmatched;
    std::unique_ptr<graph> g = std::move(s.captured);
    if (s.capture_broken) return capture_invalidated;
    return *made = g.release(), ok;
  });
}
HIPSIM_API error hipStreamIsCapturing(void* handle, int* state) {
  constexpr int none = 0, active = 1, invalidated = 2;
  return with_stream(handle, [&](world&, stream& s) -> error {
    *state = s.captured == nullptr ? none : s.capture_broken ? invalidated : active;
    return ok;
  });
}
HIPSIM_API error hipGraphInstantiate(void** made, void* from, void**, char*, std::size_t) {
  return call([&](world&) -> error {
    if (from == nullptr) return invalid_value;
    return *made = new graph(*static_cast<graph*>(from)), ok;
  });
}
HIPSIM_API error hipGraphLaunch(void* what, void* handle) {
  return with_stream(handle, [&](world& w, stream& s) -> error {
    for (const auto& node : static_cast<graph*>(what)->nodes) {
      if (const error e = w.scheduler.enqueue(s, node)) return e;
    }
    return ok;
  });
}
HIPSIM_API error hipGraphDestroy(void* handle) {
  return call([&](world&) -> error { return delete static_cast<graph*>(handle), ok; });
}
HIPSIM_API error hipGraphExecDestroy(void* handle) { return hipGraphDestroy(handle); }
