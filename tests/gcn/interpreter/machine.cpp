#include "machine.h"

#include <algorithm>

#include "block_runner.h"
#include "image.h"
#include "memory_map.h"

namespace rowsmith::gcn {

std::string_view name_of(op_class c) noexcept {
  constexpr std::string_view names[] = {"salu",        "valu",    "trans",    "dpp",     "lds",
                                        "scalar_load", "barrier", "branch",   "wait",    "other",
                                        "load_narrow", "load_4",  "load_8",   "load_16", "store_narrow",
                                        "store_4",     "store_8", "store_16", "atomic"};
  static_assert(std::size(names) == static_cast<int>(op_class::count_));
  return names[static_cast<int>(c)];
}

std::uint64_t counts::instructions() const noexcept {
  std::uint64_t sum = 0;
  for (const std::uint64_t n : of) sum += n;
  return sum;
}
std::uint64_t counts::loads() const noexcept {
  const counts& c = *this;
  return c[op_class::load_narrow] + c[op_class::load_4] + c[op_class::load_8] + c[op_class::load_16];
}
std::uint64_t counts::stores() const noexcept {
  const counts& c = *this;
  return c[op_class::store_narrow] + c[op_class::store_4] + c[op_class::store_8] + c[op_class::store_16];
}
double counts::per_wave() const noexcept {
  return waves == 0 ? 0 : static_cast<double>(instructions()) / static_cast<double>(waves);
}
counts& counts::operator+=(const counts& other) noexcept {
  for (int n = 0; n < static_cast<int>(op_class::count_); ++n) of[n] += other.of[n];
  waves += other.waves;
  return *this;
}

machine::machine(std::string arch) : arch_(std::move(arch)), memory_(std::make_shared<memory_map>()) {
  arch_.resize(std::min(arch_.size(), arch_.find(':')));
}
machine::~machine() = default;

void machine::map(void* base, std::size_t bytes, access allowed) { memory_->add(base, bytes, allowed); }
void machine::unmap(void* base) { memory_->remove(base); }

result<std::shared_ptr<const program>> machine::load(std::span<const std::byte> code_object) {
  for (const std::string_view known : {"gfx900", "gfx906", "gfx908", "gfx90a"}) {
    if (arch_ != known) continue;
    auto made = image::load(code_object, arch_, memory_);
    if (!made) return made.status();
    return std::shared_ptr<const program>(std::move(*made));
  }
  return status(code::unsupported, "the interpreter runs gfx900, gfx906, gfx908 and gfx90a, not " + arch_);
}

result<counts> machine::run(const dispatch& d) {
  const auto* code = dynamic_cast<const image*>(d.program);
  if (code == nullptr) return status(code::invalid_argument, "the dispatch names no program of this machine");
  return run_blocks(*code, d, *memory_);
}

}  // namespace rowsmith::gcn
