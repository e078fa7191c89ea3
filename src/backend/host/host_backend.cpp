#include "backend/host/host_backend.h"

#include <fmt/format.h>
#include <oneapi/tbb/info.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>

#include "backend/host/compiler.h"
#include "backend/host/elf.h"
#include "backend/host/features.h"
#include "backend/host/host_kernel.h"
#include "backend/host/module.h"
#include "backend/host/scalar.h"

namespace rowsmith {
namespace host {
namespace {

constexpr std::size_t line_bytes = 64;
constexpr std::size_t huge_page = std::size_t{2} << 20;

status no_device(int index) {
  return status(code::not_found, fmt::format("host: device {} was asked for, there is only device 0", index));
}

class host_backend final : public backend {
 public:
  explicit host_backend(settings s) : settings_(std::move(s)) {}

  device_kind kind() const noexcept override { return device_kind::host; }

  std::vector<library_probe> probe() override {
    (void)the_compiler();
    const std::lock_guard lock(mutex_);
    return {probe_};
  }

  int device_count() noexcept override { return 1; }

  result<device_info> describe(int index) override {
    if (index != 0) return no_device(index);
    result<rowsmith::traits> t = target_traits("host");
    if (!t) return t.status();
    device_info d;
    d.traits = std::move(*t);
    d.card.name = cpu_name();
    d.card.units = std::max(1, tbb::info::default_concurrency());
    d.card.l2_bytes = std::max(0L, ::sysconf(_SC_LEVEL2_CACHE_SIZE));
    d.card.memory_bytes = std::int64_t{::sysconf(_SC_PHYS_PAGES)} * ::sysconf(_SC_PAGESIZE);
    return d;
  }

  result<rowsmith::traits> traits_of(std::string_view target) const override { return target_traits(target); }

  result<compiler_id> compiler(const rowsmith::traits&) override {
    const result<host::compiler> found = the_compiler();
    if (!found) return found.status();
    return found->id;
  }

  std::string compiler_build(const rowsmith::traits&) override {
    const std::lock_guard lock(mutex_);
    if (compiler_) return *compiler_ ? (*compiler_)->id.build : std::string();
    if (!build_) build_ = build_by_files(candidates());
    return *build_;
  }

  result<binary> compile(const source& s, const rowsmith::traits& target) override {
    const result<host::compiler> found = the_compiler();
    if (!found) return found.status();
    return host::compile(*found, s, target);
  }

  status check(std::span<const std::byte> code, const rowsmith::traits& target, std::string_view entry) const override {
    return check_shared_object(code, machine_of(target.arch), entry);
  }

  // Host machine code is not taken apart: only what is true of every host kernel is said.
  result<code_report> report(std::span<const std::byte> code, const rowsmith::traits& target,
                             std::string_view entry) const override {
    if (status s = check(code, target, entry); !s) return s;
    code_report r;
    r.shared_bytes = 0;
    r.barriers = 0;
    return r;
  }

  // Empty code with mechanism::scalar means the kernel `how.entry` that is compiled into the library.
  result<std::unique_ptr<loaded_kernel>> load(int index, std::span<const std::byte> code,
                                              const launch_plan& how) override {
    if (index != 0) return no_device(index);
    if (code.empty() && how.how == mechanism::scalar) {
      const row_function f = compiled_in(how.entry);
      if (f == nullptr) {
        return status(code::not_found, fmt::format("host: no kernel \"{}\" is compiled in", how.entry));
      }
      return std::unique_ptr<loaded_kernel>(std::make_unique<host_kernel>(f, how.rows_per_block, std::nullopt));
    }
    if (status s = check_shared_object(code, machine_of(native_target()), how.entry); !s) return s;
    result<module> m = module::load(code);
    if (!m) return m.status();
    const auto f = reinterpret_cast<row_function>(m->symbol(how.entry.c_str()));
    if (f == nullptr) return status(code::corrupt, fmt::format("binary: the loader does not see \"{}\"", how.entry));
    return std::unique_ptr<loaded_kernel>(std::make_unique<host_kernel>(f, how.rows_per_block, std::move(*m)));
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
    // Large tensors get whole huge pages where the system gives them: a stream over 4 KiB pages waits on the TLB.
    const std::size_t unit = size >= 4 * huge_page ? huge_page : line_bytes;
    const std::size_t rounded = (std::max<std::size_t>(size, 1) + unit - 1) / unit * unit;
    void* p = rounded < size ? nullptr : std::aligned_alloc(unit, rounded);
    if (p == nullptr) return status(code::out_of_memory, fmt::format("host: {} bytes were not to be had", size));
    if (unit == huge_page) (void)::madvise(p, rounded, MADV_HUGEPAGE);
    return p;
  }

  status release(int index, void* memory) override {
    if (index != 0) return no_device(index);
    std::free(memory);
    return {};
  }

  status copy(int index, void* to, const void* from, std::size_t size) override {
    if (index != 0) return no_device(index);
    if (size != 0) std::memmove(to, from, size);
    return {};
  }

  status synchronize(int index, stream) override { return index == 0 ? status{} : no_device(index); }

 private:
  std::vector<std::string> candidates() const {
    return settings_.compilers.empty() ? default_candidates() : settings_.compilers;
  }

  // Looked for once per backend: a compiler that answers costs a process start.
  result<host::compiler> the_compiler() {
    const std::lock_guard lock(mutex_);
    if (!compiler_) compiler_ = find_compiler(candidates(), &probe_);
    return *compiler_;
  }

  const settings settings_;
  std::mutex mutex_;
  std::optional<result<host::compiler>> compiler_;
  std::optional<std::string> build_;  // as files tell it
  library_probe probe_;
};

}  // namespace

std::unique_ptr<backend> make_backend(settings s) { return std::make_unique<host_backend>(std::move(s)); }

}  // namespace host

std::unique_ptr<backend> make_host_backend() { return host::make_backend({}); }

}  // namespace rowsmith
