#include "backend/hip/kernel.h"

#include <cstdint>
#include <limits>
#include <new>
#include <string>

#include "backend/hip/code_object.h"
#include "backend/hip/runtime.h"
#include "base/failure.h"

namespace rowsmith::hip {
namespace {

constexpr std::size_t k_most_hidden_bytes = 264;  // hidden arguments behind ours, and their alignment
constexpr int k_default_shared = 64 * 1024;

class hip_kernel final : public loaded_kernel {
 public:
  hip_kernel(runtime& api, int index, std::span<const std::byte> code, const launch_plan& how)
      : api_(api),
        index_(index),
        threads_(static_cast<unsigned>(how.threads)),
        shared_(static_cast<unsigned>(how.dynamic_shared)),
        image_(code.begin(), code.end()) {}
  ~hip_kernel() override {
    const current_device scope(api_.call(), index_);
    if (module_ != nullptr) (void)api_.call().module_unload(module_);
  }

  status open(const launch_plan& how);
  status launch(std::int64_t blocks, const void* arguments, std::size_t size, stream on) const noexcept override;

 private:
  status explain(runtime_result error, stream on) const noexcept;

  runtime& api_;
  const int index_;
  const unsigned threads_, shared_;
  const bytes image_;
  std::size_t kernarg_bytes_ = 0;  // 0: not known
  module_handle module_ = nullptr;
  function_handle function_ = nullptr;
};

status hip_kernel::open(const launch_plan& how) {
  auto kernel = read_code_object(image_, how.entry);
  if (!kernel) return kernel.status();
  kernarg_bytes_ = kernel->kernarg_bytes;
  const runtime_functions& call = api_.call();
  runtime_result error = call.module_load(&module_, image_.data());
  if (error != success) return api_.failure(error, "load the machine code of " + how.entry);
  error = call.module_function(&function_, module_, how.entry.c_str());
  return error == success ? status() : api_.failure(error, "find the kernel " + how.entry);
}

// The hot path's last step: what is said of a failure stands apart, so that this stays a few lines of cache.
status hip_kernel::launch(std::int64_t blocks, const void* arguments, std::size_t size, stream on) const noexcept {
  if (blocks <= 0) return {};
  // The grid is counted in threads, in 32 bits.
  if (blocks > std::numeric_limits<std::uint32_t>::max() / threads_ || blocks > std::numeric_limits<int>::max()) {
    return rowsmith::failure(code::invalid_argument,
                             "blocks: found {} of {} threads, at most 4294967295 threads are allowed", blocks,
                             threads_);
  }
  if (kernarg_bytes_ != 0 && (size > kernarg_bytes_ || kernarg_bytes_ - size > k_most_hidden_bytes)) {
    return rowsmith::failure(code::internal, "arguments: {} bytes, the kernel reads {}", size, kernarg_bytes_);
  }
  const current_device scope(api_.call(), index_);
  runtime_result error = scope.error();
  if (error == success) {
    void* parameters[] = {const_cast<void*>(arguments)};
    error = api_.call().launch(function_, static_cast<unsigned>(blocks), 1, 1, threads_, 1, 1, shared_,
                               static_cast<stream_handle>(on.handle), parameters, nullptr);
  }
  if (error == success) [[likely]]
    return {};
  return explain(error, on);
}

[[gnu::cold, gnu::noinline]] status hip_kernel::explain(runtime_result error, stream on) const noexcept try {
  if (status s = check_stream(index_, on); s.error() == code::invalid_argument) return s;
  return api_.failure(error, "launch the kernel");
} catch (const std::bad_alloc&) {
  return {code::device_error, "the kernel cannot be launched, and no memory is left to say why"};
}

}  // namespace

status check_stream(int index, stream on) {
  runtime& api = runtime::get();
  if (reinterpret_cast<std::uintptr_t>(on.handle) <= 2 || api.call().stream_device == nullptr) return {};
  int found = 0;
  if (runtime_result error = api.call().stream_device(static_cast<stream_handle>(on.handle), &found)) {
    return api.failure(error, "tell the stream's device");
  }
  if (found == index) return {};
  return {code::invalid_argument,
          "stream: it belongs to hip:" + std::to_string(found) + ", the operands are on hip:" + std::to_string(index)};
}

result<std::unique_ptr<loaded_kernel>> load_kernel(int index, std::span<const std::byte> code, const launch_plan& how) {
  runtime& api = runtime::get();
  if (status s = api.has_device(index); !s.ok()) return s;
  if (how.cluster > 1) return status(code::unsupported, "AMD and Hygon devices have no block clusters");
  if (how.dynamic_shared > k_default_shared) {
    return status(code::unsupported, "dynamic shared memory: found " + std::to_string(how.dynamic_shared) +
                                         " bytes, at most " + std::to_string(k_default_shared) + " are allowed");
  }
  const current_device scope(api.call(), index);
  if (scope.error() != success) return api.failure(scope.error(), "enter the device");
  auto kernel = std::make_unique<hip_kernel>(api, index, code, how);
  if (status opened = kernel->open(how); !opened.ok()) return opened;
  return std::unique_ptr<loaded_kernel>(std::move(kernel));
}

}  // namespace rowsmith::hip
