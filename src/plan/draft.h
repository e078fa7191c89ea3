// draft: a plan for a GPU as it is being written: the class, the target, and what every launch begins and ends with.
#pragma once

#include <cstdint>
#include <string>

#include "model/facts.h"
#include "model/plan.h"
#include "model/traits.h"

namespace rowsmith {

// How the packs of a row lie.
struct packing {
  int pack;            // elements
  bool window;         // packs start at 16-byte boundaries, not at the row's start; both ends are ragged
  std::int64_t packs;  // of a row, at most
};

class draft {
 public:
  draft(const shape_class& c, const traits& t) : c(c), t(t) { made.op = c.op; }

  void why(std::string sentence) { made.why.push_back(std::move(sentence)); }
  void reject(std::string what, std::string reason) { made.rejected.push_back({std::move(what), std::move(reason)}); }

  // A launch of the class's op, its accesses as wide as packs of `pack` elements allow.
  launch_plan start(mechanism how, int pack, bool window) const;

  // The launch with what its machine code is checked against: at least so many barriers, and registers.
  launch_plan promise(launch_plan l, const packing& p, int barriers) const;

  // Every launch before the last one.
  void add(launch_plan l) { made.launches.push_back(std::move(l)); }
  // The last launch; where the class sums over rows, another one that adds them up.
  plan finish(launch_plan l);

  bool on_hip() const noexcept { return t.vendor == device_kind::hip; }
  // Inputs of the shape that the op runs over, as many as move with its rows; and has it one of a column each?
  int full_inputs() const noexcept;
  bool has_columns() const noexcept;

  const shape_class& c;
  const traits& t;
  plan made;
};

}  // namespace rowsmith
