// Branches, barriers, waits and what has no effect here.
#include "handlers.h"

namespace rowsmith::gcn {
namespace {

void branch(executor& e, const instruction& i) {
  if (i.target < 0) return e.fault_at(i, "branches to where no instruction begins");
  e.jump(i.target);
}

template <bool When>
void branch_scc(executor& e, const instruction& i) {
  if (!e.w().scc_written) return e.undefined(i, "branched on");
  if (e.w().scc == When) branch(e, i);
}

// The parser gives branches on VCC that register as a source.
template <bool WhenZero>
void branch_vcc(executor& e, const instruction& i) {
  const scalar_value vcc = e.scalar64(i, 0);
  const bool some = (vcc.bits & vcc.defined) != 0;
  if (!some && !vcc.known(~u64{0})) return e.undefined(i, "branched on");
  if (some != WhenZero) branch(e, i);
}

template <bool WhenZero>
void branch_exec(executor& e, const instruction& i) {
  if ((e.exec() == 0) == WhenZero) branch(e, i);
}

void end(executor& e, const instruction&) { e.stop(wave_state::ended); }

void barrier(executor& e, const instruction& i) {
  if (e.w().pending.has_lds_stores())
    return e.fault_at(i, "missing s_waitcnt lgkmcnt(0): LDS stores are under way at the barrier");
  e.stop(wave_state::at_barrier);
}

void wait(executor& e, const instruction& i) {
  scoreboard& pending = e.w().pending;
  pending.wait(scoreboard::vector_memory, static_cast<int>((i.word & 15) | (i.word >> 14 & 3) << 4));
  pending.wait(scoreboard::local_and_scalar, static_cast<int>(i.word >> 8 & 15));
}

void nothing(executor&, const instruction&) {}
void yield(executor& e, const instruction&) { e.stop(wave_state::yielded); }
void trap(executor& e, const instruction& i) { e.fault_at(i, "the kernel trapped"); }

// MODE bits are taken from the descriptor; a kernel that changes them midway is not understood.
void set_mode(executor& e, const instruction& i) {
  e.fail(i, code::unsupported, "a change of MODE is not interpreted");
}

void program_counter(executor& e, const instruction& i) { e.put_scalar64(i, 0, e.address_after(i), ~u64{0}); }

void jump(executor& e, const instruction& i) {
  const scalar_value to = e.scalar64(i, 0);
  if (!to.known(~u64{0})) return e.undefined(i, "jumped to");
  if (i.results > 0) program_counter(e, i);
  e.jump_address(i, to.bits);
}

void time(executor& e, const instruction& i) { e.put_scalar64(i, 0, e.w().executed, ~u64{0}); }

}  // namespace

void add_control_opcodes(opcode_rows& rows) {
  constexpr op_class k = op_class::branch, other = op_class::other;
  const opcode group[] = {
      {"s_branch", k, 0, branch},
      {"s_cbranch_scc0", k, 0, branch_scc<false>},
      {"s_cbranch_scc1", k, 0, branch_scc<true>},
      {"s_cbranch_vccz", k, 0, branch_vcc<true>},
      {"s_cbranch_vccnz", k, 0, branch_vcc<false>},
      {"s_cbranch_execz", k, 0, branch_exec<true>},
      {"s_cbranch_execnz", k, 0, branch_exec<false>},
      {"s_setpc_b64", k, 0, jump},
      {"s_swappc_b64", k, 1, jump},
      {"s_getpc_b64", op_class::salu, 1, program_counter},
      {"s_endpgm", other, 0, end},
      {"s_barrier", op_class::barrier, 0, barrier},
      {"s_waitcnt", op_class::wait, 0, wait},
      {"s_nop", other, 0, nothing},
      {"v_nop", other, 0, nothing},
      {"s_sleep", other, 0, yield},
      {"s_setprio", other, 0, nothing},
      {"s_inst_prefetch", other, 0, nothing},
      {"s_icache_inv", other, 0, nothing},
      {"s_dcache_inv", other, 0, nothing},
      {"s_dcache_wb", other, 0, nothing},
      {"buffer_wbinvl1", other, 0, nothing},
      {"buffer_wbinvl1_vol", other, 0, nothing},
      {"buffer_wbl2", other, 0, nothing},
      {"buffer_invl2", other, 0, nothing},
      {"s_trap", other, 0, trap},
      {"s_setreg_b32", other, 0, set_mode},
      {"s_setreg_imm32_b32", other, 0, set_mode},
      {"s_memtime", other, 1, time},
      {"s_memrealtime", other, 1, time},
  };
  rows.insert(rows.end(), std::begin(group), std::end(group));
}

}  // namespace rowsmith::gcn
