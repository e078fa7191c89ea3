#include "backend/null/null_backend.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <cstring>

#include "base/no_destructor.h"

namespace rowsmith {
namespace null {

counters& the_counters() noexcept {
  static no_destructor<counters> all;
  return *all;
}

std::string marker(const source& s, const traits& target) {
  return fmt::format("rowsmith null binary\ntarget {}\nentry {}\ntext {} bytes\n", target.arch, s.entry, s.text.size());
}

namespace {

// sm_90's geometry, so that plans are the ones a Hopper card gets.
rowsmith::traits hopper(std::string_view arch) {
  rowsmith::traits t;
  t.vendor = device_kind::null;
  t.arch = std::string(arch);
  t.wave = 32;
  t.max_threads = 1024;
  t.shared_bytes = 227 << 10;
  t.unit_shared_bytes = 228 << 10;
  t.registers = 255;
  t.unit_registers = 65536;
  t.unit_threads = 2048;
  t.bulk_copy = true;
  t.largest_cluster = 16;
  return t;
}

status no_device(int index) {
  return status(code::not_found, fmt::format("null: device {} was asked for, there is only device 0", index));
}

class null_kernel final : public loaded_kernel {
 public:
  status launch(std::int64_t blocks, const void*, std::size_t, stream) const noexcept override {
    counters& all = the_counters();
    if (!all.counting.load(std::memory_order_relaxed)) return {};
    all.launches.fetch_add(1, std::memory_order_relaxed);
    all.blocks.store(blocks, std::memory_order_relaxed);
    return {};
  }
};

class null_backend final : public backend {
 public:
  device_kind kind() const noexcept override { return device_kind::null; }

  std::vector<library_probe> probe() override { return {}; }

  int device_count() noexcept override { return 1; }

  result<device_info> describe(int index) override {
    if (index != 0) return no_device(index);
    device_info d;
    d.traits = hopper("null");
    d.card.name = "null";
    d.card.units = 132;
    d.card.l2_bytes = std::int64_t{50} << 20;
    d.card.memory_bytes = std::int64_t{80} << 30;
    return d;
  }

  // "null" is Hopper without a name; "null:wave64" has waves of 64 lanes and no bulk copy, as AMD's CDNA.
  result<rowsmith::traits> traits_of(std::string_view target) const override {
    if (target == "null") return hopper(target);
    if (target == "null:wave64") {
      rowsmith::traits t = hopper(target);
      t.wave = 64;
      t.shared_bytes = t.unit_shared_bytes = 64 << 10;
      t.registers = 256;
      t.bulk_copy = false, t.largest_cluster = 1;
      return t;
    }
    return status(code::invalid_argument,
                  fmt::format("target: \"{}\" is not a null device; \"null\" and \"null:wave64\" are", target));
  }

  result<compiler_id> compiler(const rowsmith::traits&) override { return compiler_id{"null", "1", "null"}; }

  result<binary> compile(const source& s, const rowsmith::traits& target) override {
    the_counters().compiles.fetch_add(1, std::memory_order_relaxed);
    const std::string text = marker(s, target);
    const auto* first = reinterpret_cast<const std::byte*>(text.data());
    return binary{bytes(first, first + text.size()), {}, 0};
  }

  status check(std::span<const std::byte> code, const rowsmith::traits& target, std::string_view entry) const override {
    const std::string_view text(reinterpret_cast<const char*>(code.data()), code.size());
    const std::string wanted = fmt::format("rowsmith null binary\ntarget {}\nentry {}\n", target.arch, entry);
    if (text.starts_with(wanted) && text.ends_with(" bytes\n")) return {};
    return status(code::corrupt, fmt::format("binary: not the null binary of \"{}\" for {}", entry, target.arch));
  }

  result<code_report> report(std::span<const std::byte> code, const rowsmith::traits& target,
                             std::string_view entry) const override {
    if (status s = check(code, target, entry); !s) return s;
    return code_report{};
  }

  result<std::unique_ptr<loaded_kernel>> load(int index, std::span<const std::byte>, const launch_plan&) override {
    if (index != 0) return no_device(index);
    the_counters().loads.fetch_add(1, std::memory_order_relaxed);
    return std::unique_ptr<loaded_kernel>(std::make_unique<null_kernel>());
  }

  result<bool> capturing(int index, stream) override {
    if (index != 0) return no_device(index);
    return false;
  }

  // A call is over when it returns: any memory will do.
  result<void*> borrow(int index, std::size_t size, stream) noexcept override try {
    return allocate(index, size);
  } catch (const std::bad_alloc&) {
    return status(code::out_of_memory, "no host memory to borrow a workspace");
  }
  status give_back(int index, void* memory, stream) noexcept override { return release(index, memory); }

  result<void*> allocate(int index, std::size_t size) override {
    if (index != 0) return no_device(index);
    constexpr std::size_t line = 64;
    const std::size_t rounded = (size + line - 1) / line * line;
    void* p = rounded < size ? nullptr : std::aligned_alloc(line, rounded == 0 ? line : rounded);
    if (p == nullptr) return status(code::out_of_memory, fmt::format("null: {} bytes were not to be had", size));
    the_counters().allocated.fetch_add(1, std::memory_order_relaxed);
    return p;
  }

  status release(int index, void* memory) override {
    if (index != 0) return no_device(index);
    if (memory != nullptr) the_counters().allocated.fetch_sub(1, std::memory_order_relaxed);
    std::free(memory);
    return {};
  }

  status copy(int index, void* to, const void* from, std::size_t size) override {
    if (index != 0) return no_device(index);
    if (size != 0) std::memmove(to, from, size);
    return {};
  }

  status synchronize(int index, stream) override { return index == 0 ? status{} : no_device(index); }
};

}  // namespace
}  // namespace null

std::unique_ptr<backend> make_null_backend() { return std::make_unique<null::null_backend>(); }

}  // namespace rowsmith
