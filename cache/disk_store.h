// disk_store: one directory of entries, shared by any number of threads and processes.
//
//   <root>/CACHEDIR.TAG                        so that backups pass it by
//   <root>/ab/<30 hex>.rsk                     one entry: digest of what. Of several builders the first has this name
//   <root>/ab/<30 hex>-<16 hex>.rsk            the entry of another builder: digest of what, then of who
//   <root>/ab/.<host>-<pid>-<tid>-<rand>.tmp   an entry being written; swept when stale
//   <root>/ab/<name>.rsk.bad                   a damaged entry, set aside; swept when stale
//   <root>/tmp/                                compilers' temporaries; swept when stale
//
// So any builder's entry is found without looking through the folder, and two builders do not overwrite each other.
// When an entry of the shorter name leaves, one of the longer names takes it.
//
// Nothing is created before the first put(). An entry appears by rename, complete or not at all. Because its bytes are
// executed, a directory or file that somebody else could have written is refused, with the reason.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "cache/file_ops.h"
#include "cache/store.h"

namespace rowsmith::cache {

enum class disk_mode {
  read_write,
  read_only,  // a site directory or an unpacked bundle: never written, touched, swept or created; root's files are
              // trusted
};

struct disk_options {
  std::string root;  // absolute
  disk_mode mode = disk_mode::read_write;
  bool shared = false;                   // other owners and group-writable modes are accepted, umask is kept
  std::uint64_t max_bytes = 1ull << 30;  // least recently used entries go first; 0: no cap
  std::int64_t stale_seconds = 3600;     // age from which a temporary or a damaged file is swept
  binary_check check;                    // run on every entry read; may be empty
  file_ops* ops = nullptr;               // null: the operating system's. Outlives the store.
};

class disk_store final : public store {
 public:
  explicit disk_store(disk_options options);
  ~disk_store() override;

  result<entry> get(const key& k, accept a) override;
  status put(const entry& e) override;
  bool writable() const override { return options_.mode == disk_mode::read_write; }
  std::string name() const override;
  std::vector<entry_info> list() override;
  counters stats() const override;

  const std::string& root() const noexcept { return options_.root; }
  std::string path_of(const key& k) const;      // of the entry that answers who takes any builder's
  std::string own_path_of(const key& k) const;  // of this builder's, where another's lies there

  // OK, or why this directory is refused. A directory that does not exist yet is fine.
  status usable() const;

  // OK, or why this directory takes no part now: also that it cannot be created, or, of a read-only one, that it does
  // not exist. Touches nothing.
  status takes_part() const;

  // Makes the directory now, as the first put() would; why it cannot be had, or written, otherwise.
  status prepare();

  // A folder below the root that only we can write, made if need be, for a compiler's temporaries; empty where there is
  // none to be had. What is left in it goes when stale.
  std::string scratch_folder();

  // What lies in a file, read and checked; with `wanted`, also that it is that kernel. Nothing is touched, set aside or
  // counted. corrupt: it is damaged, or not to be used; not_found: there is none, or another kernel's.
  result<entry> load(const std::string& path, const key* wanted);

  // For the command. prune: evicts down to `max_bytes` and sweeps; how many entries and files set aside went. clear:
  // every entry and leftover, counted likewise. verify: reads every entry as get() would; the files that failed, set
  // aside when writable.
  result<std::uint64_t> prune(std::uint64_t max_bytes);
  result<std::uint64_t> clear();
  result<std::vector<std::string>> verify();

 private:
  struct tally;

  result<std::string> read_file(const std::string& path);
  result<entry> miss(const std::string& why);
  std::string path_to_put(const key& k);
  bool set_aside(const std::string& path, const status& why);
  status store_failed(const status& why);
  void account(std::uint64_t written);
  void report_once(const std::string& what, const status& why);

  const disk_options options_;
  file_ops& ops_;
  std::unique_ptr<tally> tally_;

  std::mutex mutex_;  // what follows
  std::set<std::string> reported_;
  bool measured_ = false;
  std::uint64_t estimate_ = 0;  // bytes on disk, as of the last scan plus what was written since
  std::uint64_t since_scan_ = 0;
};

}  // namespace rowsmith::cache
