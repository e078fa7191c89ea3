// case_tensors: the operands of a case: drawn on the host, and in several sets on the device, so that a replay that
// goes round finds none of them in the L2.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "bench_case.h"
#include "cli/call_tensors.h"
#include "cli/comparison.h"
#include "rowsmith/runtime.h"

namespace rowsmith::bench {

// Bytes that must move, each once: of a table the rows that are picked.
struct traffic {
  std::size_t reads = 0, writes = 0;
};

class case_tensors {
 public:
  static result<case_tensors> make(const bench_case& c, const cli::op_setup& s, device where);

  const cli::op_setup& setup() const noexcept { return *setup_; }
  traffic moved() const noexcept { return moved_; }

  int sets() const noexcept { return static_cast<int>(pointers_.size()); }
  // Of set i modulo sets(): one pointer a tensor; what is copied to and from when a copy moves the same bytes.
  const std::vector<void*>& pointers(int i) const { return pointers_[at(i)]; }
  const void* copy_from(int i) const { return copies_[2 * at(i)].data(); }
  void* copy_to(int i) const { return copies_[2 * at(i) + 1].data(); }

  // Fills set 0's outputs with bytes that are NaN in every float.
  status poison();
  // Reads set 0's outputs and compares a sample of their rows with float64.
  result<cli::comparison> check();

 private:
  case_tensors(const cli::op_setup& s, device where) : setup_(&s), where_(where) {}
  std::size_t at(int i) const noexcept { return static_cast<std::size_t>(i) % pointers_.size(); }
  status draw(const bench_case& c);
  status place(const bench_case& c);
  status place_copies();

  const cli::op_setup* setup_;
  device where_;
  traffic moved_;
  std::vector<cli::host_memory> host_;  // one a tensor
  std::vector<cli::device_memory> held_, copies_;
  std::vector<std::vector<void*>> pointers_;
};

}  // namespace rowsmith::bench
