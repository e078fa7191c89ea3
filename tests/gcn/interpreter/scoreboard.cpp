#include "scoreboard.h"

#include <algorithm>

#include "instruction.h"

namespace rowsmith::gcn {

void scoreboard::issue(counter c, source from, const instruction& by, const operand* into, int registers) {
  entry made{from, &by, false, 0, 0};
  if (into != nullptr) {
    made.scalar = into->is_scalar();
    made.first = into->index;
    made.registers = static_cast<u16>(registers);
  }
  queue_[c].push_back(made);
}

void scoreboard::wait(counter c, int left) {
  auto& queue = queue_[c];
  if (static_cast<std::size_t>(left) >= queue.size()) return;
  const auto scalar = [](const entry& e) { return e.from == source::scalar; };
  if (left > 0 && std::any_of(queue.begin(), queue.end(), scalar)) return;
  queue.erase(queue.begin(), queue.end() - left);
}

const instruction* scoreboard::blocks(const instruction& by) const {
  // A later load into the same register of the same queue arrives later, so overwriting needs no wait.
  const auto touches = [](const entry& e, const operand& o) {
    return e.registers != 0 && (e.scalar ? o.is_scalar() : o.is_vector()) && o.index < e.first + e.registers &&
           e.first < o.index + o.registers;
  };
  const bool loads = by.kind >= op_class::load_narrow && by.kind <= op_class::load_16;
  for (int c = 0; c < counters; ++c) {
    for (const entry& e : queue_[c]) {
      for (int n = 0; n < by.sources; ++n) {
        if (touches(e, by.source[n])) return e.by;
      }
      const bool same_queue =
          (loads && e.from == source::load) || (by.kind == op_class::lds && e.from == source::lds_load);
      for (int n = 0; n < by.results && !same_queue; ++n) {
        if (touches(e, by.result[n])) return e.by;
      }
    }
  }
  return nullptr;
}

bool scoreboard::has_lds_stores() const {
  const auto& queue = queue_[local_and_scalar];
  return std::any_of(queue.begin(), queue.end(), [](const entry& e) { return e.from == source::lds_store; });
}

}  // namespace rowsmith::gcn
