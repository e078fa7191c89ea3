// The HIP backend: the door of backend.h on the HIP runtime, hipRTC and comgr, of AMD or of Hygon.
#include <algorithm>
#include <array>
#include <cstdint>

#include "backend/backend.h"
#include "backend/hip/code_object.h"
#include "backend/hip/compile_apart.h"
#include "backend/hip/kernel.h"
#include "backend/hip/runtime.h"
#include "backend/hip/target.h"
#include "backend/hip/toolchain.h"

namespace rowsmith {
namespace {

using namespace hip;  // NOLINT: this file is that backend

class hip_backend final : public backend {
 public:
  device_kind kind() const noexcept override { return device_kind::hip; }

  std::vector<library_probe> probe() override { return {runtime::get().probe(), compilers_.probe()}; }

  int device_count() noexcept override { return runtime::get().device_count(); }

  result<device_info> describe(int index) override {
    runtime& api = runtime::get();
    auto arch = api.arch_of(index);
    if (!arch) return arch.status();
    auto traits = hip::traits_of(*arch);
    if (!traits) return traits.status();
    const runtime_functions& call = api.call();
    device_handle device = 0;
    std::array<char, 256> name{};
    std::size_t memory = 0;
    int units = 0, l2 = 0, wave = 0;
    runtime_result error = call.device_get(&device, index);
    if (error == success) error = call.device_name(name.data(), static_cast<int>(name.size()), device);
    if (error == success) error = call.device_total_memory(&memory, device);
    if (error == success) error = call.device_attribute(&units, attribute_multiprocessors, index);
    if (error == success) error = call.device_attribute(&wave, attribute_warp_size, index);
    if (error != success) return api.failure(error, "describe the device");
    if (call.device_attribute(&l2, attribute_l2_bytes, index) != success) l2 = 0;
    device_info info;
    info.traits = *traits;
    if (wave == 32 || wave == 64) info.traits.wave = wave;  // the device knows better than its name
    info.card = {name.data(), units, l2, static_cast<std::int64_t>(memory)};
    return info;
  }

  result<traits> traits_of(std::string_view target) const override { return hip::traits_of(target); }

  result<compiler_id> compiler(const traits& target) override { return compilers_.identity(target.arch); }

  result<binary> compile(const source& s, const traits& target) override { return compilers_.compile(s, target.arch); }
  result<binary> compile_apart(const source& s, const traits& target) override {
    return hip::compile_apart(compilers_, s, target.arch);
  }

  status check(std::span<const std::byte> code, const traits& target, std::string_view entry) const override {
    return check_code(code, target.arch, entry);
  }

  result<code_report> report(std::span<const std::byte> code, const traits& target,
                             std::string_view entry) const override {
    return report_code(code, target.arch, entry);
  }

  result<std::unique_ptr<loaded_kernel>> load(int index, std::span<const std::byte> code,
                                              const launch_plan& how) override {
    return load_kernel(index, code, how);
  }

  result<bool> capturing(int index, stream on) override {
    int state = capture_none;
    status asked = within(index, "tell whether the stream is being captured", [&](const runtime_functions& call) {
      // The null stream is never captured, and some versions do not take it here.
      return on.handle == nullptr ? success : call.stream_capturing(static_cast<stream_handle>(on.handle), &state);
    });
    if (!asked.ok()) return asked;
    if (status s = check_stream(index, on); !s.ok()) return s;
    return state != capture_none;
  }

  result<void*> borrow(int index, std::size_t size, stream on) noexcept override try {
    void* memory = nullptr;
    status s = within(index, "borrow a workspace", [&](const runtime_functions& call) -> runtime_result {
      if (call.allocate_async == nullptr || call.release_async == nullptr) return error_not_supported;
      return call.allocate_async(&memory, std::max<std::size_t>(size, 1), static_cast<stream_handle>(on.handle));
    });
    if (!s.ok()) return s;
    return memory;
  } catch (const std::bad_alloc&) {
    return status(code::out_of_memory, "no host memory to borrow a workspace");
  }

  status give_back(int index, void* memory, stream on) noexcept override try {
    return within(index, "give a workspace back", [&](const runtime_functions& call) {
      return call.release_async(memory, static_cast<stream_handle>(on.handle));
    });
  } catch (const std::bad_alloc&) {
    return status(code::device_error, "a workspace cannot be given back");
  }

  result<void*> allocate(int index, std::size_t size) override {
    void* memory = nullptr;
    status s = within(index, "allocate " + std::to_string(size) + " bytes", [&](const runtime_functions& call) {
      return call.allocate(&memory, std::max<std::size_t>(size, 1));
    });
    if (!s.ok()) return s;
    return memory;
  }

  status release(int index, void* memory) override {
    if (memory == nullptr) return {};
    return within(index, "release memory", [&](const runtime_functions& call) { return call.release(memory); });
  }

  status copy(int index, void* to, const void* from, std::size_t size) override {
    if (size == 0) return {};
    return within(index, "copy " + std::to_string(size) + " bytes", [&](const runtime_functions& call) {
      const runtime_result error = call.copy(to, from, size, copy_default);
      return error != success ? error : call.stream_synchronize(nullptr);  // device to device returns early
    });
  }

  status synchronize(int index, stream on) override {
    return within(index, "finish the stream's work", [&](const runtime_functions& call) {
      return call.stream_synchronize(static_cast<stream_handle>(on.handle));
    });
  }

 private:
  // Runs one call of the runtime with the device current.
  template <class F>
  static status within(int index, const std::string& doing, F call) {
    runtime& api = runtime::get();
    if (status s = api.has_device(index); !s.ok()) return s;
    const current_device scope(api.call(), index);
    const runtime_result error = scope.error() != success ? scope.error() : call(api.call());
    return error == success ? status() : api.failure(error, doing);
  }

  toolchain compilers_;
};

}  // namespace

std::unique_ptr<backend> make_hip_backend() { return std::make_unique<hip_backend>(); }

}  // namespace rowsmith
