// machine: runs AMD gfx9 code objects (gfx900, gfx906, gfx908, gfx90a; 64 lanes a wave) on the host, one instruction at
// a time, and says what a card would have kept silent about.
//
// Memory is the host's own: a kernel's pointers are real addresses, and every access is checked against the ranges that
// were mapped. Registers and LDS begin undefined and stay so until written; an undefined value may be moved and
// combined (undefined in, undefined out), but using it as an address, storing it to global memory or branching on it is
// an error, and a lane that is active by an undefined condition may store nothing (wave.h). An error, too, is a
// register used whose load no s_waitcnt has waited for, an LDS word that one wave writes and another touches without a
// barrier between, and an opcode that is not in the table (opcode.h).
//
// Not modelled: buffers other than a wave's scratch, matrix instructions, hazards that need s_nop, time.
//
// Thread promise: map(), unmap(), load() and run() may be called from any threads; run() uses `threads` of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rowsmith/status.h"

namespace rowsmith::gcn {

class memory_map;

enum class access { read, read_write };

// What an executed wave-instruction counts as. A vector memory instruction counts once, by the bytes of one lane.
enum class op_class : std::uint8_t {
  salu,
  valu,
  trans,
  dpp,
  lds,
  scalar_load,
  barrier,
  branch,
  wait,
  other,
  load_narrow,
  load_4,
  load_8,
  load_16,  // global and flat; narrow: below 4 bytes; 12 bytes count as 16
  store_narrow,
  store_4,
  store_8,
  store_16,
  atomic,
  count_
};
std::string_view name_of(op_class c) noexcept;

struct counts {
  std::uint64_t of[static_cast<int>(op_class::count_)] = {};
  std::uint64_t waves = 0;

  std::uint64_t operator[](op_class c) const noexcept { return of[static_cast<int>(c)]; }
  std::uint64_t instructions() const noexcept;
  std::uint64_t loads() const noexcept;  // vector loads of any width
  std::uint64_t stores() const noexcept;
  double per_wave() const noexcept;  // executed instructions; 0 without waves
  counts& operator+=(const counts& other) noexcept;
};

// One explicit or hidden argument, from the code object's notes.
struct kernel_argument {
  std::uint32_t offset = 0;
  std::uint32_t size = 0;
  std::string kind;  // "by_value", "global_buffer", "hidden_…"
};

struct kernel_facts {
  std::string name;
  std::uint32_t lds_bytes = 0;      // static
  std::uint32_t scratch_bytes = 0;  // per lane
  std::uint32_t kernarg_bytes = 0;
  std::uint32_t vgprs = 0;
  std::uint32_t sgprs = 0;
  std::uint32_t max_threads = 1024;
  std::vector<kernel_argument> arguments;
};

// A loaded code object. Its image stays mapped, read-only save for its variables, as long as it lives.
class program {
 public:
  virtual ~program() = default;
  virtual const std::string& arch() const noexcept = 0;  // "gfx906"
  virtual std::vector<std::string> kernels() const = 0;
  virtual const kernel_facts* find(std::string_view kernel) const noexcept = 0;  // null: no such kernel
  // Address and size of a global variable; empty when there is none of that name.
  virtual std::span<std::byte> variable(std::string_view name) const noexcept = 0;
};

struct dispatch {
  const class program* program = nullptr;
  std::string kernel;
  std::uint32_t grid[3] = {1, 1, 1};    // in blocks
  std::uint32_t block[3] = {64, 1, 1};  // in threads
  std::uint32_t dynamic_lds = 0;
  std::span<const std::byte> kernarg;    // shorter than kernarg_bytes: the rest (hidden arguments) reads as zero
  int threads = 1;                       // of the host; blocks are shared among them
  bool perturb_transcendentals = false;  // exp, log, rcp, rsq, sqrt, sin, cos: off by -1, 0 or +1 ulp, as a card may be
  std::uint64_t seed = 0;                // of the order in which waves run between barriers, and of the perturbation
};

class machine {
 public:
  // "gfx906"; features after a colon are left out of account.
  explicit machine(std::string arch);
  ~machine();
  machine(const machine&) = delete;
  machine& operator=(const machine&) = delete;

  const std::string& arch() const noexcept { return arch_; }

  // Global memory that kernels may touch. Ranges do not overlap. unmap() takes the base that map() was given.
  void map(void* base, std::size_t bytes, access allowed = access::read_write);
  void unmap(void* base);

  // corrupt: not a whole code object. unsupported: of another architecture, or no disassembler at hand.
  // An opcode that is not in the table is an error only when it is reached.
  result<std::shared_ptr<const program>> load(std::span<const std::byte> code_object);

  // Runs every wave to its end. device_error with the kernel, the program counter and the instruction's text: a fault
  // of the kernel. unsupported with the same: the interpreter lacks the opcode. invalid_argument: a launch no card
  // takes.
  result<counts> run(const dispatch& d);

 private:
  std::string arch_;
  std::shared_ptr<memory_map> memory_;
};

}  // namespace rowsmith::gcn
