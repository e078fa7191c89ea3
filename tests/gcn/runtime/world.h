// world: everything the double holds: its devices with their memory, streams and the last error. One a process; all of
// HIP's functions hold its lock.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gcn/interpreter/machine.h"
#include "gcn/runtime/hip_api.h"
#include "gcn/runtime/memory.h"
#include "gcn/runtime/settings.h"
#include "gcn/runtime/stream.h"

namespace hipsim {

struct module;

struct function {
  module* of = nullptr;
  const rowsmith::gcn::kernel_facts* facts = nullptr;
};

struct module {
  int device = 0;
  std::shared_ptr<const rowsmith::gcn::program> program;
  std::vector<std::unique_ptr<function>> functions;
};

class world {
 public:
  static world& get();

  std::recursive_mutex mutex;
  std::vector<std::unique_ptr<rowsmith::gcn::machine>> machines;
  hipsim::memory memory{machines};
  hipsim::scheduler scheduler;
  std::uint64_t calls = 0, launches = 0, instructions = 0;
  std::vector<std::pair<std::string, rowsmith::gcn::counts>> histograms;  // one a kernel, in the order of first runs
  std::string report;
  std::set<std::string> kernels;  // that were launched

  bool forked_away() const { return ::getpid() != process_; }

  rowsmith::gcn::counts& histogram_of(const std::string& kernel);

  // Says what went wrong where a person sees it, and keeps it for hipsim_report().
  void complain(const std::string& what);

 private:
  world();
  const pid_t process_ = ::getpid();
};

// The calling thread's.
int& current_device();
error& last_error();

// What every function of HIP's does first and last: takes the lock, counts the call, refuses a forked child, whose
// parent had started the runtime already, and keeps the error.
template <class F>
error call(F body) {
  world& w = world::get();
  if (w.forked_away()) return last_error() = not_initialized;  // its lock may be held by a thread that is not here
  const std::lock_guard lock(w.mutex);
  ++w.calls;
  const error e = body(w);
  if (e != ok && e != not_ready) last_error() = e;
  return e;
}

}  // namespace hipsim
