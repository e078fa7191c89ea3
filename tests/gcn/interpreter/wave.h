// wave: the registers of one wave, and for each whether it was ever written.
//
// Vector registers know it by lane and by half, since compilers fill a register half by half; scalar registers by bit,
// since they hold lane masks of which only the bits of active lanes mean anything.
//
// EXEC may have undefined bits too: a branch that a lane takes or not by chance. While a lane is in doubt, whatever it
// writes, or would have written, is undefined, and it may store nothing.
#pragma once

#include "instruction.h"
#include "lanes.h"
#include "private_memory.h"
#include "scoreboard.h"

namespace rowsmith::gcn {

// v0 … v255, then the accumulation registers a0 … a255, in which compilers for gfx908 and gfx90a spill.
constexpr int k_first_accumulator = 256;
constexpr int k_vector_registers = 512;

enum class wave_state : u8 { running, at_barrier, yielded, ended, failed };

struct wave {
  u32 v[k_vector_registers][k_lanes];
  u64 low_written[k_vector_registers];  // a bit each lane: the low 16 bits hold a value
  u64 high_written[k_vector_registers];
  u32 s[k_scalar_registers];
  u32 s_written[k_scalar_registers];  // a bit each bit
  bool scc;
  bool scc_written;
  wave_state state;
  int next;    // index of the instruction to run
  int number;  // in its block
  u64 executed;
  scoreboard pending;
  private_memory own;

  u64 exec() const { return s[k_exec] | u64{s[k_exec + 1]} << 32; }

  // Lanes of which it is undefined whether they are active.
  u64 doubtful() const { return ~(s_written[k_exec] | u64{s_written[k_exec + 1]} << 32); }
  // What is known of a register's lanes after a write by those of `mask`.
  void mark(int r, u64 mask, u64 low, u64 high) {
    low_written[r] = (low_written[r] & ~mask) | (low & mask);
    high_written[r] = (high_written[r] & ~mask) | (high & mask);
    if (const u64 doubt = doubtful()) [[unlikely]] {
      low_written[r] &= ~doubt;
      high_written[r] &= ~doubt;
    }
  }

  // Nothing is written; values stay as an earlier wave left them.
  void forget() {
    for (int r = 0; r < k_vector_registers; ++r) low_written[r] = high_written[r] = 0;
    for (int r = 0; r < k_scalar_registers; ++r) s_written[r] = 0;
    for (int r = 0; r < k_scalar_registers; ++r) s[r] = 0xdeadbeef;
    scc = scc_written = false;
    state = wave_state::running;
    executed = 0;
    pending.clear();
    own.forget();
  }
  void set_scalar(int at, u32 value) {
    s[at] = value;
    s_written[at] = ~0u;
  }
  void set_exec(u64 value, u64 defined) {
    set_scalar_pair(k_exec, value);
    s_written[k_exec] = static_cast<u32>(defined);
    s_written[k_exec + 1] = static_cast<u32>(defined >> 32);
  }
  void set_scalar_pair(int at, u64 value) {
    set_scalar(at, static_cast<u32>(value));
    set_scalar(at + 1, static_cast<u32>(value >> 32));
  }
};

}  // namespace rowsmith::gcn
