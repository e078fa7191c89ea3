#include "executor.h"

#include <fmt/format.h>

#include "image.h"

namespace rowsmith::gcn {
namespace {

// A wave that has executed this many instructions is taken to hang.
constexpr u64 k_most_instructions = 2'000'000'000;

}  // namespace

wave_state executor::run(wave& w, counts& executed) {
  wave_ = &w;
  w.state = wave_state::running;
  const instruction* code = code_.code();
  u64* count = executed.of;
  while (w.state == wave_state::running) {
    const instruction& i = code[w.next++];
    if (!w.pending.empty() && i.kind != op_class::wait) [[unlikely]] {
      if (const instruction* late = w.pending.blocks(i)) {
        fault_at(
            i, fmt::format("missing s_waitcnt: the result of \"{}\" at {:#x} is not there yet", late->text, late->pc));
        break;
      }
    }
    ++w.executed;
    ++count[static_cast<int>(i.kind)];
    i.run(*this, i);
    if (w.executed == k_most_instructions) fault_at(i, "the wave does not end");
  }
  return w.state;
}

void executor::fail(const instruction& i, code c, const std::string& what) {
  if (wave_->state == wave_state::failed) return;
  wave_->state = wave_state::failed;
  fault_ = status(c, fmt::format("{}; wave {}, pc {:#x}: {}", what, wave_->number, i.pc, i.text));
}

void executor::undefined(const instruction& i, const std::string& use) { fault_at(i, "an undefined value is " + use); }

u64 executor::address_after(const instruction& i) const { return code_.base() + i.pc + i.size; }

void executor::jump_address(const instruction& i, u64 address) {
  const int index = code_.index_at(address - code_.base());
  if (index < 0) return fault_at(i, "jumps to where no instruction begins");
  wave_->next = index;
}

}  // namespace rowsmith::gcn
