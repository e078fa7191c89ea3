// Buffer loads and stores, which compilers use for a lane's own memory: arrays with an index that only the run knows,
// and what registers have no room for. Any other buffer is an error.
#include <string>
#include <type_traits>

#include "handlers.h"

namespace rowsmith::gcn {
namespace {

// Where each active lane reads or writes. False: a fault was reported, or no lane is active. `vector`: which source
// holds the lanes' offsets, or is `off`; behind it come the descriptor and a scalar offset, in bytes of all 64 lanes.
bool addresses(executor& e, const instruction& i, int vector, u32 size, lanes_of<u32>& at) {
  wave& w = e.w();
  const u64 exec = e.exec();
  const scalar_value buffer = e.scalar64(i, vector + 1), step = e.scalar(i, vector + 2);
  if (!buffer.known(~u64{0}) || !step.known(0xffffffffu)) return e.undefined(i, "used as a buffer"), false;
  if (buffer.bits != private_memory::base) return e.fault_at(i, "a buffer that is not the wave's scratch"), false;
  if (step.bits % k_lanes != 0) return e.fault_at(i, "a scalar offset that is not the same for every lane"), false;
  const u32 common = static_cast<u32>(step.bits) / k_lanes + static_cast<u32>(i.offset);
  const operand& offset = i.source[vector];
  if (offset.is_vector()) {
    const u64 defined = w.low_written[offset.index] & w.high_written[offset.index];
    if ((exec & ~defined) != 0) return e.undefined(i, "used as an address"), false;
    each_lane([&](int l) { at.at[l] = common + w.v[offset.index][l]; });
  } else {
    each_lane([&](int l) { at.at[l] = common; });
  }
  for (u64 rest = exec; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    if (w.own.contains(at.at[lane], size)) continue;
    e.fault_at(i, "byte " + std::to_string(at.at[lane]) + " of " + std::to_string(w.own.size()) +
                      " bytes of scratch, lane " + std::to_string(lane));
    return false;
  }
  return exec != 0;
}

template <int Words>
void load(executor& e, const instruction& i) {
  lanes_of<u32> at;
  if (!addresses(e, i, 0, 4 * Words, at)) return;
  wave& w = e.w();
  const u64 exec = e.exec();
  const int first = i.result[0].index;
  for (int n = 0; n < Words; ++n) {
    u64 defined = 0;
    each_of(exec, [&](int l) {
      defined |= u64{w.own.load(l, at.at[l] + 4 * static_cast<u32>(n), 4, &w.v[first + n][l])} << l;
    });
    w.mark(first + n, exec, defined, defined);
  }
  w.pending.issue(scoreboard::vector_memory, scoreboard::source::load, i, &i.result[0], Words);
}

template <class T>
void load_small(executor& e, const instruction& i) {
  lanes_of<u32> at;
  if (!addresses(e, i, 0, sizeof(T), at)) return;
  wave& w = e.w();
  const u64 exec = e.exec();
  const int r = i.result[0].index;
  u64 defined = 0;
  each_of(exec, [&](int l) {
    T value;
    defined |= u64{w.own.load(l, at.at[l], sizeof value, &value)} << l;
    w.v[r][l] = static_cast<u32>(static_cast<i32>(value));
  });
  w.mark(r, exec, defined, defined);
  w.pending.issue(scoreboard::vector_memory, scoreboard::source::load, i, &i.result[0], 1);
}

// Undefined values may be stored: the bytes stay undefined.
template <int Bytes, int Shift = 0>
void store(executor& e, const instruction& i) {
  lanes_of<u32> at;
  if (!addresses(e, i, 1, Bytes, at)) return;
  wave& w = e.w();
  constexpr int words = (Bytes + 3) / 4;
  const int first = i.source[0].index;
  each_of(e.exec(), [&](int l) {
    for (int n = 0; n < words; ++n) {
      const u32 word = w.v[first + n][l] >> Shift;
      const bool low = w.low_written[first + n] >> l & 1, high = w.high_written[first + n] >> l & 1;
      const bool defined = !(w.doubtful() >> l & 1) && (Bytes >= 4 ? low && high : Shift != 0 ? high : low);
      w.own.store(l, at.at[l] + 4 * static_cast<u32>(n), Bytes < 4 ? Bytes : 4, &word, defined);
    }
  });
  w.pending.issue(scoreboard::vector_memory, scoreboard::source::store, i, nullptr, 0);
}

}  // namespace

void add_scratch_opcodes(opcode_rows& rows) {
  const opcode group[] = {
      {"buffer_load_dword", op_class::load_4, 1, load<1>},
      {"buffer_load_dwordx2", op_class::load_8, 1, load<2>},
      {"buffer_load_dwordx3", op_class::load_16, 1, load<3>},
      {"buffer_load_dwordx4", op_class::load_16, 1, load<4>},
      {"buffer_load_ubyte", op_class::load_narrow, 1, load_small<u8>},
      {"buffer_load_ushort", op_class::load_narrow, 1, load_small<u16>},
      {"buffer_load_sbyte", op_class::load_narrow, 1, load_small<signed char>},
      {"buffer_load_sshort", op_class::load_narrow, 1, load_small<i16>},
      {"buffer_store_byte", op_class::store_narrow, 0, store<1>},
      {"buffer_store_short", op_class::store_narrow, 0, store<2>},
      {"buffer_store_byte_d16_hi", op_class::store_narrow, 0, store<1, 16>},
      {"buffer_store_short_d16_hi", op_class::store_narrow, 0, store<2, 16>},
      {"buffer_store_dword", op_class::store_4, 0, store<4>},
      {"buffer_store_dwordx2", op_class::store_8, 0, store<8>},
      {"buffer_store_dwordx3", op_class::store_16, 0, store<12>},
      {"buffer_store_dwordx4", op_class::store_16, 0, store<16>},
  };
  rows.insert(rows.end(), std::begin(group), std::end(group));
}

}  // namespace rowsmith::gcn
