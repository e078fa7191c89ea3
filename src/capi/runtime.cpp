// runtime: version, counters, devices, shutdown and memory.
#include "rowsmith/runtime.h"

#include <cstring>
#include <string>
#include <vector>

#include "capi/convert.h"
#include "capi/guard.h"
#include "capi/sized.h"

using namespace rowsmith;

struct rs_device_list {
  std::vector<device_description> devices;
};

namespace {

template <std::size_t N>
void put(char (&into)[N], const std::string& text) noexcept {
  std::strncpy(into, text.c_str(), N - 1);
  into[N - 1] = 0;
}

}  // namespace

// version() is a view of a literal, which ends in 0.
const char* rs_version(void) { return version().data(); }
uint32_t rs_abi_version(void) { return RS_ABI_VERSION; }

rs_status rs_counters(rs_counter_values* out) {
  return capi::guarded([&]() -> status {
    if (out == nullptr) return capi::null_argument("out");
    const counter_values now = counters();
    rs_counter_values c = {};
    c.calls_missed = now.calls_missed;
    c.compiled = now.compiled;
    c.compile_failures = now.compile_failures;
    c.loaded_from_disk = now.loaded_from_disk;
    c.loaded_from_memory = now.loaded_from_memory;
    c.fallback_kernels = now.fallback_kernels;
    c.cache_damaged = now.cache_damaged;
    c.cache_store_failures = now.cache_store_failures;
    c.answered_by_any_width = now.answered_by_any_width;
    c.exact_after_calls = now.exact_after_calls;
    return capi::write_sized("out", c, out);
  });
}

rs_status rs_devices_open(rs_device_list** out) {
  return capi::guarded([&]() -> status {
    if (out == nullptr) return capi::null_argument("out");
    *out = nullptr;
    *out = new rs_device_list{devices()};
    return {};
  });
}

size_t rs_devices_count(const rs_device_list* list) { return list == nullptr ? 0 : list->devices.size(); }

rs_status rs_devices_get(const rs_device_list* list, size_t index, rs_device_info* out) {
  return capi::guarded([&]() -> status {
    if (list == nullptr) return capi::null_argument("list");
    if (out == nullptr) return capi::null_argument("out");
    if (index >= list->devices.size()) {
      return {code::invalid_argument, "index: found " + std::to_string(index) + ", the list has " +
                                          std::to_string(list->devices.size()) + " devices"};
    }
    const device_description& d = list->devices[index];
    rs_device_info info = {};
    info.device = capi::from_device(d.device);
    put(info.name, d.name);
    put(info.arch, d.arch);
    info.wave = d.wave;
    info.units = d.units;
    info.memory_bytes = d.memory_bytes;
    info.l2_bytes = d.l2_bytes;
    return capi::write_sized("out", info, out);
  });
}

void rs_devices_close(rs_device_list* list) { delete list; }

rs_status rs_forget_kernels(void) {
  return capi::guarded([] { return forget_kernels(), status(); });
}

rs_status rs_shutdown(void) {
  return capi::guarded([] { return shutdown(), status(); });
}

rs_status rs_allocate(rs_device where, size_t bytes, void** out) {
  return capi::guarded([&]() -> status {
    if (out == nullptr) return capi::null_argument("out");
    *out = nullptr;
    auto memory = allocate(capi::to_device(where), bytes);
    if (!memory) return std::move(memory).status();
    *out = *memory;
    return {};
  });
}

rs_status rs_release(rs_device where, void* memory) {
  return capi::guarded([&] { return release(capi::to_device(where), memory); });
}

rs_status rs_copy(rs_device where, void* to, const void* from, size_t bytes) {
  return capi::guarded([&]() -> status {
    if (to == nullptr && bytes != 0) return capi::null_argument("to");
    if (from == nullptr && bytes != 0) return capi::null_argument("from");
    return copy(capi::to_device(where), to, from, bytes);
  });
}

rs_status rs_synchronize(rs_device where, rs_stream stream) {
  return capi::guarded([&] { return synchronize(capi::to_device(where), rowsmith::stream{stream}); });
}
