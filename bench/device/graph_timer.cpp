#include "graph_timer.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "backend/cuda/driver.h"
#include "base/shared_object.h"

namespace rowsmith::bench {

namespace {

// What of the driver API only a benchmark calls.
struct timing_functions {
  int (*stream_create)(void** stream, unsigned flags) = nullptr;
  int (*stream_synchronize)(void* stream) = nullptr;
  int (*begin_capture)(void* stream, int mode) = nullptr;
  int (*end_capture)(void* stream, void** graph) = nullptr;
  int (*instantiate)(void** executable, void* graph, unsigned long long flags) = nullptr;
  int (*graph_launch)(void* executable, void* stream) = nullptr;
  int (*executable_destroy)(void* executable) = nullptr;
  int (*graph_destroy)(void* graph) = nullptr;
  int (*event_create)(void** event, unsigned flags) = nullptr;
  int (*event_record)(void* event, void* stream) = nullptr;
  int (*event_synchronize)(void* event) = nullptr;
  int (*event_elapsed)(float* ms, void* begin, void* end) = nullptr;
  int (*copy_async)(std::uint64_t to, std::uint64_t from, std::size_t bytes, void* stream) = nullptr;
};

bool bind(timing_functions* f) {
  const std::string names[] = {"libcuda.so.1"};
  static const shared_object library = shared_object::open_first(names, nullptr);
  return library && library.bind(f->stream_create, "cuStreamCreate") &&
         library.bind(f->stream_synchronize, "cuStreamSynchronize") &&
         library.bind(f->begin_capture, "cuStreamBeginCapture_v2") &&
         library.bind(f->end_capture, "cuStreamEndCapture") &&
         library.bind(f->instantiate, "cuGraphInstantiateWithFlags") &&
         library.bind(f->graph_launch, "cuGraphLaunch") && library.bind(f->executable_destroy, "cuGraphExecDestroy") &&
         library.bind(f->graph_destroy, "cuGraphDestroy") && library.bind(f->event_create, "cuEventCreate") &&
         library.bind(f->event_record, "cuEventRecord") && library.bind(f->event_synchronize, "cuEventSynchronize") &&
         library.bind(f->event_elapsed, "cuEventElapsedTime") && library.bind(f->copy_async, "cuMemcpyDtoDAsync_v2");
}

const timing_functions& api() {
  static const timing_functions f = [] {
    timing_functions found;
    if (!bind(&found)) found = {};
    return found;
  }();
  return f;
}

status check(int error, const char* what) {
  return error == 0 ? status() : cuda::driver::get().failure(static_cast<cuda::driver_result>(error), what);
}

constexpr int capture_thread_local = 1;

}  // namespace

result<graph_timer> graph_timer::open() {
  if (!cuda::driver::get().usable().ok()) return cuda::driver::get().usable();
  if (api().stream_create == nullptr) return status(code::not_found, "the CUDA driver lacks an entry point of graphs");
  const auto context = cuda::driver::get().primary(0);
  if (!context) return context.status();
  if (const int error = cuda::driver::get().call().context_push(*context); error != 0)
    return check(error, "push the context");
  graph_timer t;
  if (status s = check(api().stream_create(&t.stream_, 1), "create a stream"); !s.ok()) return s;
  if (status s = check(api().event_create(&t.begin_, 0), "create an event"); !s.ok()) return s;
  if (status s = check(api().event_create(&t.end_, 0), "create an event"); !s.ok()) return s;
  return t;
}

status graph_timer::copy(void* to, const void* from, std::size_t bytes, stream on) const {
  return check(
      api().copy_async(reinterpret_cast<std::uint64_t>(to), reinterpret_cast<std::uint64_t>(from), bytes, on.handle),
      "copy");
}

namespace {

// Some calls as a graph that can be replayed.
class recorded {
 public:
  static result<recorded> make(void* stream, int calls, const enqueued& enqueue) {
    recorded r;
    if (status s = check(api().begin_capture(stream, capture_thread_local), "begin a capture"); !s.ok()) return s;
    status failed;
    for (int i = 0; i < calls && failed.ok(); ++i) failed = enqueue(i, {stream});
    status ended = check(api().end_capture(stream, &r.graph_), "end a capture");
    if (!failed.ok()) return failed;
    if (!ended.ok()) return ended;
    if (status s = check(api().instantiate(&r.executable_, r.graph_, 0), "instantiate a graph"); !s.ok()) return s;
    return r;
  }
  recorded(recorded&& other) noexcept
      : graph_(std::exchange(other.graph_, nullptr)), executable_(std::exchange(other.executable_, nullptr)) {}
  ~recorded() {
    if (executable_ != nullptr) (void)api().executable_destroy(executable_);
    if (graph_ != nullptr) (void)api().graph_destroy(graph_);
  }

  // Milliseconds of one replay; it follows another one, so that what it finds in the caches and in flight is its own.
  result<float> replay(void* stream, void* begin, void* end) const {
    if (status s = check(api().graph_launch(executable_, stream), "launch a graph"); !s.ok()) return s;
    (void)api().event_record(begin, stream);
    if (status s = check(api().graph_launch(executable_, stream), "launch a graph"); !s.ok()) return s;
    (void)api().event_record(end, stream);
    if (status s = check(api().event_synchronize(end), "wait for a graph"); !s.ok()) return s;
    float ms = 0;
    if (status s = check(api().event_elapsed(&ms, begin, end), "read an event"); !s.ok()) return s;
    return ms;
  }

 private:
  recorded() = default;
  void *graph_ = nullptr, *executable_ = nullptr;
};

double median(std::vector<double> all) {
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::nth_element(all.begin(), middle, all.end());
  return *middle;
}

}  // namespace

result<std::vector<double>> graph_timer::median_us(int calls, int rounds, std::span<const enqueued> all) const {
  std::vector<recorded> graphs;
  for (const enqueued& one : all) {
    auto graph = recorded::make(stream_, calls, one);
    if (!graph) return graph.status();
    graphs.push_back(std::move(*graph));
  }
  std::vector<std::vector<double>> us(graphs.size());
  for (int round = -1; round < rounds; ++round) {  // one to warm up
    for (std::size_t k = 0; k < graphs.size(); ++k) {
      const auto ms = graphs[k].replay(stream_, begin_, end_);
      if (!ms) return ms.status();
      if (round >= 0) us[k].push_back(*ms * 1000.0 / calls);
    }
  }
  std::vector<double> medians;
  for (const std::vector<double>& one : us) medians.push_back(median(one));
  return medians;
}

result<double> graph_timer::median_us(int calls, int rounds, const enqueued& one) const {
  const auto us = median_us(calls, rounds, std::span(&one, 1));
  if (!us) return us.status();
  return us->front();
}

}  // namespace rowsmith::bench
