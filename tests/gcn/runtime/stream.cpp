#include "gcn/runtime/stream.h"

#include <chrono>
#include <limits>

#include "gcn/runtime/settings.h"

namespace hipsim {
namespace {

constexpr std::uint64_t everything = std::numeric_limits<std::uint64_t>::max();

double now_ms() {
  using namespace std::chrono;
  return duration<double, std::milli>(steady_clock::now().time_since_epoch()).count();
}

}  // namespace

stream* scheduler::create(int device, bool blocking) {
  auto* s = new stream;
  s->device = device;
  s->blocking = blocking;
  streams_.insert(s);
  return s;
}

bool scheduler::destroy(stream* s) {
  if (streams_.count(s) == 0) return false;
  run_until(*s, everything);
  streams_.erase(s);
  delete s;
  return true;
}

stream& scheduler::default_of(int device) {
  const auto at = static_cast<std::size_t>(device);
  while (defaults_.size() <= at) {
    defaults_.push_back(std::make_unique<stream>());
    defaults_.back()->device = static_cast<int>(defaults_.size()) - 1;
  }
  return *defaults_[at];
}

stream* scheduler::find(void* handle, int device) {
  if (reinterpret_cast<std::uintptr_t>(handle) <= 2) return &default_of(device);
  auto* s = static_cast<stream*>(handle);
  return streams_.count(s) != 0 ? s : nullptr;
}

error scheduler::enqueue(stream& s, std::function<error()> run, const event* after) {
  if (s.captured != nullptr) {
    s.captured->nodes.push_back(std::move(run));
    return ok;
  }
  if (fault_ != ok) return fault_;
  work w;
  w.run = std::move(run);
  w.number = ++number_;
  if (after != nullptr && after->recorded) {
    w.behind = after->on;
    w.behind_number = after->number;
  }
  s.queue.push_back(std::move(w));
  if (!eager()) return ok;
  run_until(s, everything);
  return fault_;
}

// The default stream waits for what was enqueued earlier on the blocking streams of its device, and they for it.
void scheduler::run_until(stream& s, std::uint64_t number) {
  while (!s.queue.empty() && s.queue.front().number <= number) {
    const work w = std::move(s.queue.front());
    s.queue.pop_front();
    if (w.behind != nullptr) run_until(*w.behind, w.behind_number);
    stream& standard = default_of(s.device);
    if (&s == &standard) {
      for (stream* other : streams_) {
        if (other->blocking && other->device == s.device) run_until(*other, w.number);
      }
    } else if (s.blocking) {
      run_until(standard, w.number);
    }
    if (fault_ != ok) continue;  // the device does nothing any more
    if (const error e = w.run()) fault_ = e;
  }
}

error scheduler::synchronize(stream& s) {
  if (s.captured != nullptr) {
    s.capture_broken = true;
    return capture_unsupported;
  }
  if (&s == &default_of(s.device)) {
    // Waiting for the default stream waits for the blocking ones, too.
    for (stream* other : streams_) {
      if (other->blocking && other->device == s.device && other->captured == nullptr) run_until(*other, everything);
    }
  }
  run_until(s, everything);
  return fault_;
}

error scheduler::synchronize(event& e) {
  if (e.recorded && e.on != nullptr) run_until(*e.on, e.number);
  return fault_;
}

error scheduler::synchronize_device(int device) {
  run_until(default_of(device), everything);
  for (stream* s : streams_) {
    if (s->device == device) run_until(*s, everything);
  }
  return fault_;
}

void scheduler::record(stream& s, event& e) {
  e.done = false;
  (void)enqueue(s, [&e]() -> error {
    e.at_ms = now_ms();
    e.done = true;
    return ok;
  });
  e.on = &s;
  e.number = number_;
  e.recorded = true;
}

bool scheduler::forbidden_by_capture() {
  constexpr int global = 0, thread_local_mode = 1;
  bool forbidden = false;
  for (stream* s : streams_) {
    if (s->captured == nullptr) continue;
    const bool meant = s->capture_mode == global ||
                       (s->capture_mode == thread_local_mode && s->capture_thread == std::this_thread::get_id());
    if (!meant) continue;
    s->capture_broken = true;
    forbidden = true;
  }
  return forbidden;
}

void scheduler::clear_fault() {
  fault_ = ok;
  for (stream* s : streams_) s->queue.clear();
  for (const auto& s : defaults_) s->queue.clear();
}

}  // namespace hipsim
