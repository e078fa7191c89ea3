#include "backend/cuda/sass.h"

#include <cstdint>

#include "backend/elf_view.h"

namespace rowsmith::cuda {
namespace {

// Bits 0..7 of an instruction are its opcode, bits 8..11 the form of its operands. Found by compiling known kernels for
// sm_75 to sm_120; tests/unit/vendors repeats that for every compiler it meets.
enum : unsigned {
  op_nop = 0x18,
  op_bar = 0x1d,
  op_bra = 0x47,
  op_ldg = 0x81,
  op_ldl = 0x83,
  op_stg = 0x86,
  op_stl = 0x87,
  op_ldg_256 = 0x7e,
  op_stg_256 = 0x7f,
  op_ublkcp = 0xba,  // cp.async.bulk
};

}  // namespace

sass_census count_sass(std::span<const std::byte> text) {
  sass_census count;
  std::uint64_t low = 0, high = 0;
  for (std::size_t at = 0; read_at(text, at, low) && read_at(text, at + 8, high); at += 16) {
    const unsigned opcode = low & 0xff, form = low >> 8 & 0xf;
    const bool memory = form == 3 || form == 9;  // the address in registers, without and with a descriptor
    const bool wide = (high >> 9 & 7) == 6;      // 4: 32 bits, 5: 64 bits, 6: 128 bits
    if (opcode != op_nop) ++count.instructions;
    if (opcode == op_bar && (high & 0x2000) == 0) ++count.barriers;  // that bit: arrives without waiting
    if (!memory) continue;
    switch (opcode) {
      case op_ldg:
        ++(wide ? count.wide_loads : count.narrow_loads);
        break;
      case op_stg:
        ++(wide ? count.wide_stores : count.narrow_stores);
        break;
      case op_ldg_256:
        ++count.wide_loads;
        break;
      case op_stg_256:
        ++count.wide_stores;
        break;
      case op_ublkcp:
        ++((high >> 8 & 7) == 4 ? count.bulk_stores : count.bulk_loads);
        break;
      case op_ldl:
      case op_stl:
        ++count.local_accesses;
        break;
      default:
        break;
    }
  }
  return count;
}

}  // namespace rowsmith::cuda
