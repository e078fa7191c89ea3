// runtime: what is here, how it behaves, and what it has done. One runtime a process; every function is thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rowsmith/deploy.h"
#include "rowsmith/export.h"
#include "rowsmith/ops.h"
#include "rowsmith/status.h"
#include "rowsmith/tensor_view.h"

namespace rowsmith {

// ---- What is here ----

struct device_description {
  rowsmith::device device;
  std::string name;  // "NVIDIA H200"
  std::string arch;  // the target kernels are built for: "sm_90"
  int wave = 1;      // lanes of a wave
  int units = 1;     // multiprocessors, compute units, host threads
  std::int64_t memory_bytes = 0;
  std::int64_t l2_bytes = 0;
};

// Every device that answers, the host first. Never fails: what is missing is told by doctor().
ROWSMITH_EXPORT std::vector<device_description> devices();

struct library_report {
  std::string backend;  // "cuda"
  std::string purpose;  // "driver", "compiler"
  std::string found;    // path or soname; empty when none opened
  std::string version;
  std::vector<std::string> tried;  // every name and path tried, with the reason it was passed over
};

struct option_report {
  std::string name;  // "ROWSMITH_CACHE_DIR"
  std::string value;
  std::string origin;  // "environment" or "default"
  std::string meaning;
};

struct doctor_report {
  std::vector<option_report> options;
  std::vector<library_report> libraries;
  std::vector<std::string> complaints;    // options with illegal values
  std::vector<std::string> lower_caches;  // caches beneath ours that could deceive a cold measurement
};

// The layers of the cache are told by cache_layers() in deploy.h.
ROWSMITH_EXPORT doctor_report doctor();

// ---- What it has done ----

struct counter_values {
  std::uint64_t calls_missed = 0;  // calls that found no kernel in the table
  std::uint64_t compiled = 0;      // kernels compiled by this process
  std::uint64_t compile_failures = 0;
  std::uint64_t loaded_from_disk = 0;
  std::uint64_t loaded_from_memory = 0;
  std::uint64_t fallback_kernels = 0;  // shape classes answered by the scalar fallback
  std::uint64_t cache_damaged = 0;     // entries that failed their checks
  std::uint64_t cache_store_failures = 0;
  // Of calls that leave their width open, see row_options.h:
  std::uint64_t answered_by_any_width = 0;  // shape classes that a run-time-width kernel answered
  std::uint64_t exact_after_calls = 0;      // of these: got a kernel of their own
};

ROWSMITH_EXPORT counter_values counters() noexcept;

// ---- How it behaves ----

// Builds and loads the kernel of softmax(x, y, options) without running it, and waits until it is there: for the time
// before requests come, and before a stream is captured. `data` must be aligned as in the calls to come; it is not
// read. Not to be called while this thread captures. Errors: as softmax.
ROWSMITH_EXPORT status prepare_softmax(const const_tensor_view& x, const tensor_view& y,
                                       const softmax_options& options = {});

// Forgets every loaded kernel of this process (not the disk): the next call of each shape goes down the cold path.
// Not to be called while calls are running.
ROWSMITH_EXPORT void forget_kernels();

// Gives back what the process holds: kernels, handles, threads. Optional; nothing runs at exit otherwise. Calls after
// it start afresh.
ROWSMITH_EXPORT void shutdown();

// ---- The cache on disk ----

struct cache_entry_description {
  std::string digest;  // 32 hex digits: the name of its file
  std::string key;     // the whole key, readable
  std::int64_t bytes = 0;
  std::string problem;  // empty when it verifies
};

ROWSMITH_EXPORT std::vector<cache_entry_description> cache_entries(bool verify);

// Of one directory, of which nothing is touched. not_found: it does not exist; unsupported: it is refused.
ROWSMITH_EXPORT result<std::vector<cache_entry_description>> cache_entries(bool verify, const std::string& cache_dir);

// ---- Memory, for programs without a framework of their own ----

ROWSMITH_EXPORT result<void*> allocate(device where, std::size_t bytes);
ROWSMITH_EXPORT status release(device where, void* memory);
// Copies between host memory and `where`, either way, or within `where`. Synchronous.
ROWSMITH_EXPORT status copy(device where, void* to, const void* from, std::size_t bytes);
// Waits for all work enqueued on the stream.
ROWSMITH_EXPORT status synchronize(device where, stream on = {});

ROWSMITH_EXPORT std::string_view version() noexcept;  // "0.1.0"

}  // namespace rowsmith
