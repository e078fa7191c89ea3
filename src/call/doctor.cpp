// doctor: every option with its origin, every library tried, and the caches beneath ours.
#include <array>

#include "call/runtime_state.h"
#include "rowsmith/runtime.h"

namespace rowsmith {

namespace {

void add_libraries(device_kind kind, doctor_report* report) {
  backend* b = backend_for(kind);
  if (b == nullptr) return;
  for (library_probe& p : b->probe()) {
    report->libraries.push_back({std::string(name_of(kind)), std::move(p.purpose), std::move(p.found),
                                 std::move(p.version), std::move(p.tried)});
  }
}

}  // namespace

doctor_report doctor() {
  doctor_report report;
  const environment& env = the_runtime().env;
  for (const environment::row& r : env.rows) {
    report.options.push_back({r.name, r.value, r.set ? "environment" : "default", r.meaning});
  }
  report.complaints = env.complaints;
  const std::vector<std::string>& more = the_runtime().cold.complaints();
  report.complaints.insert(report.complaints.end(), more.begin(), more.end());
  for (const device_kind kind : {device_kind::host, device_kind::cuda, device_kind::hip}) add_libraries(kind, &report);
  report.lower_caches = {
      "CUDA driver: its compute cache holds what it compiled from PTX (CUDA_CACHE_PATH, CUDA_CACHE_DISABLE=1)",
      "NVRTC 12.9 and later: its own cache of compiled programs (--no-cache)",
      "AMD comgr 6.4 and later: AMD_COMGR_CACHE_DIR (AMD_COMGR_CACHE=0)",
      "ccache, where $CXX goes through it (CCACHE_DISABLE=1)",
  };
  return report;
}

std::vector<cache_entry_description> cache_entries(bool verify) {
  cache::layered_store& store = the_runtime().cold.store();
  std::vector<cache_entry_description> all;
  for (std::size_t i = 1; i < store.layer_count(); ++i) {  // layer 0 is this process's memory
    for (const cache::entry_info& e : store.layer(i).list()) {
      cache_entry_description d;
      d.digest = e.key.what_digest();
      d.key = e.key.text();
      d.bytes = static_cast<std::int64_t>(e.file_bytes);
      if (verify) {
        if (const auto read = store.layer(i).get(e.key, cache::accept::any); !read) d.problem = read.status().message();
      }
      all.push_back(std::move(d));
    }
  }
  return all;
}

}  // namespace rowsmith
