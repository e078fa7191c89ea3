// cache_entries: what lies in the layers of a cache, or in one directory.
#include "call/runtime_state.h"
#include "deploy/opened_cache.h"
#include "rowsmith/runtime.h"

namespace rowsmith {

namespace {

void describe(cache::disk_store& layer, bool verify, std::vector<cache_entry_description>* all) {
  for (const cache::entry_info& e : layer.list()) {
    cache_entry_description d;
    d.digest = e.key.what_digest();
    d.key = e.key.text();
    d.bytes = static_cast<std::int64_t>(e.file_bytes);
    if (verify) {
      if (const auto read = layer.load(e.file, &e.key); !read) d.problem = read.status().message();
    }
    all->push_back(std::move(d));
  }
}

}  // namespace

std::vector<cache_entry_description> cache_entries(bool verify) {
  std::vector<cache_entry_description> all;
  for (cache::disk_store* layer : directories_of(the_runtime().cold.store())) describe(*layer, verify, &all);
  return all;
}

result<std::vector<cache_entry_description>> cache_entries(bool verify, const std::string& cache_dir) {
  const auto cache = opened_cache::open(cache_dir, opened_cache::form::read_only);
  if (!cache) return cache.status();
  std::vector<cache_entry_description> all;
  describe((*cache)->disk(), verify, &all);
  return all;
}

}  // namespace rowsmith
