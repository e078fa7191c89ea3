// Versions, devices and errors.
#include <cstdio>
#include <cstring>

#include "gcn/runtime/world.h"

using namespace hipsim;

namespace {

constexpr int runtime_version = is_dtk ? 50225085 : 60200000;
constexpr int compute_units = 60, l2_bytes = 4 << 20, shared_bytes = 64 << 10;

bool exists(int device) { return device >= 0 && device < device_count(); }
error check(int device) { return exists(device) ? ok : invalid_device; }

// Offsets of the fields in the two layouts of hipDeviceProp_t.
struct layout {
  std::size_t size, total, shared, warp, threads, units, arch;
};
constexpr layout r0000{792, 256, 264, 276, 280, 336, 396}, r0600{1472, 288, 296, 308, 320, 388, 1160},
    dtk_v2{1480, 288, 296, 308, 320, 388, 1160};

void name_of_device(char* to, std::size_t size) { std::snprintf(to, size, "simulated %s", arch().c_str()); }

error properties(void* to, int device, const layout& l) {
  if (!exists(device)) return invalid_device;
  char* p = static_cast<char*>(to);
  std::memset(p, 0, l.size);
  name_of_device(p, 200);
  const std::size_t total = total_memory, shared = shared_bytes;
  const int wave = 64, threads = 1024, units = compute_units;
  std::memcpy(p + l.total, &total, sizeof total);
  std::memcpy(p + l.shared, &shared, sizeof shared);
  std::memcpy(p + l.warp, &wave, sizeof wave);
  std::memcpy(p + l.threads, &threads, sizeof threads);
  std::memcpy(p + l.units, &units, sizeof units);
  std::snprintf(p + l.arch, 100, "%s", full_arch().c_str());
  return ok;
}

error attribute(int* value, int which) {
  struct row {
    int number, value;
  };
  constexpr row table[] = {
      {5, 1700000},  // clock rate, kHz
      {16, 0},       // integrated
      {19, l2_bytes},
      {23, 9},           // compute capability, major
      {29, 0x7fffffff},  // largest grid in x
      {56, 1024},        // threads a block
      {57, 2560},        // threads a unit
      {59, 4096},        // width of the memory bus, bits
      {60, 1000000},     // memory clock rate, kHz
      {61, 0},           // compute capability, minor
      {63, compute_units},
      {67, 1},      // PCI bus
      {71, 65536},  // registers a block
      {74, shared_bytes},
      {87, 64},               // lanes a wave
      {10002, shared_bytes},  // shared memory a unit
  };
  for (const row& r : table) {
    if (r.number == which) return *value = r.value, ok;
  }
  return *value = 0, invalid_value;
}

struct error_text {
  error number;
  const char *name, *text;
};
constexpr error_text error_texts[] = {
    {ok, "hipSuccess", "no error"},
    {invalid_value, "hipErrorInvalidValue", "invalid argument"},
    {out_of_memory, "hipErrorOutOfMemory", "out of memory"},
    {not_initialized, "hipErrorNotInitialized", "initialization error"},
    {invalid_configuration, "hipErrorInvalidConfiguration", "invalid configuration argument"},
    {no_device, "hipErrorNoDevice", "no ROCm-capable device is detected"},
    {invalid_device, "hipErrorInvalidDevice", "invalid device ordinal"},
    {invalid_image, "hipErrorInvalidImage", "device kernel image is invalid"},
    {no_binary_for_gpu, "hipErrorNoBinaryForGpu", "no kernel image is available for execution on the device"},
    {invalid_handle, "hipErrorInvalidHandle", "invalid resource handle"},
    {not_found, "hipErrorNotFound", "named symbol not found"},
    {not_ready, "hipErrorNotReady", "device not ready"},
    {illegal_address, "hipErrorIllegalAddress", "an illegal memory access was encountered"},
    {launch_failure, "hipErrorLaunchFailure", "unspecified launch failure"},
    {capture_unsupported, "hipErrorStreamCaptureUnsupported", "operation not permitted when stream is capturing"},
    {capture_invalidated, "hipErrorStreamCaptureInvalidated",
     "operation failed due to a previous error during capture"},
    {capture_unmatched, "hipErrorStreamCaptureUnmatched", "the capture was not initiated in this stream"},
    {capture_implicit, "hipErrorStreamCaptureImplicit",
     "operation would make the legacy stream depend on a capturing blocking stream"},
};
const error_text* text_of(error e) {
  for (const error_text& t : error_texts) {
    if (t.number == e) return &t;
  }
  return nullptr;
}

}  // namespace

HIPSIM_API const char* hipGetErrorName(error e) { return text_of(e) != nullptr ? text_of(e)->name : "hipErrorUnknown"; }
HIPSIM_API const char* hipGetErrorString(error e) { return text_of(e) != nullptr ? text_of(e)->text : "unknown error"; }
HIPSIM_API error hipGetLastError() {
  const error e = last_error();
  last_error() = ok;
  return e;
}
HIPSIM_API error hipPeekAtLastError() { return last_error(); }

HIPSIM_API error hipInit(unsigned) {
  return call([](world&) -> error { return ok; });
}
HIPSIM_API error hipDriverGetVersion(int* version) {
  return call([&](world&) -> error { return *version = runtime_version, ok; });
}
HIPSIM_API error hipRuntimeGetVersion(int* version) { return hipDriverGetVersion(version); }

HIPSIM_API error hipGetDeviceCount(int* count) {
  return call([&](world&) -> error { return *count = device_count(), *count == 0 ? no_device : ok; });
}
HIPSIM_API error hipGetDevice(int* device) {
  return call([&](world&) -> error { return *device = current_device(), ok; });
}
HIPSIM_API error hipSetDevice(int device) {
  return call([&](world&) -> error {
    if (exists(device)) current_device() = device;
    return check(device);
  });
}
HIPSIM_API error hipDeviceGet(int* handle, int device) {
  return call([&](world&) -> error { return *handle = device, check(device); });
}
HIPSIM_API error hipDeviceGetName(char* name, int size, int device) {
  return call([&](world&) -> error {
    name_of_device(name, static_cast<std::size_t>(size));
    return check(device);
  });
}
HIPSIM_API error hipDeviceTotalMem(std::size_t* bytes, int device) {
  return call([&](world&) -> error { return *bytes = total_memory, check(device); });
}
HIPSIM_API error hipDeviceGetAttribute(int* value, int which, int device) {
  return call([&](world&) -> error { return exists(device) ? attribute(value, which) : invalid_device; });
}

HIPSIM_API error hipGetDeviceProperties(void* to, int device) {
  return call([&](world&) { return properties(to, device, r0000); });
}
#ifdef HIPSIM_DTK
HIPSIM_API error hipGetDeviceProperties_v2(void* to, int device) {
  return call([&](world&) { return properties(to, device, dtk_v2); });
}
#else
HIPSIM_API error hipGetDevicePropertiesR0600(void* to, int device) {
  return call([&](world&) { return properties(to, device, r0600); });
}
#endif

HIPSIM_API error hipDeviceSynchronize() {
  return call([](world& w) -> error {
    if (w.scheduler.forbidden_by_capture()) return capture_unsupported;
    return w.scheduler.synchronize_device(current_device());
  });
}
