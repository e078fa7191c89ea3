#include "backend/cuda/kernel.h"

#include <cstring>
#include <limits>
#include <new>
#include <string>

#include "backend/cuda/cubin.h"
#include "backend/cuda/driver.h"
#include "base/failure.h"

namespace rowsmith::cuda {
namespace {

constexpr int k_portable_cluster = 8;

// The legacy and the per-thread default stream are small numbers, not objects.
bool is_object(stream on) noexcept { return reinterpret_cast<std::uintptr_t>(on.handle) > 2; }

// The device that a stream's context lives on, and that context.
driver_result home_of(const driver_functions& call, stream on, device_handle* device, context_handle* context) {
  const auto handle = static_cast<stream_handle>(on.handle);
  if (driver_result error = call.stream_context(handle, context)) return error;
  if (call.stream_device != nullptr) return call.stream_device(handle, device);
  const current_context scope(call, *context);
  return scope.error() != success ? scope.error() : call.context_device(device);
}

class cuda_kernel final : public loaded_kernel {
 public:
  cuda_kernel(driver& api, int index, context_handle primary, const launch_plan& how)
      : api_(api),
        index_(index),
        primary_(primary),
        threads_(static_cast<unsigned>(how.threads)),
        shared_(static_cast<unsigned>(how.dynamic_shared)),
        cluster_(static_cast<unsigned>(how.cluster)) {}
  ~cuda_kernel() override;

  status open(std::span<const std::byte> code, const launch_plan& how);
  status launch(std::int64_t blocks, const void* arguments, std::size_t size, stream on) const noexcept override;

 private:
  status set(int attribute, int value, const char* doing);
  driver_result enqueue(function_handle function, unsigned blocks, const void* arguments, stream on) const noexcept;
  status refuse(std::int64_t blocks, std::size_t size) const noexcept;
  status explain(driver_result error, unsigned blocks, const void* arguments, stream on) const noexcept;
  status explain_or_throw(driver_result error, unsigned blocks, const void* arguments, stream on) const;

  driver& api_;
  const int index_;
  const context_handle primary_;
  const unsigned threads_, shared_, cluster_;
  std::size_t parameter_bytes_ = 0;  // 0: not known
  library_handle library_ = nullptr;
  module_handle module_ = nullptr;
  kernel_handle kernel_ = nullptr;
  function_handle function_ = nullptr;
};

cuda_kernel::~cuda_kernel() {
  const driver_functions& call = api_.call();
  const current_context scope(call, primary_);
  if (library_ != nullptr) call.library_unload(library_);
  if (module_ != nullptr && scope.error() == success) call.module_unload(module_);
}

status cuda_kernel::set(int attribute, int value, const char* doing) {
  const driver_functions& call = api_.call();
  driver_result error = call.function_set_attribute(function_, attribute, value);
  if (error == success && kernel_ != nullptr && call.kernel_set_attribute != nullptr) {
    auto device = api_.device(index_);
    if (device) error = call.kernel_set_attribute(attribute, value, kernel_, *device);
  }
  return error == success ? status() : api_.failure(error, doing);
}

status cuda_kernel::open(std::span<const std::byte> code, const launch_plan& how) {
  const driver_functions& call = api_.call();
  // The driver reads PTX up to its NUL, and machine code without being told its size: both come from a copy of ours.
  std::vector<char> image(code.size() + 1, 0);
  std::memcpy(image.data(), code.data(), code.size());
  if (auto kernel = read_cubin(code, how.entry)) {
    parameter_bytes_ = static_cast<std::size_t>(kernel->parameter_bytes);
  } else if (!is_ptx(code)) {
    return kernel.status();
  }
  driver_result error = success;
  if (call.library_load != nullptr && call.library_unload != nullptr && call.library_kernel != nullptr &&
      call.kernel_function != nullptr) {
    error = call.library_load(&library_, image.data(), nullptr, nullptr, 0, nullptr, nullptr, 0);
    if (error != success) return api_.failure(error, "load the machine code of " + how.entry);
    error = call.library_kernel(&kernel_, library_, how.entry.c_str());
    if (error == success) error = call.kernel_function(&function_, kernel_);
  } else {
    error = call.module_load(&module_, image.data());
    if (error != success) return api_.failure(error, "load the machine code of " + how.entry);
    error = call.module_function(&function_, module_, how.entry.c_str());
  }
  if (error != success) return api_.failure(error, "find the kernel " + how.entry);
  if (shared_ != 0) {
    if (status s = set(function_max_dynamic_shared, how.dynamic_shared, "grant the kernel's shared memory"); !s.ok()) {
      return s;
    }
  }
  if (how.cluster > k_portable_cluster) {
    if (status s = set(function_non_portable_cluster, 1, "grant the kernel's cluster size"); !s.ok()) return s;
  }
  return {};
}

[[gnu::hot]] driver_result cuda_kernel::enqueue(function_handle function, unsigned blocks, const void* arguments,
                                                stream on) const noexcept {
  const driver_functions& call = api_.call();
  void* parameters[] = {const_cast<void*>(arguments)};
  const auto handle = static_cast<stream_handle>(on.handle);
  if (cluster_ <= 1) {
    return call.launch(function, blocks, 1, 1, threads_, 1, 1, shared_, handle, parameters, nullptr);
  }
  launch_attribute attribute{};
  attribute.id = launch_cluster_dimension;
  attribute.value.cluster = {cluster_, 1, 1};
  const launch_config config{blocks, 1, 1, threads_, 1, 1, shared_, handle, &attribute, 1};
  return call.launch_ex(&config, function, parameters, nullptr);
}

// The hot path's last step: what is said of a failure stands apart, so that this stays a few lines of cache.
[[gnu::hot]] status cuda_kernel::launch(std::int64_t blocks, const void* arguments, std::size_t size,
                                        stream on) const noexcept {
  if (blocks <= 0) return {};
  // Clusters are launched whole.
  const std::int64_t whole = cluster_ <= 1 ? blocks : (blocks + cluster_ - 1) / cluster_ * cluster_;
  if (whole > std::numeric_limits<std::int32_t>::max() || size < parameter_bytes_) [[unlikely]] {
    return refuse(blocks, size);
  }
  const auto grid = static_cast<unsigned>(whole);
  const current_context scope(api_.call(), primary_);
  driver_result error = scope.error();
  if (error == success) error = enqueue(function_, grid, arguments, on);
  if (error == success) [[likely]]
    return {};
  return explain(error, grid, arguments, on);
}

[[gnu::cold, gnu::noinline]] status cuda_kernel::refuse(std::int64_t blocks, std::size_t size) const noexcept {
  if (size < parameter_bytes_) {
    return rowsmith::failure(code::internal, "arguments: {} bytes, the kernel reads {}", size, parameter_bytes_);
  }
  return rowsmith::failure(code::invalid_argument, "blocks: found {}, at most 2147483647 are allowed", blocks);
}

[[gnu::cold, gnu::noinline]] status cuda_kernel::explain(driver_result error, unsigned blocks, const void* arguments,
                                                         stream on) const noexcept try {
  return explain_or_throw(error, blocks, arguments, on);
} catch (const std::bad_alloc&) {
  return {code::device_error, "the kernel cannot be launched, and no memory is left to say why"};
}

// After a refusal: a stream of another device gets a typed error, and a stream of another context of this very device
// gets the kernel after all, through the handle that belongs to no context.
status cuda_kernel::explain_or_throw(driver_result error, unsigned blocks, const void* arguments, stream on) const {
  if (is_object(on) && (error == error_invalid_handle || error == error_invalid_context)) {
    if (status s = check_stream(index_, on); s.error() == code::invalid_argument) return s;
    device_handle device = 0;
    context_handle home = nullptr;
    const driver_functions& call = api_.call();
    if (kernel_ != nullptr && home_of(call, on, &device, &home) == success && home != primary_) {
      const current_context scope(call, home);
      error = scope.error() != success ? scope.error()
                                       : enqueue(reinterpret_cast<function_handle>(kernel_), blocks, arguments, on);
      if (error == success) return {};
    }
  }
  return api_.failure(error, "launch the kernel");
}

}  // namespace

status check_stream(int index, stream on) {
  driver& api = driver::get();
  if (!is_object(on)) return {};
  auto own = api.device(index);
  if (!own) return own.status();
  device_handle found = 0;
  context_handle context = nullptr;
  if (driver_result error = home_of(api.call(), on, &found, &context)) {
    return api.failure(error, "tell the stream's device");
  }
  if (found == *own) return {};
  return {code::invalid_argument, "stream: it belongs to CUDA device " + std::to_string(found) +
                                      ", the operands are on cuda:" + std::to_string(index)};
}

result<std::unique_ptr<loaded_kernel>> load_kernel(int index, std::span<const std::byte> code, const launch_plan& how) {
  driver& api = driver::get();
  auto primary = api.primary(index);
  if (!primary) return primary.status();
  if (how.cluster > 1 && api.call().launch_ex == nullptr) {
    return status(code::unsupported,
                  "clusters need a CUDA driver of 11.8 or later, this one is " + api.probe().version);
  }
  // After a reset the context that was retained before is gone; another is retained once.
  for (bool again : {false, true}) {
    if (again) primary = api.primary(index, true);
    if (!primary) return primary.status();
    const current_context scope(api.call(), *primary);
    const driver_result error = scope.error();
    const bool lost = error == error_context_is_destroyed || error == error_invalid_context;
    if (lost && !again) continue;
    if (error != success) return api.failure(error, "enter the device's primary context");
    auto kernel = std::make_unique<cuda_kernel>(api, index, *primary, how);
    status opened = kernel->open(code, how);
    if (opened.ok()) return std::unique_ptr<loaded_kernel>(std::move(kernel));
    const bool reset =
        opened.vendor_code() == error_context_is_destroyed || opened.vendor_code() == error_invalid_context;
    if (!reset || again) return opened;
  }
  return status(code::internal, "unreachable");
}

}  // namespace rowsmith::cuda
