#include "backend/hip/target.h"

#include <cctype>

namespace rowsmith::hip {

std::string_view without_features(std::string_view name) { return name.substr(0, name.find(':')); }

int generation(std::string_view arch) {
  if (arch.substr(0, 3) != "gfx") return 0;
  arch.remove_prefix(3);
  if (arch.size() < 3 || arch.size() > 4) return 0;
  int number = 0;  // all but the last two digits, which are minor version and stepping, the latter hexadecimal
  for (std::size_t i = 0; i < arch.size(); ++i) {
    const unsigned char c = static_cast<unsigned char>(arch[i]);
    const bool last = i + 1 == arch.size();
    if (!std::isdigit(c) && !(last && c >= 'a' && c <= 'f')) return 0;
    if (i + 2 < arch.size()) number = number * 10 + (c - '0');
  }
  return number;
}

result<traits> traits_of(std::string_view name) {
  const std::string_view arch = without_features(name);
  const int number = generation(arch);
  if (number < 8) {
    return status(code::invalid_argument, "target: found \"" + std::string(name) +
                                              "\", an AMD or Hygon target is gfx8xx or later, as in gfx906");
  }
  traits t;
  t.vendor = device_kind::hip;
  t.arch = std::string(arch);
  t.wave = number >= 10 ? 32 : 64;
  t.max_threads = 1024;
  t.shared_bytes = 64 * 1024;
  t.unit_shared_bytes = 64 * 1024;  // some have more; what every one of them has
  t.registers = 256;
  t.unit_registers = arch == "gfx90a" || arch == "gfx942" ? 131072 : 65536;  // theirs serve as accumulators, too
  t.unit_threads = number >= 10 ? 1024 : 2048;
  t.vector_bytes = 16;
  return t;
}

}  // namespace rowsmith::hip
