#include "backend/hip/gcn.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "backend/hip/comgr.h"

namespace rowsmith::hip {
namespace {

bool begins(std::string_view text, std::string_view with) { return text.substr(0, with.size()) == with; }
bool holds(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

struct reader {
  std::span<const std::byte> text;
  std::string line;
};

std::uint64_t read_memory(std::uint64_t from, char* to, std::uint64_t size, void* user) {
  const auto& text = static_cast<reader*>(user)->text;
  if (from >= text.size()) return 0;
  size = std::min<std::uint64_t>(size, text.size() - from);
  std::memcpy(to, text.data() + from, size);
  return size;
}

void take_line(const char* instruction, void* user) { static_cast<reader*>(user)->line = instruction; }
void ignore_address(std::uint64_t, void*) {}

}  // namespace

void gcn_census::add(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t");
  if (first == std::string_view::npos) return;
  line.remove_prefix(first);
  const std::string_view opcode = line.substr(0, line.find_first_of(" \t\n"));
  ++instructions;
  const bool wide = holds(opcode, "dwordx4") || holds(opcode, "_b128");
  if (begins(opcode, "global_load") || begins(opcode, "flat_load")) ++(wide ? wide_loads : narrow_loads);
  if (begins(opcode, "global_store") || begins(opcode, "flat_store")) ++(wide ? wide_stores : narrow_stores);
  // Header-free kernels reach global memory by those alone; buffer instructions are the stack.
  if (begins(opcode, "scratch_") || begins(opcode, "buffer_load") || begins(opcode, "buffer_store")) ++scratch_accesses;
  if (opcode == "s_barrier" || opcode == "s_barrier_wait") ++barriers;
  if (holds(opcode, "_dpp") || holds(line, "quad_perm:") || holds(line, "row_")) ++lane_moves;
}

result<gcn_census> count_gcn(std::span<const std::byte> text, const std::string& isa) {
  const comgr& library = comgr::get();
  if (!library.usable().ok()) return library.usable();
  const comgr_functions& call = library.call();
  comgr_disassembly disassembly{};
  if (comgr_result error = call.create_disassembly(isa.c_str(), read_memory, take_line, ignore_address, &disassembly)) {
    return status(code::unsupported, "comgr cannot read machine code of " + isa, error, "");
  }
  gcn_census so_far, whole;
  reader r{text, {}};
  for (std::uint64_t at = 0; at < text.size();) {
    std::uint64_t size = 0;
    r.line.clear();
    if (call.disassemble(disassembly, at, &r, &size) != success || size == 0) {
      at += 4;
      continue;
    }
    at += size;
    so_far.add(r.line);
    if (holds(r.line, "s_endpgm")) whole = so_far;
  }
  call.destroy_disassembly(disassembly);
  return whole;
}

}  // namespace rowsmith::hip
