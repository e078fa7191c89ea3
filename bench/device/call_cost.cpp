#include "call_cost.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <vector>

#include "backend/backend.h"
#include "backend/cuda/driver.h"
#include "base/shared_object.h"
#include "call/softmax_request.h"
#include "inspect/inspect.h"
#include "model/arguments.h"
#include "plan/plan.h"
#include "render/render.h"
#include "rowsmith/rowsmith.h"

namespace rowsmith::bench {

namespace {

using clock = std::chrono::steady_clock;

double since(clock::time_point begin) { return std::chrono::duration<double>(clock::now() - begin).count(); }

struct raw_functions {
  int (*load)(void** module, const void* image) = nullptr;
  int (*function)(void** function, void* module, const char* name) = nullptr;
  int (*launch)(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                unsigned shared, void* stream, void** parameters, void** extra) = nullptr;
  int (*context)(void** context) = nullptr;
};

result<raw_functions> bind_raw() {
  raw_functions raw;
  const std::string names[] = {"libcuda.so.1"};
  const shared_object driver = shared_object::open_first(names, nullptr);
  if (driver.bind(raw.load, "cuModuleLoadData") && driver.bind(raw.function, "cuModuleGetFunction") &&
      driver.bind(raw.launch, "cuLaunchKernel") && driver.bind(raw.context, "cuCtxGetCurrent")) {
    return raw;
  }
  return status(code::not_found, "the CUDA driver lacks an entry point of modules");
}

// A kernel that does nothing, with an argument block of the size of a softmax's.
constexpr const char* k_nothing = R"(
struct args { unsigned long long word[18]; };
extern "C" __global__ void bench_nothing(const args) {}
)";

result<void*> load_nothing(const raw_functions& raw) {
  backend& b = *backend_for(device_kind::cuda);
  const auto device = b.describe(0);
  if (!device) return device.status();
  source s;
  s.name = "nothing.cu";
  s.entry = "bench_nothing";
  s.text = k_nothing;
  const auto made = b.compile(s, device->traits);
  if (!made) return made.status();
  void *module = nullptr, *function = nullptr;
  if (raw.load(&module, made->code.data()) != 0 || raw.function(&function, module, "bench_nothing") != 0) {
    return status(code::device_error, "the empty kernel does not load");
  }
  return function;
}

// The kernel of a softmax, and what it takes to launch it: made beside the cache, as a program of its own would.
struct own_softmax {
  bytes code;
  std::string entry;
  unsigned threads = 0;
  std::optional<arguments> block;
};

result<own_softmax> make_softmax(const tensor_view& x, const tensor_view& y) {
  backend& b = *backend_for(device_kind::cuda);
  const auto device = b.describe(0);
  if (!device) return device.status();
  facts f;
  if (status s = inspect(softmax_request(x, y, {}, {}), &f); !s.ok()) return s;
  const auto p = make_plan(f.fixed, device->traits);
  if (!p) return p.status();
  const launch_plan& l = p->launches.front();
  const auto text = render(l, f.fixed, device->traits);
  if (!text) return text.status();
  auto made = b.compile(*text, device->traits);
  if (!made) return made.status();
  own_softmax own{std::move(made->code), l.entry, static_cast<unsigned>(l.threads), {}};
  own.block.emplace(f, l.layout, f.call.rows, 1, nullptr);
  return own;
}

// Median nanoseconds a call, over batches that end with a synchronization of which the time does not count.
template <class Call>
double nanoseconds(const stream& on, Call call) {
  constexpr int batches = 200, calls = 200;
  std::vector<double> all;
  for (int i = 0; i < batches; ++i) {
    const auto begin = clock::now();
    for (int k = 0; k < calls; ++k) call();
    all.push_back(since(begin) / calls * 1e9);
    (void)synchronize({device_kind::cuda, 0}, on);
  }
  std::nth_element(all.begin(), all.begin() + batches / 2, all.end());
  return all[batches / 2];
}

struct tensors {
  tensor_view x, y;
};

// One block's work, as far as possible from the launch's own cost.
result<tensors> small_tensors(const device& where) {
  constexpr std::int64_t rows = 8, width = 128;
  const auto x = allocate(where, rows * width * 2), y = allocate(where, rows * width * 2);
  if (!x) return x.status();
  if (!y) return y.status();
  return tensors{dense(*x, dtype::f16, {rows, width}, where), dense(*y, dtype::f16, {rows, width}, where)};
}

constexpr device gpu{device_kind::cuda, 0}, nothing_device{device_kind::null, 0};

}  // namespace

result<nlohmann::json> measure_calls(const graph_timer& timer) {
  const auto on_card = small_tensors(gpu);
  if (!on_card) return on_card.status();
  const auto [x, y] = *on_card;
  const stream on = timer.work();

  const auto begin = clock::now();
  if (status s = softmax(x, y, {}, on); !s.ok()) return s;
  if (status s = synchronize(gpu, on); !s.ok()) return s;
  const double first = since(begin);
  const call_trace trace = last_cold_call();

  const auto raw = bind_raw();
  if (!raw) return raw.status();
  const auto nothing = load_nothing(*raw);
  if (!nothing) return nothing.status();
  const auto own = make_softmax(x, y);
  if (!own) return own.status();
  void *module = nullptr, *function = nullptr;
  if (raw->load(&module, own->code.data()) != 0 || raw->function(&function, module, own->entry.c_str()) != 0) {
    return status(code::device_error, "the softmax kernel does not load");
  }
  std::uint64_t block[18] = {};
  void* empty_parameters[] = {block};
  void* parameters[] = {const_cast<void*>(own->block->data())};
  const tensor_view no_x = dense(x.data, x.dtype, {x.shape[0], x.shape[1]}, nothing_device);
  const tensor_view no_y = dense(y.data, y.dtype, {y.shape[0], y.shape[1]}, nothing_device);
  if (status s = softmax(no_x, no_y); !s.ok()) return s;

  double raw_ns = 1e300, same_ns = 1e300, ours_ns = 1e300, host_ns = 1e300, context_ns = 1e300;
  for (int turn = 0; turn < 5; ++turn) {  // alternating, so that a slow moment hits all
    raw_ns = std::min(raw_ns, nanoseconds(on, [&] {
                        (void)raw->launch(*nothing, 1, 1, 1, 128, 1, 1, 0, on.handle, empty_parameters, nullptr);
                      }));
    same_ns = std::min(same_ns, nanoseconds(on, [&] {
                         (void)raw->launch(function, 1, 1, 1, own->threads, 1, 1, 0, on.handle, parameters, nullptr);
                       }));
    ours_ns = std::min(ours_ns, nanoseconds(on, [&] { (void)softmax(x, y, {}, on); }));
    host_ns = std::min(host_ns, nanoseconds(on, [&] { (void)softmax(no_x, no_y); }));
    context_ns = std::min(context_ns, nanoseconds(on, [&] {
                            void* current = nullptr;
                            (void)raw->context(&current);
                          }));
  }
  return nlohmann::json{{"first_call_ms", first * 1e3}, {"first_call_source", trace.source},
                        {"empty_launch_ns", raw_ns},    {"same_launch_ns", same_ns},
                        {"softmax_call_ns", ours_ns},   {"over_raw_ns", ours_ns - same_ns},
                        {"null_call_ns", host_ns},      {"context_query_ns", context_ns}};
}

result<nlohmann::json> measure_raw_start(const graph_timer& timer) {
  const auto on_card = small_tensors(gpu);
  if (!on_card) return on_card.status();
  const auto own = make_softmax(on_card->x, on_card->y);
  if (!own) return own.status();
  const auto raw = bind_raw();
  if (!raw) return raw.status();
  const stream on = timer.work();
  void* parameters[] = {const_cast<void*>(own->block->data())};

  void *module = nullptr, *function = nullptr;
  const auto begin = clock::now();
  int error = raw->load(&module, own->code.data());
  const double loaded = since(begin);
  if (error == 0) error = raw->function(&function, module, own->entry.c_str());
  if (error == 0) error = raw->launch(function, 1, 1, 1, own->threads, 1, 1, 0, on.handle, parameters, nullptr);
  if (error != 0) return status(code::device_error, "the softmax kernel does not start");
  if (status s = synchronize(gpu, on); !s.ok()) return s;
  return nlohmann::json{{"load_ms", loaded * 1e3}, {"raw_start_ms", since(begin) * 1e3}};
}

}  // namespace rowsmith::bench
