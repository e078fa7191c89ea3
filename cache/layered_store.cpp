#include "cache/layered_store.h"

#include <fmt/format.h>

#include "base/log.h"

namespace rowsmith::cache {

layered_store::layered_store(std::vector<std::unique_ptr<store>> below, std::uint64_t memory_bytes,
                             std::vector<absent_layer> never_made)
    : memory_(memory_bytes), below_(std::move(below)), never_made_(std::move(never_made)) {}

result<entry> layered_store::get(const key& k, accept a) { return find(k, a, false); }
result<entry> layered_store::get_near(const key& k, accept a) { return find(k, a, true); }

result<entry> layered_store::find(const key& k, accept a, bool near_only) {
  result<entry> found = memory_.get(k, a);
  std::string why;
  for (std::size_t i = 0; !found && i < below_.size(); ++i) {
    store& layer = *below_[i];
    if (near_only && layer.remote()) continue;
    found = layer.get(k, layer.writable() ? a : accept::any);
    if (!found) {
      why += why.empty() ? "" : "; ";
      why += found.status().message();
      continue;
    }
    // Under accept::same memory would never answer with another builder's entry, so there is no use in keeping it.
    if (a == accept::any || found->key.same_who(k)) (void)memory_.put(*found);
  }
  const std::lock_guard lock(mutex_);
  ++(found ? counters_.hits : counters_.misses);
  if (!found) return status(code::not_found, why.empty() ? "memory: no such entry" : why);
  return found;
}

status layered_store::put(const entry& e) {
  (void)memory_.put(e);  // refuses only what is larger than all of it
  status failure;
  for (const auto& layer : below_) {
    if (!layer->writable()) continue;
    if (status s = layer->put(e); !s && failure) failure = s;
  }
  const std::lock_guard lock(mutex_);
  ++(failure ? counters_.stores : counters_.store_failures);
  return failure;
}

std::vector<entry_info> layered_store::list() {
  std::vector<entry_info> all = memory_.list();
  for (const auto& layer : below_) {
    for (entry_info& info : layer->list()) all.push_back(std::move(info));
  }
  return all;
}

counters layered_store::stats() const {
  counters sum;
  {
    const std::lock_guard lock(mutex_);
    sum = counters_;
  }
  for (const auto& layer : below_) {
    const counters c = layer->stats();
    sum.damaged += c.damaged;
    sum.read_failures += c.read_failures;
    sum.evictions += c.evictions;
  }
  return sum;
}

std::string layered_store::scratch_folder() {
  for (const auto& layer : below_) {
    auto* disk = dynamic_cast<disk_store*>(layer.get());
    if (disk == nullptr) continue;
    if (std::string folder = disk->scratch_folder(); !folder.empty()) return folder;
  }
  return {};
}

std::vector<absent_layer> layered_store::absent() {
  std::vector<absent_layer> all = never_made_;
  for (const auto& layer : below_) {
    auto* disk = dynamic_cast<disk_store*>(layer.get());
    if (disk == nullptr) continue;
    if (status s = disk->takes_part(); !s) all.push_back({disk->writable() ? "user" : "site", s.message()});
  }
  return all;
}

std::vector<layer_stats> layered_store::layers() const {
  std::vector<layer_stats> all{{memory_.name(), memory_.writable(), memory_.stats()}};
  for (const auto& layer : below_) all.push_back({layer->name(), layer->writable(), layer->stats()});
  return all;
}

std::unique_ptr<layered_store> make_store(const store_options& options) {
  std::vector<std::unique_ptr<store>> below;
  std::vector<absent_layer> never_made;
  disk_options disk;
  disk.check = options.check;
  disk.ops = options.ops;
  if (options.user.memory_only()) {
    log(log_level::warn, fmt::format("kernel cache: {}", options.user.reason));
    never_made.push_back({"user", options.user.reason});
  } else {
    disk.root = options.user.path;
    disk.shared = options.shared;
    disk.max_bytes = options.max_bytes;
    below.push_back(std::make_unique<disk_store>(disk));
  }
  disk.mode = disk_mode::read_only;
  disk.shared = false;
  for (const std::string& dir : options.site_dirs) {
    disk.root = dir;
    below.push_back(std::make_unique<disk_store>(disk));
  }
  if (options.remote) {
    remote_options far = *options.remote;
    far.check = options.check;
    if (result<std::unique_ptr<store>> server = make_remote_store(std::move(far)); server) {
      below.push_back(std::move(*server));
    } else {
      log(log_level::warn, fmt::format("kernel cache: {}", server.status().to_string()));
      never_made.push_back({"remote", server.status().message()});
    }
  }
  return std::make_unique<layered_store>(std::move(below), memory_store::default_max_bytes, std::move(never_made));
}

}  // namespace rowsmith::cache
