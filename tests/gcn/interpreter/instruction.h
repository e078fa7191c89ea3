// instruction: one decoded instruction, ready to run. Made from the disassembler's text by parser.h.
#pragma once

#include <memory>
#include <string>

#include "lanes.h"
#include "machine.h"

namespace rowsmith::gcn {

class executor;
struct instruction;
using handler = void (*)(executor&, const instruction&);

// Scalar registers by number; the named ones lie above the general ones.
enum : u16 { k_flat_scratch = 102, k_vcc = 106, k_m0 = 124, k_exec = 126, k_scalar_registers = 128 };

enum class operand_kind : u8 { none, vector, scalar, constant, off };

// Which part of a register an SDWA instruction reads or writes.
enum class part : u8 { byte_0, byte_1, byte_2, byte_3, word_0, word_1, dword };

struct operand {
  operand_kind kind = operand_kind::none;
  bool negate = false;
  bool absolute = false;
  bool sign_extend = false;
  part select = part::dword;
  u16 index = 0;  // the first register
  u16 registers = 1;
  u64 value = 0;  // of a constant

  bool is_vector() const { return kind == operand_kind::vector; }
  bool is_scalar() const { return kind == operand_kind::scalar; }
  bool is_constant() const { return kind == operand_kind::constant; }
};

// DPP: from which lane each lane reads.
struct lane_moves {
  u8 from[k_lanes] = {};
  u64 inside = 0;          // lanes whose source exists
  u64 enabled = 0;         // lanes that row_mask and bank_mask let through
  bool zero_fill = false;  // bound_ctrl: a source that is not there reads as zero, else the lane is not written
};

enum class unused_part : u8 { zero, sign_extend, preserve };

struct instruction {
  handler run = nullptr;
  op_class kind = op_class::other;
  u8 results = 0;
  u8 sources = 0;
  operand result[2];
  operand source[4];

  std::shared_ptr<const lane_moves> moves;  // null: not DPP
  bool sdwa = false;
  part result_part = part::dword;
  unused_part rest = unused_part::zero;

  bool clamp = false;
  float scale = 1;         // the output modifier: 1, 2, 4 or 0.5
  u8 high_half = 0;        // op_sel: a bit each source, then one for the result
  u8 high_half_above = 7;  // op_sel_hi: which half of each source the upper result is made from
  u8 negate_low = 0;       // neg_lo, neg_hi of packed instructions
  u8 negate_high = 0;

  i32 offset = 0;  // bytes, of memory instructions; the second of read2 and write2 is in offset_second
  i32 offset_second = 0;
  bool flat = false;  // counts as vector memory and as LDS

  u32 word = 0;  // the first dword, for 16-bit immediates
  u8 size = 4;
  u64 pc = 0;       // in the image
  int target = -1;  // of a branch: index of the instruction; -1: none
  std::string text;

  i32 immediate() const { return static_cast<i16>(word & 0xffff); }
  bool plain() const { return moves == nullptr && !sdwa; }
};

}  // namespace rowsmith::gcn
