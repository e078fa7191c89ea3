// layered_store: memory, then the user's directory, then read-only site directories, then a remote server, asked in
// that order.
//
// A hit further down is kept in memory and nowhere else: layers are never copied over each other, so a shipped
// directory cannot replace a better local entry. Writable layers are asked with the caller's `accept`; read-only ones
// answer with any builder's entry, because what was shipped was meant to be used.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cache/disk_store.h"
#include "cache/location.h"
#include "cache/memory_store.h"
#include "cache/remote_store.h"
#include "cache/store.h"

namespace rowsmith::cache {

struct layer_stats {
  std::string name;
  bool writable = false;
  cache::counters counters;
};

// A layer that was asked for and takes no part.
struct absent_layer {
  std::string name;  // "user", "site", "remote"
  std::string why;   // names the directory or the server
};

class layered_store final : public store {
 public:
  // `below` in the order in which they are asked. put() writes memory and every writable one.
  // `never_made`: layers that were asked for and cannot be in `below`.
  explicit layered_store(std::vector<std::unique_ptr<store>> below,
                         std::uint64_t memory_bytes = memory_store::default_max_bytes,
                         std::vector<absent_layer> never_made = {});

  result<entry> get(const key& k, accept a) override;
  result<entry> get_near(const key& k, accept a);  // without the remote layers: for callers that cannot wait
  status put(const entry& e) override;  // fails only when a writable layer failed; memory has the entry all the same
  bool writable() const override { return true; }
  std::string name() const override { return "layers"; }
  std::vector<entry_info> list() override;
  counters stats() const override;  // a get or put counts once here, wherever it was answered

  std::string scratch_folder();        // of the first directory that can give one; may be empty
  std::vector<absent_layer> absent();  // those never made, and directories that take no part at the moment
  const std::vector<absent_layer>& never_made() const noexcept { return never_made_; }
  std::vector<layer_stats> layers() const;  // memory first
  void clear_memory() { memory_.clear(); }  // what lies below answers next
  store& layer(std::size_t i) { return i == 0 ? static_cast<store&>(memory_) : *below_.at(i - 1); }
  std::size_t layer_count() const noexcept { return below_.size() + 1; }

 private:
  result<entry> find(const key& k, accept a, bool near_only);

  memory_store memory_;
  const std::vector<std::unique_ptr<store>> below_;
  const std::vector<absent_layer> never_made_;
  mutable std::mutex mutex_;
  counters counters_;
};

struct store_options {
  location user;                         // resolve_location(); memory only when it has no path
  std::vector<std::string> site_dirs;    // read-only, in order
  std::uint64_t max_bytes = 1ull << 30;  // of the user's directory
  bool shared = false;                   // the user's directory is shared with others on purpose
  std::optional<remote_options> remote;  // asked last
  binary_check check;                    // for everything read from a disk or fetched
  file_ops* ops = nullptr;
};

// The usual stack. Touches no file: a directory that cannot be used is found out by get() and put(), and said once.
std::unique_ptr<layered_store> make_store(const store_options& options);

}  // namespace rowsmith::cache
