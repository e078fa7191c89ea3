// memory: device memory of the double. It is the host's own, between red zones; the interpreter knows every byte of it.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gcn/interpreter/machine.h"

namespace hipsim {

class memory {
 public:
  explicit memory(std::vector<std::unique_ptr<rowsmith::gcn::machine>>& machines) : machines_(machines) {}

  // null where there is no room.
  void* allocate(int device, std::size_t bytes);
  // The damage of a red zone in words, or empty; *known tells whether there was such an allocation.
  std::string release(void* base, bool* known);

  struct block {
    std::size_t bytes = 0;
    int device = 0;
    void* map = nullptr;  // with its red zones
    std::size_t mapped = 0;
  };
  // The block that holds this address and the address of its begin; null for memory that is not the device's.
  const block* find(const void* address, const char** base) const;
  // False where the range begins in device memory and leaves its block.
  bool inside(const void* address, std::size_t bytes) const;

  std::size_t in_use() const noexcept { return used_; }

 private:
  std::vector<std::unique_ptr<rowsmith::gcn::machine>>& machines_;
  std::map<const char*, block> blocks_;  // by the address a caller sees
  std::size_t used_ = 0;
};

inline constexpr std::size_t total_memory = std::size_t{16} << 30;

}  // namespace hipsim
