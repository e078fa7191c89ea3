#include "scripted_backend.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <charconv>
#include <chrono>
#include <new>
#include <thread>

namespace rowsmith::test {

script& the_script() {
  static script* const shared =
      ::new (::mmap(nullptr, sizeof(script), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) script;
  return *shared;
}

namespace {

class scripted_kernel final : public loaded_kernel {
 public:
  explicit scripted_kernel(int version) : version_(version) {}
  status launch(std::int64_t, const void*, std::size_t, stream) const noexcept override {
    ++(version_ == 0 ? the_script().fallback_launches : the_script().kernel_launches);
    the_script().last_version = version_;
    return {};
  }

 private:
  int version_;  // 0: the fallback
};

// True so many times as it says.
bool take_one(std::atomic<int>* left) {
  int n = left->load();
  while (n > 0 && !left->compare_exchange_weak(n, n - 1)) {
  }
  return n > 0;
}

class scripted_backend final : public backend {
 public:
  device_kind kind() const noexcept override { return device_kind::null; }
  std::vector<library_probe> probe() override { return {}; }
  int device_count() noexcept override { return 1; }
  result<device_info> describe(int index) override {
    if (index != 0) return status(code::not_found, "null: there is only device 0");
    device_info d;
    d.traits = *traits_of("null");
    d.card.units = 100;
    return d;
  }
  static std::string build() { return fmt::format("build {}", the_script().compiler_version.load()); }
  result<traits> traits_of(std::string_view) const override {
    traits t;
    t.vendor = device_kind::null;
    t.arch = "null";
    t.wave = 32;
    t.max_threads = 1024;
    t.shared_bytes = 227 << 10;
    t.unit_shared_bytes = 228 << 10;
    t.registers = 255;
    t.unit_registers = 65536;
    t.unit_threads = 2048;
    return t;
  }
  result<compiler_id> compiler(const traits&) override {
    ++the_script().asked;
    if (!the_script().has_compiler) return status(code::not_found, "no compiler");
    return compiler_id{"script", std::to_string(the_script().compiler_version), build()};
  }
  std::string compiler_build(const traits&) override {
    return the_script().files_tell_the_build ? build() : std::string();
  }
  result<binary> compile(const source& s, const traits&) override {
    script& now = the_script();
    const int with_me = ++now.compiling;
    for (int most = now.most_compiling; most < with_me && !now.most_compiling.compare_exchange_weak(most, with_me);) {
    }
    ++now.compiles;
    std::this_thread::sleep_for(std::chrono::milliseconds(now.compile_ms));
    --now.compiling;
    if (now.compiler_fails)
      return status(code::compile_failed, "the script says no").with_detail("line 1: the log of it");
    const std::string text = fmt::format("{} {}", now.compiler_version.load(), s.entry);
    const auto* first = reinterpret_cast<const std::byte*>(text.data());
    return binary{bytes(first, first + text.size()), {}, 0};
  }
  status check(std::span<const std::byte> code, const traits&, std::string_view entry) const override {
    const std::string_view text(reinterpret_cast<const char*>(code.data()), code.size());
    return text.ends_with(entry) ? status() : status(code::corrupt, "not this kernel");
  }
  result<code_report> report(std::span<const std::byte>, const traits&, std::string_view) const override {
    return code_report{};
  }
  result<std::unique_ptr<loaded_kernel>> load(int, std::span<const std::byte> code, const launch_plan&) override {
    if (take_one(&the_script().loads_without_memory)) return status(code::out_of_memory, "the device is full");
    int version = 0;
    const auto* text = reinterpret_cast<const char*>(code.data());
    std::from_chars(text, text + code.size(), version);
    return std::unique_ptr<loaded_kernel>(std::make_unique<scripted_kernel>(version));
  }
  result<bool> capturing(int, stream) override { return the_script().capturing.load(); }
  result<void*> borrow(int, std::size_t, stream) noexcept override {
    if (take_one(&the_script().borrows_without_memory)) return status(code::out_of_memory, "the device is full");
    ++the_script().borrowed;
    return static_cast<void*>(this);
  }
  status give_back(int, void*, stream) noexcept override { return ++the_script().given_back, status(); }
  result<void*> allocate(int, std::size_t) override { return status(code::unsupported, "null: no memory"); }
  status release(int, void*) override { return {}; }
  status copy(int, void*, const void*, std::size_t) override { return {}; }
  status synchronize(int, stream) override { return {}; }
};

}  // namespace
}  // namespace rowsmith::test

namespace rowsmith {

std::unique_ptr<backend> make_null_backend() { return std::make_unique<test::scripted_backend>(); }

}  // namespace rowsmith
