// scoreboard: loads that no s_waitcnt has waited for. Their registers may not be used until then.
//
// vmcnt: vector memory, loads and stores, done in order. lgkmcnt: LDS, done in order, and scalar loads, done in any
// order, so that only a wait for zero says anything once a scalar load is among them. flat counts in both.
#pragma once

#include <vector>

#include "lanes.h"

namespace rowsmith::gcn {

struct instruction;
struct operand;

class scoreboard {
 public:
  enum counter { vector_memory, local_and_scalar, counters };
  enum class source : u8 { load, store, lds_load, lds_store, scalar };

  // `registers` from `first` on are pending; none for a store.
  void issue(counter c, source from, const instruction& by, const operand* into, int registers);

  // s_waitcnt: at most `left` operations of the counter stay pending.
  void wait(counter c, int left);

  bool empty() const { return queue_[0].empty() && queue_[1].empty(); }

  // The instruction whose load `by` must wait for; null when there is none.
  const instruction* blocks(const instruction& by) const;
  bool has_lds_stores() const;

  void clear() {
    queue_[0].clear();
    queue_[1].clear();
  }

 private:
  struct entry {
    source from;
    const instruction* by;
    bool scalar;
    u16 first;
    u16 registers;
  };
  std::vector<entry> queue_[counters];
};

}  // namespace rowsmith::gcn
