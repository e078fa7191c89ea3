// double: the double of the HIP runtime, as a test sees it: where it lies, HIP's calls that a caller of Rowsmith makes
// by itself, and what the double tells about itself. Opened by name, as the library under test does.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "rowsmith/tensor_view.h"

namespace rowsmith::test {

// Before the first use of the library: from now on this process has `arch` for a card. `folder` is one of the double's.
inline void use_double(const char* folder, const char* arch) {
  ::setenv("ROWSMITH_HIP_LIBS", folder, 1);
  ::setenv("HIPSIM_ARCH", arch, 0);
  ::unsetenv("HIP_VISIBLE_DEVICES");
}

class simulated_hip {
 public:
  static simulated_hip& get() {
    static simulated_hip it;
    return it;
  }
  std::string problem;  // empty when usable

  int (*set_device)(int) = nullptr;
  int (*get_device)(int*) = nullptr;
  int (*stream_create)(void**, unsigned) = nullptr;
  int (*stream_destroy)(void*) = nullptr;
  int (*stream_synchronize)(void*) = nullptr;
  int (*stream_begin_capture)(void*, int) = nullptr;
  int (*stream_end_capture)(void*, void**) = nullptr;
  int (*graph_instantiate)(void**, void*, void**, char*, std::size_t) = nullptr;
  int (*graph_launch)(void*, void*) = nullptr;
  int (*graph_destroy)(void*) = nullptr;
  int (*graph_exec_destroy)(void*) = nullptr;
  int (*copy_async)(void*, const void*, std::size_t, int, void*) = nullptr;
  int (*free)(void*) = nullptr;

  std::uint64_t (*calls)() = nullptr;
  const char* (*report)() = nullptr;
  std::uint64_t (*launches)() = nullptr;
  std::uint64_t (*instructions)() = nullptr;
  bool (*has_run)(const char*) = nullptr;
  const char* (*kernel)(int) = nullptr;
  bool (*count)(int, int, const char**, std::uint64_t*) = nullptr;
  void (*forget_counts)() = nullptr;
  void (*recover)() = nullptr;

 private:
  simulated_hip() {
    const std::string folder = std::getenv("ROWSMITH_HIP_LIBS") != nullptr ? std::getenv("ROWSMITH_HIP_LIBS") : "";
    void* library = ::dlopen((folder + "/libamdhip64.so.6").c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) library = ::dlopen((folder + "/libgalaxyhip.so.5").c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      problem = ::dlerror();
      return;
    }
    const auto bind = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::decay_t<decltype(function)>>(::dlsym(library, name));
      if (function == nullptr) problem += std::string(name) + " is missing; ";
    };
    bind(set_device, "hipSetDevice");
    bind(get_device, "hipGetDevice");
    bind(stream_create, "hipStreamCreateWithFlags");
    bind(stream_destroy, "hipStreamDestroy");
    bind(stream_synchronize, "hipStreamSynchronize");
    bind(stream_begin_capture, "hipStreamBeginCapture");
    bind(stream_end_capture, "hipStreamEndCapture");
    bind(graph_instantiate, "hipGraphInstantiate");
    bind(graph_launch, "hipGraphLaunch");
    bind(graph_destroy, "hipGraphDestroy");
    bind(graph_exec_destroy, "hipGraphExecDestroy");
    bind(copy_async, "hipMemcpyAsync");
    bind(free, "hipFree");
    bind(calls, "hipsim_calls");
    bind(report, "hipsim_report");
    bind(launches, "hipsim_launches");
    bind(instructions, "hipsim_instructions");
    bind(has_run, "hipsim_has_run");
    bind(kernel, "hipsim_kernel");
    bind(count, "hipsim_count");
    bind(forget_counts, "hipsim_forget_counts");
    bind(recover, "hipsim_recover");
  }
};

// A fault of the device stays until it is forgotten: a test that follows one that failed begins on a sound device.
class recover_between_tests : public testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo&) override {
    if (const simulated_hip& hip = simulated_hip::get(); hip.problem.empty() && *hip.report() != 0) hip.recover();
  }
};

// A stream that does not wait for the default stream.
class hip_stream {
 public:
  explicit hip_stream(int device_index = 0) {
    constexpr unsigned non_blocking = 1;
    int before = 0;
    EXPECT_EQ(simulated_hip::get().get_device(&before), 0);
    EXPECT_EQ(simulated_hip::get().set_device(device_index), 0);
    EXPECT_EQ(simulated_hip::get().stream_create(&handle_, non_blocking), 0);
    EXPECT_EQ(simulated_hip::get().set_device(before), 0);
  }
  ~hip_stream() { EXPECT_EQ(simulated_hip::get().stream_destroy(handle_), 0); }
  hip_stream(const hip_stream&) = delete;
  hip_stream& operator=(const hip_stream&) = delete;
  operator stream() const { return {handle_}; }
  void* handle() const { return handle_; }

 private:
  void* handle_ = nullptr;
};

}  // namespace rowsmith::test
