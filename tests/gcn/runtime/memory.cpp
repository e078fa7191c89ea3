#include "gcn/runtime/memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

namespace hipsim {
namespace {

constexpr std::size_t red_zone = 256;  // on both sides; 256 is what hipMalloc aligns to
constexpr unsigned char poison = 0xcd;
constexpr std::size_t most_poisoned = 16 << 20;  // larger blocks stay untouched pages, so that they cost nothing

std::size_t rounded(std::size_t bytes) { return (bytes + red_zone - 1) / red_zone * red_zone; }

}  // namespace

void* memory::allocate(int device, std::size_t bytes) {
  if (bytes > total_memory || used_ + bytes > total_memory) return nullptr;
  block b;
  b.bytes = bytes;
  b.device = device;
  b.mapped = rounded(bytes) + 2 * red_zone;
  b.map = ::mmap(nullptr, b.mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (b.map == MAP_FAILED) return nullptr;
  char* base = static_cast<char*>(b.map) + red_zone;
  std::memset(b.map, poison, red_zone);
  if (bytes <= most_poisoned) std::memset(base, poison, bytes);
  std::memset(base + bytes, poison, rounded(bytes) - bytes + red_zone);
  machines_[static_cast<std::size_t>(device)]->map(base, bytes);
  blocks_.emplace(base, b);
  used_ += bytes;
  return base;
}

std::string memory::release(void* base, bool* known) {
  const auto at = blocks_.find(static_cast<char*>(base));
  *known = at != blocks_.end();
  if (!*known) return {};
  const block b = at->second;
  const auto* first = static_cast<const unsigned char*>(base);
  const auto intact = [](const unsigned char* from, std::size_t n) {
    return std::all_of(from, from + n, [](unsigned char c) { return c == poison; });
  };
  std::string damage;
  if (!intact(first - red_zone, red_zone)) damage = "the red zone before a block was overwritten";
  if (!intact(first + b.bytes, rounded(b.bytes) - b.bytes + red_zone)) {
    damage = "the red zone behind a block of " + std::to_string(b.bytes) + " bytes was overwritten";
  }
  machines_[static_cast<std::size_t>(b.device)]->unmap(base);
  ::munmap(b.map, b.mapped);
  used_ -= b.bytes;
  blocks_.erase(at);
  return damage;
}

const memory::block* memory::find(const void* address, const char** base) const {
  const char* at = static_cast<const char*>(address);
  auto next = blocks_.upper_bound(at);
  if (next == blocks_.begin()) return nullptr;
  --next;
  if (at >= next->first + std::max<std::size_t>(next->second.bytes, 1)) return nullptr;
  if (base != nullptr) *base = next->first;
  return &next->second;
}

bool memory::inside(const void* address, std::size_t bytes) const {
  const char* base = nullptr;
  const block* b = find(address, &base);
  return b == nullptr || static_cast<std::size_t>(static_cast<const char*>(address) - base) + bytes <= b->bytes;
}

}  // namespace hipsim
