// deploy: the road from production to a start without compiles. Record the requests that programs make
// (ROWSMITH_RECORD), warm() their kernels for every target on a machine without one, export_bundle(), import_bundle()
// elsewhere, and ask coverage() what is still missing. Every function is thread-safe and may take long.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rowsmith/export.h"
#include "rowsmith/status.h"

namespace rowsmith {

// ---- Building ahead ----

// For which base addresses of a recorded request a kernel is wanted.
enum class alignments : std::uint8_t {
  recorded = 0,  // those of the recorded call
  usual = 1,     // GPUs: also 16-byte aligned ones, and views that begin at any element, of all or of one input
  every = 2,     // whatever may come
};

struct deploy_progress {
  std::int64_t done = 0;  // kernels
  std::int64_t total = 0;
};
using progress_callback = void (*)(const deploy_progress& now, void* user);  // from any thread, one at a time

struct warm_options {
  // Compiles at a time; 0: one a hardware thread. With more than one, those for AMD run in copies of this process
  // (fork), of which a thread alone goes on: its compilers take one kernel at a time in a process.
  int jobs = 0;
  std::string cache_dir;  // where to; empty: the user's own cache
  rowsmith::alignments alignments = rowsmith::alignments::usual;
  progress_callback progress = nullptr;
  void* user = nullptr;
};

struct refused_line {
  std::int64_t line = 0;
  std::string why;
};

struct warm_failure {
  std::string kernel;     // what was to be built
  std::int64_t line = 0;  // of the manifest
  std::string why;
  std::string log;  // the compiler's
};

struct warm_target {
  std::string target;    // as it was asked for
  std::string compiler;  // "nvrtc 13.0"
  std::string problem;   // why nothing could be built for it; empty otherwise
  std::int64_t kernels = 0, present = 0, built = 0, failed = 0;
  std::int64_t compiles = 0;  // kernels of one text share a compile
  std::int64_t bytes = 0;     // of what was built
  double compile_seconds = 0;
  std::vector<warm_failure> failures;
};

struct warm_report {
  std::int64_t requests = 0;  // classes in the manifest
  std::vector<refused_line> refused;
  std::vector<warm_target> targets;
  double seconds = 0;

  bool complete() const noexcept {
    for (const warm_target& t : targets)
      if (!t.problem.empty() || t.failed != 0) return false;
    return refused.empty();
  }
};

// Builds what the requests of a manifest (docs/manifest.md) need on each target ("sm_90", "gfx936", "host"), with no
// such device at hand. What is in the cache already is left alone, so a warm that was interrupted may be run again. A
// target or kernel that cannot be built is in the report, and the rest goes on. Fails as a whole only where the
// manifest cannot be read or the cache directory cannot be used.
ROWSMITH_EXPORT result<warm_report> warm(const std::string& manifest, const std::vector<std::string>& targets,
                                         const warm_options& options = {});

// ---- What would hit ----

struct coverage_options {
  std::string cache_dir;  // empty: all layers of this process's cache
  rowsmith::alignments alignments = rowsmith::alignments::recorded;
  // Take any compiler's kernels, as a host without one does. Otherwise as this process does: where it may compile and
  // finds a compiler for the target, the user's own directory answers with that compiler's kernels only.
  bool any_compiler = false;
};

struct missing_kernel {
  std::string kernel;
  std::int64_t line = 0;
  std::string digest;
  std::string nearest;               // digest of the entry that shares most with it; empty when there is none
  std::vector<std::string> differs;  // names of the key fields that differ from it
};

struct target_coverage {
  std::string target;
  std::string problem;  // why nothing could be asked for it
  std::int64_t kernels = 0, present = 0;
  std::vector<std::pair<std::string, std::int64_t>> layers;  // which layer answers for how many
  std::vector<missing_kernel> missing;
};

struct coverage_report {
  std::int64_t requests = 0;
  std::vector<refused_line> refused;
  std::vector<target_coverage> targets;
  std::vector<std::string> layers_off;  // "user: /…: why it takes no part", of layers that were asked for

  bool complete() const noexcept {
    for (const target_coverage& t : targets)
      if (!t.problem.empty() || t.present != t.kernels) return false;
    return refused.empty();
  }
};

ROWSMITH_EXPORT result<coverage_report> coverage(const std::string& manifest, const std::vector<std::string>& targets,
                                                 const coverage_options& options = {});

// One field of two keys. An absent field has an empty value.
struct key_difference {
  std::string field, wanted, nearest;
};

struct miss_report {
  std::string layer;    // the layer that has the kernel; empty: none
  std::string nearest;  // digest of the nearest entry; empty: no layer in use has one
  std::string nearest_layer;
  std::vector<std::string> layers_off;  // of a miss; as in coverage_report
  std::vector<key_difference> differences;
};

// Why a kernel whose key reads so (explanation::launches[i].key) is not found.
ROWSMITH_EXPORT result<miss_report> why_miss(const std::string& key);

// ---- Bundles ----

struct export_options {
  std::string cache_dir;             // whose kernels; empty: the user's own cache
  std::vector<std::string> targets;  // only these; empty: all
  std::string key_file;              // signs the bundle; empty: ROWSMITH_REMOTE_KEY_FILE, else unsigned
};

struct export_report {
  std::int64_t entries = 0;
  std::int64_t bytes = 0;
  std::int64_t host_entries = 0;  // which an import takes from a signed bundle only
  bool is_signed = false;
};

// Writes the kernels of a cache directory to one file (cache/BUNDLE.md). Equal kernels give equal bytes.
ROWSMITH_EXPORT result<export_report> export_bundle(const std::string& file, const export_options& options = {});

struct import_options {
  std::string into;         // a directory; empty: the user's own cache
  std::string key_file;     // the bundle must be signed with this key; empty: ROWSMITH_REMOTE_KEY_FILE, else any
  bool allow_host = false;  // take CPU code from a bundle that nobody signed
  bool dry_run = false;     // check only
};

struct import_report {
  std::int64_t entries = 0, added = 0, present = 0, host_refused = 0;
  std::int64_t other_compiler = 0;   // of those added: built by another compiler than this host's
  std::vector<std::string> refused;  // entries that failed their checks, and why
  bool is_signed = false;            // it carries a signature
  bool is_checked = false;           // there was a key, and the signature holds
};

// Takes a bundle's kernels into a cache directory, each checked as one that comes from a disk. corrupt: the file is
// none, or its signature does not hold; nothing was taken then. A directory made by `into` can be named in
// ROWSMITH_SITE_DIRS, where any compiler's kernels are taken.
ROWSMITH_EXPORT result<import_report> import_bundle(const std::string& file, const import_options& options = {});

// ---- Care of a cache directory. An empty `cache_dir` is the user's own cache ----

struct cached_kernel {
  std::string digest;  // of what it is
  std::string layer, file;
  std::string key;
  std::string code;  // registers and the like, one "name value" a line; empty when it does not verify
  std::int64_t bytes = 0, payload_bytes = 0;
  std::int64_t last_used = 0;  // seconds since the epoch
  std::string problem;         // empty when it verifies
};

// Entries whose digest begins with `digest`, in every layer on a disk.
ROWSMITH_EXPORT std::vector<cached_kernel> find_kernels(const std::string& digest);

// Of one directory, of which nothing is touched. not_found: it does not exist; unsupported: it is refused.
ROWSMITH_EXPORT result<std::vector<cached_kernel>> find_kernels(const std::string& digest,
                                                                const std::string& cache_dir);

struct cache_layer_details {
  std::string name;      // "memory", "user", "site", "remote"; "directory" for one that was named
  std::string location;  // a directory
  std::string state;     // "read-write", "read-only", "off"
  std::string problem;   // why it is not used; empty otherwise
  std::string accepts;   // whose kernels it answers with: "same compiler", "any compiler"
  std::string owner;     // "root (0)"; empty where there is no directory
  int mode = 0;          // permission bits
  std::int64_t entries = 0, bytes = 0;
  std::int64_t set_aside = 0, set_aside_bytes = 0;  // damaged files, kept for a look until they are stale
};

// Every layer in the order in which they are asked, also those that are off.
ROWSMITH_EXPORT std::vector<cache_layer_details> cache_layers();

// One directory, as find_kernels() of one.
ROWSMITH_EXPORT result<cache_layer_details> cache_layer(const std::string& cache_dir);

// Removes files set aside and then the least recently used entries until at most `max_bytes` remain, and what killed
// processes left. How many entries and files set aside went.
ROWSMITH_EXPORT result<std::int64_t> prune_cache(std::int64_t max_bytes, const std::string& cache_dir = {});

// Removes every entry and every file set aside. How many went.
ROWSMITH_EXPORT result<std::int64_t> clear_cache(const std::string& cache_dir = {});

struct damaged_entry {
  std::string file, why;
};
struct verify_report {
  std::string directory;  // the one that was looked at
  std::int64_t entries = 0;
  std::vector<damaged_entry> damaged;
};

// Reads every entry whole and checks it. `repair` sets the damaged ones aside, so that they are built again.
ROWSMITH_EXPORT result<verify_report> verify_cache(bool repair, const std::string& cache_dir = {});

}  // namespace rowsmith
