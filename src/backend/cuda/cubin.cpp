#include "backend/cuda/cubin.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string>

#include "backend/cuda/sass.h"
#include "backend/cuda/target.h"
#include "backend/elf_view.h"

namespace rowsmith::cuda {
namespace {

constexpr int k_machine = 190;  // EM_CUDA
constexpr int k_first_abi_with_wide_sm = 8;
constexpr int k_reserved_shared = 1024;

// Attributes of .nv.info that are read here.
enum : unsigned { info_frame_size = 0x11, info_parameter_bytes = 0x19, info_registers = 0x2f };
enum : unsigned { format_half = 3, format_sized = 4 };

std::string_view text_of(std::span<const std::byte> code) {
  return {reinterpret_cast<const char*>(code.data()), code.size()};
}

// CUDA 13 moved the SM number to bits 8 to 15; before, it was the low byte.
int arch_of(const elf_view& elf) {
  const std::uint32_t flags = elf.flags();
  return static_cast<int>(elf.abi_version() >= k_first_abi_with_wide_sm ? flags >> 8 & 0xff : flags & 0xff);
}

// Walks one .nv.info section; `visit(attribute, value, symbol)`: sized attributes give two words, half ones the length.
template <class Visit>
void each_info(std::span<const std::byte> info, Visit visit) {
  std::uint8_t format = 0, attribute = 0;
  std::uint16_t length = 0;
  for (std::uint64_t at = 0;
       read_at(info, at, format) && read_at(info, at + 1, attribute) && read_at(info, at + 2, length);) {
    at += 4;
    if (format == format_half) {
      visit(attribute, static_cast<std::uint32_t>(length), std::uint32_t{0});
    } else if (format == format_sized) {
      std::uint32_t symbol = 0, value = 0;
      if (length >= 8 && read_at(info, at, symbol) && read_at(info, at + 4, value)) visit(attribute, value, symbol);
      at += length;
    }
  }
}

// The number after `word` in PTX, as in ".target sm_90".
int number_after(std::string_view ptx, std::string_view word) {
  const std::size_t at = ptx.find(word);
  int number = 0;
  if (at != std::string_view::npos) {
    const char* first = ptx.data() + at + word.size();
    std::from_chars(first, ptx.data() + ptx.size(), number);
  }
  return number;
}

bool ptx_has_entry(std::string_view ptx, std::string_view entry) {
  for (std::size_t at = 0; (at = ptx.find(".entry ", at)) != std::string_view::npos;) {
    at += 7;
    const std::string_view rest = ptx.substr(at);
    if (rest.substr(0, entry.size()) == entry && rest.size() > entry.size()) {
      const unsigned char next = static_cast<unsigned char>(rest[entry.size()]);
      if (!std::isalnum(next) && next != '_' && next != '$') return true;
    }
  }
  return false;
}

}  // namespace

bool is_ptx(std::span<const std::byte> code) noexcept {
  const std::string_view text = text_of(code);
  return text.substr(0, 4) != "\177ELF" && text.find(".version ") != std::string_view::npos &&
         text.find(".target sm_") != std::string_view::npos && text.find('\0') == std::string_view::npos;
}

result<cubin_kernel> read_cubin(std::span<const std::byte> code, std::string_view entry) {
  auto parsed = elf_view::parse(code);
  if (!parsed) return parsed.status();
  const elf_view& elf = *parsed;
  if (elf.machine() != k_machine) {
    return status(code::corrupt,
                  "the machine code is for ELF machine " + std::to_string(elf.machine()) + ", CUDA is 190");
  }
  cubin_kernel kernel;
  kernel.arch = arch_of(elf);
  const std::string name(entry);
  const elf_view::section* text = elf.find(".text." + name);
  const elf_view::symbol* symbol = elf.find_symbol(entry);
  if (text == nullptr || symbol == nullptr || text->bytes.empty()) {
    return status(code::not_found, "the machine code holds no kernel \"" + name + "\"");
  }
  kernel.text = text->bytes;
  if (const elf_view::section* shared = elf.find(".nv.shared." + name)) {
    kernel.shared_bytes = static_cast<int>(std::min<std::uint64_t>(shared->size, 1 << 24));
    if (kernel.arch >= 90 && kernel.shared_bytes >= k_reserved_shared) kernel.shared_bytes -= k_reserved_shared;
  }
  if (const elf_view::section* info = elf.find(".nv.info")) {
    each_info(info->bytes, [&](unsigned attribute, std::uint32_t value, std::uint32_t index) {
      if (index >= elf.symbols().size() || elf.symbols()[index].name != entry) return;
      if (attribute == info_registers) kernel.registers = static_cast<int>(value & 0xffff);
      if (attribute == info_frame_size) kernel.local_bytes = static_cast<int>(value & 0xffffff);
    });
  }
  if (const elf_view::section* info = elf.find(".nv.info." + name)) {
    each_info(info->bytes, [&](unsigned attribute, std::uint32_t value, std::uint32_t) {
      if (attribute == info_parameter_bytes) kernel.parameter_bytes = static_cast<int>(value);
    });
  }
  return kernel;
}

status check_code(std::span<const std::byte> code, std::string_view arch, std::string_view entry) {
  const auto wanted = parse_target(arch);
  if (!wanted) return {code::invalid_argument, "target: \"" + std::string(arch) + "\" is no NVIDIA architecture"};
  int found = 0;
  bool fits = false;
  if (is_ptx(code)) {
    const std::string_view ptx = text_of(code);
    if (!ptx_has_entry(ptx, entry)) {
      return {code::not_found, "the PTX holds no kernel \"" + std::string(entry) + "\""};
    }
    found = number_after(ptx, ".target sm_");
    fits = found > 0 && found <= wanted->number;
  } else {
    auto kernel = read_cubin(code, entry);
    if (!kernel) return kernel.status();
    found = kernel->arch;
    fits = found == wanted->number && !wanted->ptx;
  }
  if (fits) return {};
  return {code::corrupt,
          "the machine code is for sm_" + std::to_string(found) + ", the target is " + std::string(arch)};
}

result<code_report> report_code(std::span<const std::byte> code, std::string_view arch, std::string_view entry) {
  if (status s = check_code(code, arch, entry); !s.ok()) return s;
  code_report report;
  if (is_ptx(code)) return report;  // nothing is decided before the driver has translated it
  auto kernel = read_cubin(code, entry);
  if (!kernel) return kernel.status();
  report.registers = kernel->registers;
  report.local_bytes = kernel->local_bytes;
  report.shared_bytes = kernel->shared_bytes;
  report.spills = kernel->local_bytes > 0 ? 1 : 0;
  if (kernel->arch < 70) return report;  // its instructions are laid out otherwise
  const sass_census census = count_sass(kernel->text);
  if (census.local_accesses > 0) report.spills = 1;
  // A bulk copy moves a whole tile: the widest access there is.
  report.wide_loads = census.wide_loads + census.bulk_loads;
  report.wide_stores = census.wide_stores + census.bulk_stores;
  report.narrow_loads = census.narrow_loads;
  report.narrow_stores = census.narrow_stores;
  report.barriers = census.barriers;
  report.instructions = census.instructions;
  return report;
}

}  // namespace rowsmith::cuda
