// image: a code object as the loader leaves it in memory, its kernels and its decoded instructions.
#pragma once

#include <map>
#include <memory>
#include <unordered_map>

#include "executor.h"
#include "instruction.h"
#include "memory_map.h"

namespace rowsmith::gcn {

// What the 64 bytes of a kernel descriptor tell.
struct kernel_entry {
  kernel_facts facts;
  int first = -1;      // index of the instruction at which waves begin
  u32 resources = 0;   // compute_pgm_rsrc2
  u16 properties = 0;  // which scalar registers are set
  float_mode mode;
  bool nearest = true;  // all rounding is to nearest
};

class image final : public program {
 public:
  static result<std::shared_ptr<const image>> load(std::span<const std::byte> code_object, const std::string& arch,
                                                   std::shared_ptr<memory_map> memory);
  ~image() override;

  const std::string& arch() const noexcept override { return arch_; }
  std::vector<std::string> kernels() const override;
  const kernel_facts* find(std::string_view kernel) const noexcept override;
  std::span<std::byte> variable(std::string_view name) const noexcept override;

  const kernel_entry* entry(std::string_view kernel) const noexcept;
  const instruction* code() const { return code_.data(); }
  const std::vector<instruction>& instructions() const { return code_; }
  u64 base() const { return reinterpret_cast<u64>(memory_.get()); }
  int index_at(u64 pc) const;  // -1: no instruction begins there
  // gfx90a and later put the three thread numbers into one register.
  bool packs_thread_numbers() const { return arch_ == "gfx90a" || arch_.substr(0, 5) == "gfx94"; }

 private:
  status place(std::span<const std::byte> code_object);
  status decode();

  std::string arch_;
  std::shared_ptr<memory_map> map_;
  std::unique_ptr<std::byte[]> memory_;
  std::size_t size_ = 0;
  struct range {
    u64 begin, size;
  };
  std::vector<range> functions_;
  std::map<std::string, range, std::less<>> variables_;
  std::map<std::string, kernel_entry, std::less<>> kernels_;
  std::map<std::string, u64> starts_;  // of kernels
  std::vector<instruction> code_;
  std::unordered_map<u64, int> index_;  // by pc
};

}  // namespace rowsmith::gcn
