// store: keeps built kernels by key. memory_store, disk_store and layered_store are its three forms; a remote tier
// would be a fourth, appended to a layered_store.
//
// A store never fails its user. Losing a race, a full disk, a read-only home or a stale NFS handle costs a counter and
// one log line; the caller still has the bytes in hand, and the worst outcome is that a kernel is built again.
//
// Thread promise: every method of every store may be called from any thread at any time, and any number of processes
// may share one directory.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cache/entry.h"
#include "cache/key.h"
#include "rowsmith/status.h"

namespace rowsmith::cache {

// Which builder's entries will do. A process that can compile wants its own compiler's work from a writable layer, and
// overwrites the rest; a host without a compiler takes any.
enum class accept { same, any };

// Looks into the payload of an entry just read (object format, machine, symbols). A failure makes the entry a damaged
// one. Supplied by the owner, because nothing here knows what a payload is. Called from any thread.
using binary_check = std::function<status(const entry&)>;

struct counters {
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;  // every get() without an answer, damaged and unreadable entries included
  std::uint64_t stores = 0;
  std::uint64_t damaged = 0;         // entries that failed a check and were set aside
  std::uint64_t read_failures = 0;   // the file system refused a read
  std::uint64_t store_failures = 0;  // put() kept nothing
  std::uint64_t evictions = 0;
};

// One line of a listing.
struct entry_info {
  cache::key key;
  std::string layer;
  std::string file;  // empty in memory
  std::uint64_t file_bytes = 0;
  std::uint64_t payload_bytes = 0;
  std::int64_t last_used = 0;  // seconds since the epoch; 0 in memory
};

class store {
 public:
  virtual ~store() = default;
  store() = default;
  store(const store&) = delete;
  store& operator=(const store&) = delete;

  // The entry of the same *what*, its whole what-fields compared; with accept::same also of the same *who*.
  // code::not_found when there is none, or none that can be trusted; the message says which.
  virtual result<entry> get(const key& k, accept a) = 0;

  // Keeps `e` under e.key, over whatever lay there. The caller may ignore the answer: it has been counted and logged.
  virtual status put(const entry& e) = 0;

  virtual bool writable() const = 0;
  virtual bool remote() const { return false; }  // an answer may take a network's time
  virtual std::string name() const = 0;          // "memory", "user /home/…", "site /opt/…"
  virtual std::vector<entry_info> list() = 0;
  virtual counters stats() const = 0;
};

// The listed entry that shares the most fields with `k` (the later used one of equals): with differing_fields() it says
// why a lookup missed.
std::optional<entry_info> nearest(const std::vector<entry_info>& listed, const key& k);

}  // namespace rowsmith::cache
