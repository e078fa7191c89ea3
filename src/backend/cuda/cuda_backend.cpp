// The CUDA backend: the door of backend.h on the driver API and NVRTC.
#include <algorithm>
#include <array>
#include <cstdint>

#include "backend/backend.h"
#include "backend/cuda/cubin.h"
#include "backend/cuda/driver.h"
#include "backend/cuda/kernel.h"
#include "backend/cuda/nvrtc.h"
#include "backend/cuda/target.h"

namespace rowsmith {
namespace {

using namespace cuda;  // NOLINT: this file is that backend

class cuda_backend final : public backend {
 public:
  device_kind kind() const noexcept override { return device_kind::cuda; }

  std::vector<library_probe> probe() override { return {driver::get().probe(), compiler().probe()}; }

  int device_count() noexcept override { return driver::get().device_count(); }

  result<device_info> describe(int index) override {
    driver& api = driver::get();
    auto device = api.device(index);
    if (!device) return device.status();
    auto arch = arch_of(*device);
    if (!arch) return arch.status();
    auto traits = cuda::traits_of(*arch);
    if (!traits) return traits.status();
    device_info info;
    info.traits = *traits;
    std::array<char, 256> name{};
    std::size_t memory = 0;
    int units = 0, l2 = 0;
    driver_result error = api.call().device_name(name.data(), static_cast<int>(name.size()), *device);
    if (error == success) error = api.call().device_total_memory(&memory, *device);
    if (error == success) error = api.call().device_attribute(&units, attribute_multiprocessors, *device);
    if (error == success) error = api.call().device_attribute(&l2, attribute_l2_bytes, *device);
    if (error != success) return api.failure(error, "describe the device");
    info.card = {name.data(), units, l2, static_cast<std::int64_t>(memory)};
    return info;
  }

  result<traits> traits_of(std::string_view target) const override { return cuda::traits_of(target); }

  result<compiler_id> compiler(const traits&) override { return compiler().identity(); }

  result<binary> compile(const source& s, const traits& target) override {
    // PTX for an unknown architecture makes sense only where a driver stands by to translate it for that very device.
    return compiler().compile(s, target.arch, [&] { return has_device_of(target.arch); });
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
    status asked = within(index, "tell whether the stream is being captured", [&](const driver_functions& call) {
      return call.stream_capturing(static_cast<stream_handle>(on.handle), &state);
    });
    // A stream in capture refuses to tell its device, so that it is asked only when it is in none.
    if (asked.ok() && state != capture_none) return true;
    if (status s = check_stream(index, on); !s.ok()) return s;
    if (!asked.ok()) return asked;
    return false;
  }

  result<void*> borrow(int index, std::size_t size, stream on) noexcept override try {
    device_pointer memory = 0;
    status s = within(index, "borrow a workspace", [&](const driver_functions& call) -> driver_result {
      if (call.allocate_async == nullptr || call.release_async == nullptr) return error_not_supported;
      return call.allocate_async(&memory, std::max<std::size_t>(size, 1), static_cast<stream_handle>(on.handle));
    });
    if (!s.ok()) return s;
    return reinterpret_cast<void*>(static_cast<std::uintptr_t>(memory));
  } catch (const std::bad_alloc&) {
    return status(code::out_of_memory, "no host memory to borrow a workspace");
  }

  status give_back(int index, void* memory, stream on) noexcept override try {
    return within(index, "give a workspace back", [&](const driver_functions& call) {
      return call.release_async(address(memory), static_cast<stream_handle>(on.handle));
    });
  } catch (const std::bad_alloc&) {
    return status(code::device_error, "a workspace cannot be given back");
  }

  result<void*> allocate(int index, std::size_t size) override {
    device_pointer memory = 0;
    status s = within(index, "allocate " + std::to_string(size) + " bytes", [&](const driver_functions& call) {
      return call.allocate(&memory, std::max<std::size_t>(size, 1));
    });
    if (!s.ok()) return s;
    return reinterpret_cast<void*>(static_cast<std::uintptr_t>(memory));
  }

  status release(int index, void* memory) override {
    if (memory == nullptr) return {};
    return within(index, "release memory", [&](const driver_functions& call) { return call.release(address(memory)); });
  }

  status copy(int index, void* to, const void* from, std::size_t size) override {
    if (size == 0) return {};
    return within(index, "copy " + std::to_string(size) + " bytes", [&](const driver_functions& call) {
      const driver_result error = call.copy(address(to), address(from), size);
      return error != success ? error : call.stream_synchronize(nullptr);  // device to device returns early
    });
  }

  status synchronize(int index, stream on) override {
    return within(index, "finish the stream's work", [&](const driver_functions& call) {
      return call.stream_synchronize(static_cast<stream_handle>(on.handle));
    });
  }

 private:
  static device_pointer address(const void* memory) { return reinterpret_cast<std::uintptr_t>(memory); }

  nvrtc& compiler() {
    std::call_once(
        found_, [this] { nvrtc_ = std::make_unique<nvrtc>(nvrtc::usual_candidates(), &nvrtc::searched_candidates); });
    return *nvrtc_;
  }

  static result<std::string> arch_of(device_handle device) {
    driver& api = driver::get();
    int major = 0, minor = 0;
    driver_result error = api.call().device_attribute(&major, attribute_capability_major, device);
    if (error == success) error = api.call().device_attribute(&minor, attribute_capability_minor, device);
    if (error != success) return api.failure(error, "tell the device's architecture");
    return "sm_" + std::to_string(major * 10 + minor);
  }

  static bool has_device_of(const std::string& arch) {
    driver& api = driver::get();
    for (int i = 0; i < api.device_count(); ++i) {
      auto device = api.device(i);
      if (!device) continue;
      auto found = arch_of(*device);
      if (found && *found == arch) return true;
    }
    return false;
  }

  // Runs one driver call in the device's primary context.
  template <class F>
  static status within(int index, const std::string& doing, F call) {
    driver& api = driver::get();
    auto primary = api.primary(index);
    if (!primary) return primary.status();
    const current_context scope(api.call(), *primary);
    const driver_result error = scope.error() != success ? scope.error() : call(api.call());
    return error == success ? status() : api.failure(error, doing);
  }

  std::once_flag found_;
  std::unique_ptr<nvrtc> nvrtc_;
};

}  // namespace

std::unique_ptr<backend> make_cuda_backend() { return std::make_unique<cuda_backend>(); }

}  // namespace rowsmith
