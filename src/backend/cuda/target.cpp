#include "backend/cuda/target.h"

#include <charconv>
#include <string>

namespace rowsmith::cuda {
namespace {

constexpr int kib = 1024;

// Shared memory of a multiprocessor, in KiB. The x0 chip of a generation is its data-centre one and has the most.
int unit_shared_kib(int number) {
  const int generation = number / 10, chip = number % 10;
  if (number < 75) return generation == 7 ? 96 : 64;
  if (generation == 7) return 64;
  if (generation == 8) return chip == 0 || chip == 7 ? 164 : 100;
  if (generation >= 9 && generation <= 11) return 228;
  return 100;
}

int unit_threads(int number) {
  const int generation = number / 10, chip = number % 10;
  if (number == 75) return 1024;
  if (generation < 8) return 2048;
  if (generation == 8) return chip == 0 ? 2048 : 1536;
  if (generation == 9 || generation == 10) return 2048;
  return 1536;
}

}  // namespace

std::optional<target> parse_target(std::string_view name) {
  target t;
  t.ptx = name.starts_with("compute_");
  if (!t.ptx && !name.starts_with("sm_")) return std::nullopt;
  name.remove_prefix(name.find('_') + 1);
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), t.number);
  const std::size_t digits = static_cast<std::size_t>(end - name.data());
  if (error != std::errc() || name[0] == '-' || digits < 2 || digits > 3) return std::nullopt;
  name.remove_prefix(digits);
  if (name == "a" || name == "f")
    t.feature = name[0];
  else if (!name.empty())
    return std::nullopt;
  return t;
}

result<traits> traits_of(std::string_view name) {
  const auto parsed = parse_target(name);
  if (!parsed || parsed->number < 60) {
    return status(code::invalid_argument, "target: found \"" + std::string(name) +
                                              "\", an NVIDIA target is sm_60 or later, as in sm_90 or sm_100a");
  }
  const int number = parsed->number;
  traits t;
  t.vendor = device_kind::cuda;
  t.arch = std::string(name);
  t.wave = 32;
  t.max_threads = 1024;
  t.unit_shared_bytes = unit_shared_kib(number) * kib;
  // A block gets all of it but 1 KiB that the system keeps from sm_80 on; before Volta at most 48 KiB.
  t.shared_bytes = number >= 80 ? t.unit_shared_bytes - kib : number >= 70 ? t.unit_shared_bytes : 48 * kib;
  t.registers = 255;
  t.unit_registers = 65536;
  t.unit_threads = unit_threads(number);
  t.bulk_copy = number >= 90;
  t.largest_cluster = number < 90 ? 1 : number < 120 ? 16 : 8;  // the smaller chips take what is portable
  t.vector_bytes = 16;
  return t;
}

}  // namespace rowsmith::cuda
