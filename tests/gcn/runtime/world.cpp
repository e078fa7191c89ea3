#include "gcn/runtime/world.h"

#include <cstdio>

namespace hipsim {

world& world::get() {
  static world* const instance = new world;  // never destroyed: other libraries' destructors may still call
  return *instance;
}

world::world() {
  for (int i = 0; i < device_count(); ++i)
    machines.push_back(std::make_unique<rowsmith::gcn::machine>(executed_arch()));
}

rowsmith::gcn::counts& world::histogram_of(const std::string& kernel) {
  for (auto& [name, counts] : histograms) {
    if (name == kernel) return counts;
  }
  return histograms.emplace_back(kernel, rowsmith::gcn::counts{}).second;
}

void world::complain(const std::string& what) {
  report = what;
  std::fprintf(stderr, "hipsim: %s\n", what.c_str());
}

int& current_device() {
  thread_local int index = 0;
  return index;
}

error& last_error() {
  thread_local error e = ok;
  return e;
}

}  // namespace hipsim

using namespace hipsim;

std::uint64_t hipsim_calls() { return world::get().calls; }
const char* hipsim_report() { return world::get().report.c_str(); }
std::uint64_t hipsim_launches() { return world::get().launches; }
std::uint64_t hipsim_instructions() { return world::get().instructions; }
bool hipsim_has_run(const char* kernel) {
  const std::lock_guard lock(world::get().mutex);
  return world::get().kernels.count(kernel) != 0;
}
const char* hipsim_kernel(int index) {
  const auto& all = world::get().histograms;
  return index >= 0 && index < static_cast<int>(all.size()) ? all[static_cast<std::size_t>(index)].first.c_str()
                                                            : nullptr;
}
bool hipsim_count(int kernel, int index, const char** name, std::uint64_t* value) {
  using rowsmith::gcn::op_class;
  if (hipsim_kernel(kernel) == nullptr) return false;
  const rowsmith::gcn::counts& all = world::get().histograms[static_cast<std::size_t>(kernel)].second;
  if (index == 0) return *name = "waves", *value = all.waves, true;
  if (index > static_cast<int>(op_class::count_)) return false;
  const auto c = static_cast<op_class>(index - 1);
  *name = name_of(c).data();  // of a literal
  *value = all[c];
  return true;
}
void hipsim_forget_counts() { world::get().histograms.clear(); }
void hipsim_recover() {
  const std::lock_guard lock(world::get().mutex);
  world::get().scheduler.clear_fault();
  world::get().report.clear();
  last_error() = ok;
}
