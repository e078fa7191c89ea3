// opened_cache: a cache directory as the cold path opens it, with its checks of every payload.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/environment.h"
#include "build/builder.h"
#include "cache/disk_store.h"
#include "rowsmith/status.h"

namespace rowsmith {

struct opened_cache {
  enum class form {
    all_layers,  // as a process has them; with a directory of its own: that one in the user's place
    alone,       // one directory, for reading and writing, made where it is missing
    existing,    // as alone, but a `dir` that was named has to be there
    read_only,   // one directory, of which nothing is touched or set aside; a `dir` that was named has to be there
  };

  // Empty `dir`: the user's. invalid_argument for a relative path, unsupported where there is none or it is refused,
  // not_found where it has to be there and is not; all layers open whatever is wrong with them.
  static result<std::unique_ptr<opened_cache>> open(const std::string& dir, form how);

  explicit opened_cache(environment e) : env(std::move(e)), cold(env) {}

  cache::layered_store& layers() noexcept { return cold.store(); }
  cache::disk_store& disk() noexcept { return *disk_; }  // the one directory; not with all_layers

  const environment env;
  builder cold;

 private:
  cache::disk_store* disk_ = nullptr;
};

// The layers whose entries can be listed: neither this process's memory nor a remote one.
std::vector<cache::disk_store*> directories_of(cache::layered_store& layers);

}  // namespace rowsmith
