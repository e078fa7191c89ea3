// known_launch: the launch of a call of known form, ready but for addresses and scalars. That a call may be launched so
// depends on how its operands lie to one another: that is looked at every time, and where they lie otherwise than they
// did, the call is inspected like any other.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "call/kernel_table.h"
#include "model/byte_span.h"
#include "model/request.h"
#include "rowsmith/status.h"

namespace rowsmith {

class known_launch {
 public:
  // Of a call that was inspected and is answered by a final kernel of the table. Fits no call where nothing can be
  // known ahead: with several launches, an operand without elements, or operands that lie within one another.
  static std::unique_ptr<const known_launch> of(const request& r, const facts& f, const kernel_table::entry& by);

  // Is its kernel still the one that answers?
  bool is_current() const noexcept { return entry_->current.load(std::memory_order_acquire) == kernel_; }

  // May this call, of the same form, be launched so? Every operand has memory, and an output shares none with another
  // operand, unless both are the very same.
  bool fits(const request& r) const noexcept;

  // REQUIRES: fits(r).
  status launch(const request& r) const noexcept;

 private:
  struct operand_place {
    byte_span reach;
    std::uint16_t word;  // of the arguments; 0: none
    bool has_memory;
  };
  struct pair {
    std::uint8_t output, other;
    bool same;  // address, and not disjoint
  };

  known_launch() = default;
  bool place_operands(const request& r, const facts& f, const argument_layout& layout);
  bool pair_operands(const request& r, const facts& f);

  const kernel_table::entry* entry_ = nullptr;
  const executable* kernel_ = nullptr;
  const loaded_kernel* launched_ = nullptr;  // null: fits no call
  std::int64_t blocks_ = 0;
  std::vector<operand_place> operands_;
  std::vector<pair> pairs_;
  std::vector<std::uint64_t> words_;
};

}  // namespace rowsmith
