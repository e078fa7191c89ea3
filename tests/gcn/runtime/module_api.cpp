// Code objects and launches.
#include <algorithm>
#include <cstring>

#include "gcn/runtime/dtk_image.h"
#include "gcn/runtime/world.h"

using namespace hipsim;
namespace gcn = rowsmith::gcn;

namespace {

constexpr int unit_registers = 256, waves_a_simd = 10, simds = 4, lanes = 64;
constexpr std::size_t shared_limit = 64 << 10;

// A code object tells its own length by where its section headers end: hipModuleLoadData is given none.
std::size_t length_of(const unsigned char* image) {
  std::uint64_t offset = 0;
  std::uint16_t size = 0, count = 0;
  std::memcpy(&offset, image + 40, sizeof offset);
  std::memcpy(&size, image + 58, sizeof size);
  std::memcpy(&count, image + 60, sizeof count);
  return offset + std::size_t{size} * count;
}

// Whatever looks like an instruction with DPP of row_mirror gets row_half_mirror.
void turn_half_rows(std::vector<std::byte>& image) {
  constexpr std::uint32_t is_dpp = 0xfa, mirror = 0x140, half_mirror = 0x141;
  for (std::size_t at = 0; at + 8 <= image.size(); at += 4) {
    std::uint32_t first = 0, control = 0;
    std::memcpy(&first, image.data() + at, sizeof first);
    std::memcpy(&control, image.data() + at + 4, sizeof control);
    if ((first & 0x1ff) != is_dpp || (control >> 8 & 0x1ff) != mirror) continue;
    control ^= (mirror ^ half_mirror) << 8;
    std::memcpy(image.data() + at + 4, &control, sizeof control);
  }
}

error load(world& w, void** to, const void* image) {
  *to = nullptr;
  if (w.scheduler.forbidden_by_capture()) return capture_unsupported;
  const auto* begin = static_cast<const unsigned char*>(image);
  if (begin == nullptr || std::memcmp(begin, "\177ELF", 4) != 0) return invalid_image;
  std::vector<std::byte> copy(length_of(begin));
  std::memcpy(copy.data(), image, copy.size());
  if (is_dtk && !rename_target(copy, arch(), executed_arch())) return no_binary_for_gpu;
  if (wrong()) turn_half_rows(copy);
  auto m = std::make_unique<module>();
  m->device = current_device();
  auto loaded = w.machines[static_cast<std::size_t>(m->device)]->load(copy);
  if (!loaded) {
    w.complain(loaded.status().to_string());
    return loaded.status().error() == rowsmith::code::corrupt ? invalid_image : no_binary_for_gpu;
  }
  m->program = *loaded;
  return *to = m.release(), ok;
}

// The argument block: the caller's values by position, then what the runtime adds.
error gather(const function& f, const std::uint32_t grid[3], const std::uint32_t block[3], void** parameters,
             void** extra, std::vector<std::byte>& to) {
  constexpr std::uintptr_t buffer_pointer = 1, buffer_size = 2, end = 3;
  to.assign(f.facts->kernarg_bytes, std::byte{0});
  if (extra != nullptr) {
    const void* from = nullptr;
    std::size_t size = 0;
    for (; reinterpret_cast<std::uintptr_t>(*extra) != end; extra += 2) {
      if (reinterpret_cast<std::uintptr_t>(*extra) == buffer_pointer) from = extra[1];
      if (reinterpret_cast<std::uintptr_t>(*extra) == buffer_size) std::memcpy(&size, extra[1], sizeof size);
    }
    if (from == nullptr || size > to.size()) return invalid_value;
    std::memcpy(to.data(), from, size);
  }
  std::size_t position = 0;
  for (const gcn::kernel_argument& a : f.facts->arguments) {
    if (a.offset + a.size > to.size()) return invalid_value;
    std::byte* at = to.data() + a.offset;
    const bool hidden = a.kind.rfind("hidden_", 0) == 0;
    if (!hidden) {
      if (parameters != nullptr) std::memcpy(at, parameters[position++], a.size);
      continue;
    }
    const auto put = [&](std::uint64_t value) { std::memcpy(at, &value, std::min<std::size_t>(a.size, sizeof value)); };
    const auto axis = static_cast<std::size_t>(a.kind.back() - 'x');
    if (a.kind.rfind("hidden_block_count_", 0) == 0) put(grid[axis]);
    if (a.kind.rfind("hidden_group_size_", 0) == 0) put(block[axis]);
    if (a.kind == "hidden_grid_dims") put(grid[2] > 1 ? 3 : grid[1] > 1 ? 2 : 1);
  }
  return ok;
}

error run(world& w, const function& f, const gcn::dispatch& how) {
  auto counts = w.machines[static_cast<std::size_t>(f.of->device)]->run(how);
  ++w.launches;
  if (counts) {
    w.instructions += counts->instructions();
    w.histogram_of(f.facts->name) += *counts;
    return ok;
  }
  w.complain(counts.status().message());
  return counts.status().error() == rowsmith::code::device_error ? illegal_address : launch_failure;
}

error launch(world& w, const function* f, const std::uint32_t grid[3], const std::uint32_t block[3], unsigned shared,
             void* handle, void** parameters, void** extra) {
  if (f == nullptr) return invalid_handle;
  stream* s = w.scheduler.find(handle, current_device());
  if (s == nullptr || s->device != f->of->device) return invalid_handle;
  std::uint64_t threads = 1;
  for (int i = 0; i < 3; ++i) {
    if (grid[i] == 0 || block[i] == 0) return invalid_configuration;
    if (std::uint64_t{grid[i]} * block[i] > 0xffffffffu) return invalid_configuration;
    threads *= block[i];
  }
  if (threads > f->facts->max_threads) return launch_failure;
  if (shared + f->facts->lds_bytes > shared_limit) return invalid_value;
  auto arguments = std::make_shared<std::vector<std::byte>>();
  if (const error e = gather(*f, grid, block, parameters, extra, *arguments)) return e;
  gcn::dispatch how;
  how.program = f->of->program.get();
  how.kernel = f->facts->name;
  w.kernels.insert(how.kernel);
  std::copy_n(grid, 3, how.grid);
  std::copy_n(block, 3, how.block);
  how.dynamic_lds = shared;
  how.threads = host_threads();
  how.perturb_transcendentals = perturbation() != 0;
  how.seed = perturbation() != 0 ? perturbation() : wave_order();
  // The program lives as long as work refers to it, whatever becomes of its module.
  return w.scheduler.enqueue(*s, [&w, f, how, arguments, keep = f->of->program]() mutable {
    how.kernarg = *arguments;
    return run(w, *f, how);
  });
}

}  // namespace

HIPSIM_API error hipModuleLoadData(void** to, const void* image) {
  return call([&](world& w) { return load(w, to, image); });
}
HIPSIM_API error hipModuleLoadDataEx(void** to, const void* image, unsigned, int*, void**) {
  return hipModuleLoadData(to, image);
}
HIPSIM_API error hipModuleUnload(void* handle) {
  return call([&](world& w) -> error {
    if (w.scheduler.forbidden_by_capture()) return capture_unsupported;
    auto* m = static_cast<module*>(handle);
    (void)w.scheduler.synchronize_device(m->device);
    delete m;
    return ok;
  });
}
HIPSIM_API error hipModuleGetFunction(void** to, void* handle, const char* name) {
  return call([&](world&) -> error {
    auto* m = static_cast<module*>(handle);
    const gcn::kernel_facts* facts = m->program->find(name);
    if (facts == nullptr) return not_found;
    m->functions.push_back(std::make_unique<function>(function{m, facts}));
    return *to = m->functions.back().get(), ok;
  });
}
HIPSIM_API error hipModuleGetGlobal(void** to, std::size_t* bytes, void* handle, const char* name) {
  return call([&](world&) -> error {
    const std::span<std::byte> found = static_cast<module*>(handle)->program->variable(name);
    if (found.empty()) return not_found;
    return *to = found.data(), *bytes = found.size(), ok;
  });
}
HIPSIM_API error hipFuncGetAttribute(int* value, int which, void* handle) {
  return call([&](world&) -> error {
    const gcn::kernel_facts& facts = *static_cast<function*>(handle)->facts;
    switch (which) {
      case 0:
        return *value = static_cast<int>(facts.max_threads), ok;
      case 1:
        return *value = static_cast<int>(facts.lds_bytes), ok;
      case 3:
        return *value = static_cast<int>(facts.scratch_bytes), ok;
      case 4:
        return *value = static_cast<int>(facts.vgprs), ok;
      default:
        return *value = 0, ok;
    }
  });
}
HIPSIM_API error hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void* handle, int threads,
                                                                    std::size_t dynamic_shared) {
  return call([&](world&) -> error {
    const gcn::kernel_facts& facts = *static_cast<function*>(handle)->facts;
    if (threads <= 0) return invalid_value;
    const int granted = static_cast<int>((std::max(facts.vgprs, 1u) + 3) / 4 * 4);
    const int by_registers = std::min(unit_registers / granted, waves_a_simd) * simds / ((threads + lanes - 1) / lanes);
    const std::size_t shared = facts.lds_bytes + dynamic_shared;
    const int by_shared = shared == 0 ? by_registers : static_cast<int>(shared_limit / shared);
    return *blocks = std::min(by_registers, by_shared), ok;
  });
}
HIPSIM_API error hipModuleLaunchKernel(void* handle, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                       unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared, void* on,
                                       void** parameters, void** extra) {
  return call([&](world& w) {
    const std::uint32_t grid[3] = {grid_x, grid_y, grid_z}, block[3] = {block_x, block_y, block_z};
    return launch(w, static_cast<function*>(handle), grid, block, shared, on, parameters, extra);
  });
}
