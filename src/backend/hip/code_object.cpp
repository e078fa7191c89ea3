#include "backend/hip/code_object.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "backend/elf_view.h"
#include "backend/hip/gcn.h"
#include "backend/hip/metadata.h"
#include "backend/hip/target.h"

namespace rowsmith::hip {
namespace {

constexpr int k_machine = 224;  // EM_AMDGPU
constexpr std::size_t k_descriptor_bytes = 64;
constexpr std::string_view k_triple = "amdgcn-amd-amdhsa--";
constexpr std::string_view k_target_key = "amdhsa.target";

// The low byte of e_flags. Hygon's names are not in any public list: their notes tell.
struct flag_name {
  unsigned flag;
  std::string_view arch;
};
constexpr flag_name k_flags[] = {
    {0x2a, "gfx803"},  {0x2c, "gfx900"},  {0x2d, "gfx902"},  {0x2e, "gfx904"},  {0x2f, "gfx906"},  {0x30, "gfx908"},
    {0x31, "gfx909"},  {0x32, "gfx90c"},  {0x33, "gfx1010"}, {0x34, "gfx1011"}, {0x35, "gfx1012"}, {0x36, "gfx1030"},
    {0x37, "gfx1031"}, {0x38, "gfx1032"}, {0x39, "gfx1033"}, {0x3d, "gfx1035"}, {0x3e, "gfx1034"}, {0x3f, "gfx90a"},
    {0x40, "gfx940"},  {0x41, "gfx1100"}, {0x42, "gfx1013"}, {0x43, "gfx1150"}, {0x44, "gfx1103"}, {0x45, "gfx1036"},
    {0x46, "gfx1101"}, {0x47, "gfx1102"}, {0x48, "gfx1200"}, {0x4a, "gfx1151"}, {0x4b, "gfx941"},  {0x4c, "gfx942"},
    {0x4e, "gfx1201"}, {0x4f, "gfx950"}};

std::string_view arch_by_flags(std::uint32_t flags) {
  for (const flag_name& f : k_flags) {
    if (f.flag == (flags & 0xff)) return f.arch;
  }
  return {};
}

// The value of "amdhsa.target" in the metadata note, a MessagePack map: the key is followed by a short string.
std::string_view arch_by_note(const elf_view& elf) {
  const elf_view::section* note = elf.find(".note");
  if (note == nullptr) return {};
  const std::string_view text(reinterpret_cast<const char*>(note->bytes.data()), note->bytes.size());
  std::size_t at = text.find(k_target_key);
  if (at == std::string_view::npos) return {};
  at += k_target_key.size();
  if (at >= text.size()) return {};
  const unsigned char head = static_cast<unsigned char>(text[at++]);
  std::size_t length = 0;
  if ((head & 0xe0) == 0xa0) {
    length = head & 0x1f;
  } else if (head == 0xd9 && at < text.size()) {
    length = static_cast<unsigned char>(text[at++]);
  }
  const std::string_view value = text.substr(std::min(at, text.size()), length);
  if (value.size() != length || value.substr(0, k_triple.size()) != k_triple) return {};
  return without_features(value.substr(k_triple.size()));
}

}  // namespace

result<kernel_descriptor> read_code_object(std::span<const std::byte> image, std::string_view entry) {
  auto parsed = elf_view::parse(image);
  if (!parsed) return parsed.status();
  const elf_view& elf = *parsed;
  if (elf.machine() != k_machine) {
    return status(code::corrupt,
                  "the machine code is for ELF machine " + std::to_string(elf.machine()) + ", AMD GPUs are 224");
  }
  kernel_descriptor kernel;
  const std::string_view by_note = arch_by_note(elf), by_flags = arch_by_flags(elf.flags());
  if (!by_note.empty() && !by_flags.empty() && by_note != by_flags) {
    return status(code::corrupt, "the machine code's flags and notes name different architectures");
  }
  kernel.arch = by_note.empty() ? by_flags : by_note;
  const std::string name(entry);
  const elf_view::symbol* descriptor = elf.find_symbol(name + ".kd");
  const elf_view::symbol* function = elf.find_symbol(entry);
  if (entry.empty() || descriptor == nullptr || function == nullptr) {
    return status(code::not_found, "the machine code holds no kernel \"" + name + "\"");
  }
  const std::span<const std::byte> block = elf.bytes_of(*descriptor);
  kernel.text = elf.bytes_of(*function);
  if (block.size() != k_descriptor_bytes || kernel.text.empty()) {
    return status(code::corrupt, "the kernel \"" + name + "\" lies outside of its section");
  }
  read_at(block, 0, kernel.shared_bytes);
  read_at(block, 4, kernel.scratch_bytes);
  read_at(block, 8, kernel.kernarg_bytes);
  return kernel;
}

status check_code(std::span<const std::byte> image, std::string_view arch, std::string_view entry) {
  auto kernel = read_code_object(image, entry);
  if (!kernel) return kernel.status();
  if (kernel->arch == without_features(arch)) return {};
  return {code::corrupt, "the machine code is for " +
                             (kernel->arch.empty() ? "an unknown architecture" : kernel->arch) + ", the target is " +
                             std::string(arch)};
}

result<code_report> report_code(std::span<const std::byte> image, std::string_view arch, std::string_view entry) {
  if (status s = check_code(image, arch, entry); !s.ok()) return s;
  auto kernel = read_code_object(image, entry);
  if (!kernel) return kernel.status();
  code_report report;
  report.local_bytes = static_cast<int>(kernel->scratch_bytes);
  report.shared_bytes = static_cast<int>(kernel->shared_bytes);
  if (auto numbers = read_metadata(image, entry)) {
    report.registers = numbers->registers;
    report.spills = numbers->spills;
  } else {
    report.spills = kernel->scratch_bytes > 0 ? 1 : 0;
  }
  auto census = count_gcn(kernel->text, std::string(k_triple) + kernel->arch);
  if (!census) return report;  // no disassembler at hand: what the descriptor tells
  report.wide_loads = census->wide_loads;
  report.wide_stores = census->wide_stores;
  report.narrow_loads = census->narrow_loads;
  report.narrow_stores = census->narrow_stores;
  report.barriers = census->barriers;
  report.instructions = census->instructions;
  return report;
}

}  // namespace rowsmith::hip
