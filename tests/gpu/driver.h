// driver: the few calls of the CUDA driver that a caller of Rowsmith makes by itself: streams and graphs on the primary
// context. Opened at run time; declared here, so that nothing of CUDA is needed to build.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <string>

#include "rowsmith/tensor_view.h"

namespace rowsmith::test {

class driver {
 public:
  // One for the process; usable when `problem` is empty.
  static driver& get() {
    static driver d;
    return d;
  }
  std::string problem;

  int (*device_count)(int*) = nullptr;
  int (*device_get)(int*, int) = nullptr;
  int (*primary_retain)(void**, int) = nullptr;
  int (*context_set)(void*) = nullptr;
  int (*context_current)(void**) = nullptr;
  int (*stream_create)(void**, unsigned) = nullptr;
  int (*stream_destroy)(void*) = nullptr;
  int (*stream_synchronize)(void*) = nullptr;
  int (*stream_begin_capture)(void*, int) = nullptr;
  int (*stream_end_capture)(void*, void**) = nullptr;
  int (*graph_instantiate)(void**, void*, unsigned long long) = nullptr;
  int (*graph_launch)(void*, void*) = nullptr;
  int (*graph_exec_destroy)(void*) = nullptr;
  int (*graph_destroy)(void*) = nullptr;
  int (*copy_async)(unsigned long long, unsigned long long, std::size_t, void*) = nullptr;

  // Makes the device's primary context current on this thread.
  int use(int index) {
    int handle = 0;
    void* context = nullptr;
    if (const int e = device_get(&handle, index)) return e;
    if (const int e = primary_retain(&context, handle)) return e;
    return context_set(context);
  }

 private:
  driver() {
    void* library = ::dlopen("libcuda.so.1", RTLD_NOW);
    if (library == nullptr) {
      problem = ::dlerror();
      return;
    }
    const auto bind = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::decay_t<decltype(function)>>(::dlsym(library, name));
      if (function == nullptr) problem += std::string(name) + " is missing; ";
    };
    int (*init)(unsigned) = nullptr;
    bind(init, "cuInit");
    bind(device_count, "cuDeviceGetCount");
    bind(device_get, "cuDeviceGet");
    bind(primary_retain, "cuDevicePrimaryCtxRetain");
    bind(context_set, "cuCtxSetCurrent");
    bind(context_current, "cuCtxGetCurrent");
    bind(stream_create, "cuStreamCreate");
    bind(stream_destroy, "cuStreamDestroy_v2");
    bind(stream_synchronize, "cuStreamSynchronize");
    bind(stream_begin_capture, "cuStreamBeginCapture_v2");
    bind(stream_end_capture, "cuStreamEndCapture");
    bind(graph_instantiate, "cuGraphInstantiateWithFlags");
    bind(graph_launch, "cuGraphLaunch");
    bind(graph_exec_destroy, "cuGraphExecDestroy");
    bind(graph_destroy, "cuGraphDestroy");
    bind(copy_async, "cuMemcpyAsync");
    if (problem.empty() && init(0) != 0) problem = "cuInit fails";
    if (int n = 0; problem.empty() && (device_count(&n) != 0 || n == 0)) problem = "no CUDA device";
  }
};

// A stream that does not wait for the default stream.
class own_stream {
 public:
  explicit own_stream(int device_index = 0) {
    constexpr unsigned non_blocking = 1;
    EXPECT_EQ(driver::get().use(device_index), 0);
    EXPECT_EQ(driver::get().stream_create(&handle_, non_blocking), 0);
  }
  ~own_stream() { EXPECT_EQ(driver::get().stream_destroy(handle_), 0); }
  own_stream(const own_stream&) = delete;
  own_stream& operator=(const own_stream&) = delete;
  operator stream() const { return {handle_}; }
  void* handle() const { return handle_; }

 private:
  void* handle_ = nullptr;
};

}  // namespace rowsmith::test
