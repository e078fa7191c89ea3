// doctor: every option with its origin, every library tried, and the caches beneath ours.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "build/signing_key.h"
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

// Variables that look like ours and are none: misspelt, or of another version.
void add_unknown_variables(const environment& env, std::vector<std::string>* complaints) {
  for (char** at = ::environ; at != nullptr && *at != nullptr; ++at) {
    const std::string_view line = *at;
    const std::string_view name = line.substr(0, line.find('='));
    if (!name.starts_with("ROWSMITH_") || name.starts_with("ROWSMITH_TEST_")) continue;  // the latter our own tests'
    const bool known =
        std::any_of(env.rows.begin(), env.rows.end(), [&](const environment::row& r) { return r.name == name; });
    if (!known) complaints->push_back(std::string(name) + " is set, and no variable of Rowsmith is called so");
  }
}

// Files that are opened when they are needed, long after anybody looks.
void add_unusable_files(const environment& env, std::vector<std::string>* complaints) {
  if (!env.record.empty()) {
    std::error_code failed;
    const std::filesystem::path folder = std::filesystem::absolute(env.record, failed).parent_path();
    if (!std::filesystem::is_directory(folder, failed)) {
      complaints->push_back("ROWSMITH_RECORD: " + folder.string() + " is no folder; nothing is recorded");
    }
  }
  if (!env.remote_key_file.empty() && env.remote.empty()) {  // with a remote the builder has tried it
    if (const auto key = signing_key(env.remote_key_file); !key) {
      complaints->push_back("ROWSMITH_REMOTE_KEY_FILE: " + key.status().to_string());
    }
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
  add_unknown_variables(env, &report.complaints);
  add_unusable_files(env, &report.complaints);
  for (const device_kind kind : {device_kind::host, device_kind::cuda, device_kind::hip}) add_libraries(kind, &report);
  report.lower_caches = {
      "CUDA driver: its compute cache holds what it compiled from PTX (CUDA_CACHE_PATH, CUDA_CACHE_DISABLE=1)",
      "NVRTC 12.9 and later: its own cache of compiled programs (--no-cache)",
      "AMD comgr 6.4 and later: AMD_COMGR_CACHE_DIR (AMD_COMGR_CACHE=0)",
      "ccache, where $CXX goes through it (CCACHE_DISABLE=1)",
  };
  return report;
}

}  // namespace rowsmith
