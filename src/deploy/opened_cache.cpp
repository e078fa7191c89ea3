#include "deploy/opened_cache.h"

#include "cache/location.h"

namespace rowsmith {

namespace {

cache::location user_location(const environment& env, const std::string& dir) {
  return cache::resolve_location(
      {.option = dir, .rowsmith_cache_dir = env.cache_dir, .xdg_cache_home = env.xdg_cache_home, .home = env.home});
}

}  // namespace

result<std::unique_ptr<opened_cache>> opened_cache::open(const std::string& dir, form how) {
  environment env = the_environment();
  const cache::location where = user_location(env, dir);
  if (where.memory_only() && (how != form::all_layers || !dir.empty())) {
    return status(dir.empty() ? code::unsupported : code::invalid_argument, "no cache directory: " + where.reason);
  }
  // Where there is none, the environment stays as it is, and comes to the same in the store.
  if (!where.memory_only()) env.cache_dir = where.path;
  if (how != form::all_layers) {
    env.remote.clear();
    env.site_dirs.clear();
  }
  if (how == form::read_only) {
    env.site_dirs = {env.cache_dir};
    env.cache_dir = env.xdg_cache_home = env.home = "";
  }
  auto opened = std::make_unique<opened_cache>(std::move(env));
  if (how == form::all_layers) return opened;
  if (const auto found = directories_of(opened->layers()); !found.empty()) opened->disk_ = found.front();
  if (opened->disk_ == nullptr) return status(code::internal, "the cache has no directory");
  if (status s = opened->disk_->usable(); !s) return s;
  const bool has_to_be_there = !dir.empty() && how != form::alone;
  if (cache::file_info info; has_to_be_there && cache::posix_file_ops().stat(where.path, info) < 0) {
    return status(code::not_found, where.path + ": does not exist");
  }
  return opened;
}

std::vector<cache::disk_store*> directories_of(cache::layered_store& layers) {
  std::vector<cache::disk_store*> found;
  for (std::size_t i = 0; i < layers.layer_count(); ++i) {
    if (auto* disk = dynamic_cast<cache::disk_store*>(&layers.layer(i))) found.push_back(disk);
  }
  return found;
}

}  // namespace rowsmith
