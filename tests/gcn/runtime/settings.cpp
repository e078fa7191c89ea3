#include "gcn/runtime/settings.h"

#include <algorithm>
#include <cstdlib>

namespace hipsim {
namespace {

std::string text(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != 0 ? value : otherwise;
}

std::uint64_t number(const char* name, std::uint64_t otherwise) {
  return std::strtoull(text(name, std::to_string(otherwise).c_str()).c_str(), nullptr, 10);
}

}  // namespace

std::string arch() { return text("HIPSIM_ARCH", is_dtk ? "gfx936" : "gfx906"); }
std::string executed_arch() { return is_dtk ? "gfx906" : arch(); }
std::string full_arch() { return arch() + (arch() == "gfx900" ? ":xnack-" : ":sramecc+:xnack-"); }
int device_count() { return static_cast<int>(number("HIPSIM_DEVICES", 1)); }
bool eager() { return number("HIPSIM_EAGER", 0) != 0; }
int host_threads() { return static_cast<int>(std::max<std::uint64_t>(number("HIPSIM_THREADS", 1), 1)); }
std::uint64_t perturbation() { return number("HIPSIM_PERTURB", 0); }
std::uint64_t wave_order() { return number("HIPSIM_ORDER", 0); }
bool wrong() { return number("HIPSIM_WRONG", 0) != 0; }

}  // namespace hipsim
