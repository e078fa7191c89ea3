#include "image.h"

#include <algorithm>
#include <cstring>

#include "backend/elf_view.h"
#include "backend/hip/code_object.h"
#include "comgr_library.h"
#include "kernel_notes.h"
#include "parser.h"

namespace rowsmith::gcn {
namespace {

constexpr std::string_view k_descriptor_suffix = ".kd";
constexpr std::size_t k_descriptor_bytes = 64;
constexpr int k_object = 1, k_function = 2;  // STT_…

float_mode mode_of(u32 rsrc1) {
  float_mode mode;
  mode.f32_denormal_sources = rsrc1 >> 16 & 1;
  mode.f32_denormal_results = rsrc1 >> 17 & 1;
  mode.f16_denormal_sources = rsrc1 >> 18 & 1;
  mode.f16_denormal_results = rsrc1 >> 19 & 1;
  mode.clamp_nan = rsrc1 >> 21 & 1;
  mode.ieee = rsrc1 >> 23 & 1;
  return mode;
}

// What the disassembler reads from and writes to.
struct reader {
  const std::byte* bytes;
  u64 size;
  std::string line;
};
u64 read_bytes(u64 from, char* to, u64 size, void* user) {
  const auto* r = static_cast<reader*>(user);
  if (from >= r->size) return 0;
  size = std::min(size, r->size - from);
  std::memcpy(to, r->bytes + from, size);
  return size;
}
void take_line(const char* text, void* user) { static_cast<reader*>(user)->line = text; }
void take_address(u64, void*) {}

}  // namespace

result<std::shared_ptr<const image>> image::load(std::span<const std::byte> code_object, const std::string& arch,
                                                 std::shared_ptr<memory_map> memory) {
  auto made = std::make_shared<image>();
  made->arch_ = arch;
  if (status s = made->place(code_object); !s.ok()) return s;
  if (status s = made->decode(); !s.ok()) return s;
  memory->add(made->memory_.get(), made->size_, access::read_write);
  made->map_ = std::move(memory);
  return std::shared_ptr<const image>(std::move(made));
}

image::~image() {
  if (map_ != nullptr) map_->remove(memory_.get());
}

status image::place(std::span<const std::byte> code_object) {
  auto parsed = elf_view::parse(code_object);
  if (!parsed) return parsed.status();
  const elf_view& elf = *parsed;
  for (const elf_view::section& s : elf.sections()) {
    if (s.address != 0) size_ = std::max<std::size_t>(size_, s.address + s.size);
  }
  if (size_ == 0 || size_ > (std::size_t{1} << 30)) return {code::corrupt, "the code object has nothing to load"};
  memory_ = std::make_unique<std::byte[]>(size_);
  for (const elf_view::section& s : elf.sections()) {
    if (s.address != 0 && !s.bytes.empty()) std::memcpy(memory_.get() + s.address, s.bytes.data(), s.bytes.size());
  }
  auto notes = read_kernel_notes(code_object);
  for (const elf_view::symbol& s : elf.symbols()) {
    if (s.value >= size_ || s.size > size_ - s.value) continue;
    if (s.type == k_function && s.size > 0) functions_.push_back({s.value, s.size});
    if (s.type != k_object) continue;
    std::string name(s.name);
    if (s.size != k_descriptor_bytes || !s.name.ends_with(k_descriptor_suffix)) {
      variables_[name] = {s.value, s.size};
      continue;
    }
    name.resize(name.size() - k_descriptor_suffix.size());
    if (const auto whose = hip::read_code_object(code_object, name); whose && whose->arch != arch_) {
      return {code::unsupported, "the code object is for " + whose->arch + ", the machine is " + arch_};
    }
    kernel_entry kernel;
    if (const auto found = notes.find(name); found != notes.end()) kernel.facts = found->second;
    kernel.facts.name = name;
    const std::span<const std::byte> block(memory_.get() + s.value, k_descriptor_bytes);
    u32 rsrc1 = 0;
    i64 entry = 0;
    read_at(block, 0, kernel.facts.lds_bytes);
    read_at(block, 4, kernel.facts.scratch_bytes);
    read_at(block, 8, kernel.facts.kernarg_bytes);
    read_at(block, 16, entry);
    read_at(block, 48, rsrc1);
    read_at(block, 52, kernel.resources);
    read_at(block, 56, kernel.properties);
    kernel.mode = mode_of(rsrc1);
    kernel.nearest = (rsrc1 >> 12 & 15) == 0;
    starts_[name] = s.value + static_cast<u64>(entry);
    kernels_[name] = std::move(kernel);
  }
  if (kernels_.empty()) return {code::corrupt, "the code object holds no kernel"};
  return {};
}

status image::decode() {
  const comgr_library& comgr = comgr_library::get();
  if (!comgr.usable.ok()) return comgr.usable;
  const std::string isa = "amdgcn-amd-amdhsa--" + arch_;
  hip::comgr_disassembly disassembly{};
  if (comgr.call.create_disassembly(isa.c_str(), read_bytes, take_line, take_address, &disassembly) != hip::success) {
    return {code::unsupported, "the disassembler does not know " + isa};
  }
  reader r{memory_.get(), size_, {}};
  for (const range& f : functions_) {
    for (u64 at = f.begin; at < f.begin + f.size && !index_.contains(at);) {
      u64 size = 0;
      r.line.clear();
      const bool read = comgr.call.disassemble(disassembly, at, &r, &size) == hip::success && size != 0;
      instruction i = parse_instruction(read ? r.line : "bytes that are no instruction");
      i.pc = at;
      i.size = static_cast<u8>(read ? size : 4);
      std::memcpy(&i.word, memory_.get() + at, std::min<u64>(4, size_ - at));
      index_.emplace(at, static_cast<int>(code_.size()));
      at += i.size;
      code_.push_back(std::move(i));
    }
    // A kernel that runs past its end is caught here instead of running on into the next function.
    code_.push_back(parse_instruction("the end of the function without s_endpgm"));
    code_.back().pc = f.begin + f.size;
  }
  comgr.call.destroy_disassembly(disassembly);
  for (instruction& i : code_) {
    if (i.kind == op_class::branch) i.target = index_at(i.pc + 4 + static_cast<u64>(i64{i.immediate()} * 4));
  }
  for (auto& [name, kernel] : kernels_) kernel.first = index_at(starts_[name]);
  return {};
}

int image::index_at(u64 pc) const {
  const auto found = index_.find(pc);
  return found == index_.end() ? -1 : found->second;
}

std::vector<std::string> image::kernels() const {
  std::vector<std::string> names;
  for (const auto& [name, kernel] : kernels_) names.push_back(name);
  return names;
}

const kernel_entry* image::entry(std::string_view kernel) const noexcept {
  const auto found = kernels_.find(kernel);
  return found == kernels_.end() ? nullptr : &found->second;
}

const kernel_facts* image::find(std::string_view kernel) const noexcept {
  const kernel_entry* found = entry(kernel);
  return found == nullptr ? nullptr : &found->facts;
}

std::span<std::byte> image::variable(std::string_view name) const noexcept {
  const auto found = variables_.find(name);
  if (found == variables_.end()) return {};
  return {memory_.get() + found->second.begin, found->second.size};
}

}  // namespace rowsmith::gcn
