// softmax_child DEVICE WIDTH…: one softmax for each width, then what it took, as "name=value" lines.
//               threads DEVICE N: N threads call eight widths, twice; then as above.
//               fork DEVICE: calls, forks, calls in the child, which starts empty.
//               late DEVICE: a call more from a static object's destructor.
//               twice|closed LIBRARY LIBRARY: opens both, calls through each; closed: closes, opens and calls again.
//               warm LIBRARY LIBRARY MANIFEST FOLDER: opens both, and builds for gfx906 by both at once, below FOLDER.
#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "rowsmith/rowsmith.h"
#include "rowsmith/rowsmith_c.h"

namespace {

bool rows_sum_to_one(const std::vector<float>& y, std::size_t width) {
  for (std::size_t row = 0; row < y.size() / width; ++row) {
    double sum = 0;
    for (std::size_t i = 0; i < width; ++i) sum += y[row * width + i];
    if (std::abs(sum - 1.0) > 1e-5) return false;
  }
  return true;
}

bool call(const rowsmith::device& where, std::int64_t width) {
  const std::int64_t rows = 8;
  std::vector<float> x(static_cast<std::size_t>(rows * width)), y(x.size(), -1.0f);
  for (std::size_t k = 0; k < x.size(); ++k) x[k] = static_cast<float>(k % 13) - 6.0f;
  const auto s = rowsmith::softmax(rowsmith::dense(x.data(), rowsmith::dtype::f32, {rows, width}, where),
                                   rowsmith::dense(y.data(), rowsmith::dtype::f32, {rows, width}, where));
  if (!s.ok()) fmt::print("error={}\n", s.to_string());
  return s.ok() && (where.kind != rowsmith::device_kind::host || rows_sum_to_one(y, static_cast<std::size_t>(width)));
}

int call_from_threads(const rowsmith::device& where, int count) {
  std::atomic<int> failed{0};
  for (int round = 0; round < 2; ++round) {
    std::vector<std::thread> threads;
    for (int t = 0; t < count; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < 8; ++i) failed += call(where, 40 + (i + t) % 8) ? 0 : 1;
      });
    }
    for (std::thread& t : threads) t.join();
  }
  const auto c = rowsmith::counters();
  fmt::print("compiled={}\nfailed={}\n", c.compiled, failed.load());
  return failed == 0 && c.compiled <= 8 ? 0 : 1;
}

int call_and_fork(const rowsmith::device& where) {
  if (!call(where, 64)) return 1;
  const pid_t child = ::fork();
  if (child == 0) {
    if (rowsmith::counters().calls_missed != 0) ::_exit(3);
    if (!call(where, 64) || !call(where, 65)) ::_exit(4);
    rowsmith::shutdown();
    std::exit(0);
  }
  int state = 0;
  ::waitpid(child, &state, 0);
  fmt::print("child={}\n", state);
  return state == 0 && call(where, 66) ? 0 : 1;
}

rowsmith::device g_late;
bool g_is_late = false;

struct at_the_end {
  ~at_the_end() {
    if (g_is_late) fmt::print("late={}\n", call(g_late, 64) && call(g_late, 77) ? "ok" : "failed");
    std::fflush(stdout);
  }
} g_end;

int call_through(void* library) {
  const auto dense = reinterpret_cast<decltype(&rs_dense)>(::dlsym(library, "rs_dense"));
  const auto softmax = reinterpret_cast<decltype(&rs_softmax)>(::dlsym(library, "rs_softmax"));
  if (dense == nullptr || softmax == nullptr) return fmt::print("error=no symbols\n"), 1;
  std::vector<float> x(800, 1.0f);
  rs_tensor t;
  const std::int64_t shape[] = {8, 100};
  const rs_device host = {RS_HOST, 0};
  if (dense(x.data(), RS_F32, host, 2, shape, &t) != 0) return 1;
  if (softmax(&t, &t, nullptr, nullptr) != 0) return 1;
  return rows_sum_to_one(x, 100) ? 0 : 1;
}

int call_libraries(bool close, const char* first, const char* second) {
  for (int round = 0; round < 3; ++round) {
    for (const char* path : {first, second}) {
      void* library = ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
      if (library == nullptr) return fmt::print("error={}\n", ::dlerror()), 1;
      if (call_through(library) != 0) return fmt::print("error=call through {}\n", path), 1;
      if (close) ::dlclose(library);
    }
  }
  return 0;
}

// Each library, in a thread of its own, builds what a manifest asks of an AMD target, for a directory of its own: their
// compilers are the same code, which may not run twice at once.
int warm_libraries(const char* first, const char* second, const char* manifest, const std::string& directory) {
  const char* paths[] = {first, second};
  void* locks[2] = {};
  int failed[2] = {};
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 2; ++i) {
    void* library = ::dlopen(paths[i], RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return fmt::print("error={}\n", ::dlerror()), 1;
    locks[i] = ::dlsym(library, "_ZN8rowsmith3hip17compiling_for_amdE");
    threads.emplace_back([=, &failed] {
      const auto warm = reinterpret_cast<decltype(&rs_warm)>(::dlsym(library, "rs_warm"));
      const std::string cache = fmt::format("{}/{}", directory, i);
      rs_warm_options options = RS_WARM_OPTIONS_INIT;
      options.cache_dir = cache.c_str();
      const char* target = "gfx906";
      failed[i] = warm == nullptr || warm(manifest, &target, 1, &options, nullptr) != RS_OK;
    });
  }
  for (std::thread& t : threads) t.join();
  fmt::print("one_lock={}\n", locks[0] != nullptr && locks[0] == locks[1]);
  return failed[0] + failed[1];
}

}  // namespace

int main(int argc, char** argv) {
  rowsmith::device where;
  const std::string how = argc > 2 ? argv[1] : "";
  if ((how == "twice" || how == "closed") && argc == 4) return call_libraries(how == "closed", argv[2], argv[3]);
  if (how == "warm" && argc == 6) return warm_libraries(argv[2], argv[3], argv[4], argv[5]);
  if (how == "threads" || how == "fork" || how == "late") {
    if (!rowsmith::parse(argv[2], &where)) return 2;
    if (how == "threads") return argc == 4 ? call_from_threads(where, std::atoi(argv[3])) : 2;
    if (how == "fork") return call_and_fork(where);
    g_is_late = true;
    g_late = where;
    return call(where, 64) ? 0 : 1;
  }
  if (argc < 3 || !rowsmith::parse(argv[1], &where)) return 2;
  const bool computes = where.kind == rowsmith::device_kind::host;
  for (int i = 2; i < argc; ++i) {
    const std::int64_t width = std::atoll(argv[i]), rows = 8;
    std::vector<float> x(static_cast<std::size_t>(rows * width)), y(x.size(), -1.0f);
    for (std::size_t k = 0; k < x.size(); ++k) x[k] = static_cast<float>(k % 13) - 6.0f;
    const auto xv = rowsmith::dense(x.data(), rowsmith::dtype::f32, {rows, width}, where);
    const auto yv = rowsmith::dense(y.data(), rowsmith::dtype::f32, {rows, width}, where);
    if (const auto s = rowsmith::softmax(xv, yv); !s.ok()) {
      fmt::print("error={}\n", s.to_string());
      return 1;
    }
    if (computes && !rows_sum_to_one(y, static_cast<std::size_t>(width))) {
      fmt::print("wrong={}\n", width);
      return 1;
    }
    fmt::print("strategy={}\nsource={}\n", rowsmith::last_cold_call().strategy, rowsmith::last_cold_call().source);
  }
  const auto c = rowsmith::counters();
  fmt::print("compiled={}\ndisk={}\nfallbacks={}\nfailures={}\ndamaged={}\nstore_failures={}\n", c.compiled,
             c.loaded_from_disk, c.fallback_kernels, c.compile_failures, c.cache_damaged, c.cache_store_failures);
  return 0;
}
