// stream: queues of work that runs at a synchronization point and not before (or at once, where HIPSIM_EAGER asks for
// it): the order that a card would be free to choose, chosen so that a missing synchronization shows.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "gcn/runtime/hip_api.h"

namespace hipsim {

struct stream;
struct event;

struct work {
  std::function<error()> run;
  std::uint64_t number = 0;  // in order of enqueuing, over all streams
  stream* behind = nullptr;  // of another stream, up to behind_number, before this
  std::uint64_t behind_number = 0;
};

struct graph {
  std::vector<std::function<error()>> nodes;
};

struct stream {
  int device = 0;
  bool blocking = true;  // ordered with the default stream
  std::list<work> queue;

  // Capture: what is enqueued meanwhile, and who may not do what.
  std::unique_ptr<graph> captured;
  bool capture_broken = false;
  int capture_mode = 0;
  std::thread::id capture_thread;
};

struct event {
  stream* on = nullptr;
  std::uint64_t number = 0;
  bool recorded = false, done = false;
  double at_ms = 0;
};

class scheduler {
 public:
  stream* create(int device, bool blocking);
  bool destroy(stream* s);
  // The stream of a caller's handle: null and the two default handles are the default stream of `device`; null for no
  // stream at all.
  stream* find(void* handle, int device);

  // Enqueues, or adds to the capture.
  error enqueue(stream& s, std::function<error()> run, const event* after = nullptr);
  error synchronize(stream& s);
  error synchronize(event& e);
  error synchronize_device(int device);
  void record(stream& s, event& e);

  // Is a call that may not happen while something is captured (an allocation, a module's load) made meanwhile? Such a
  // call also breaks the capture.
  bool forbidden_by_capture();

  // A fault stays: every later synchronization reports it.
  error fault() const noexcept { return fault_; }
  void clear_fault();

 private:
  void run_until(stream& s, std::uint64_t number);
  stream& default_of(int device);

  std::set<stream*> streams_;
  std::vector<std::unique_ptr<stream>> defaults_;
  std::uint64_t number_ = 0;
  error fault_ = ok;
};

}  // namespace hipsim
