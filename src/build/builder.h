// builder: the cold path. A class of shapes becomes an executable: store layers, else compile, verify, publish, load;
// the scalar fallback where that cannot be had.
//
// Thread promise: any number of threads may build; threads that want the same class at once share one build.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "backend/backend.h"
#include "base/environment.h"
#include "build/executable.h"
#include "build/single_flight.h"
#include "build/workers.h"
#include "cache/layered_store.h"
#include "cache/node_lock.h"
#include "model/facts.h"
#include "rowsmith/status.h"

namespace rowsmith {

struct shape_class_hash {
  std::size_t operator()(const shape_class& c) const noexcept;
};

struct build_counters {
  std::atomic<std::uint64_t> compiled{0}, compile_failures{0}, from_disk{0}, from_memory{0}, fallbacks{0};
};

class builder {
 public:
  using answer = result<std::shared_ptr<const executable>>;

  // Takes what was built in the background. Called from the threads that build.
  using delivery = std::function<void(const shape_class& c, std::shared_ptr<const executable> e)>;

  explicit builder(const environment& env, delivery deliver = {});

  // A specialized executable, or the fallback where none can be had and policy allows it. Waits for the compiler.
  // Failures are remembered: the same class is not compiled again by this process.
  answer build(const shape_class& c);

  // The fallback alone: what answers while something better is on its way.
  answer build_fallback(const shape_class& c);

  // Can the fallback be had without a compiler?
  bool fallback_at_hand(const shape_class& c);

  // What lies in memory or on a disk, by whatever compiler: no compiler is looked for, no network is asked.
  struct found {
    std::shared_ptr<const executable> kernel;
    std::vector<cache::key> keys;  // one a launch
  };
  result<found> find(const shape_class& c);

  // Builds `c` in the background and delivers it, once per class. `in_use` are the keys of what find() gave: nothing is
  // delivered where building would come to the same.
  void build_later(const shape_class& c, std::vector<cache::key> in_use = {});

  workers& background() noexcept { return workers_; }

  // An executable for a plan that somebody else made: each launch rendered, found or compiled, and loaded.
  answer assemble(const shape_class& c, backend& b, const device_info& device, const plan& p);

  // A sentence for every setting that could not be used.
  const std::vector<std::string>& complaints() const noexcept { return complaints_; }

  // "user: …", "site: …": a sentence for every layer of the cache that was asked for and takes no part.
  std::vector<std::string> layers_off() const;

  cache::layered_store& store() noexcept { return *store_; }
  const build_counters& counters() const noexcept { return counters_; }

  // Ends what runs in the background, forgets remembered failures and the entries in memory: the next build asks the
  // disk.
  void forget();

 private:
  struct target {
    backend* vendor;
    device_info device;
    rowsmith::plan plan;
  };
  result<target> plan_for(const shape_class& c);
  answer build_planned(const shape_class& c);
  bool nothing_better(const shape_class& c, const std::vector<cache::key>& in_use);
  result<executable::step> load(const source& s, const shape_class& c, backend& b, const device_info& device,
                                const launch_plan& l, origin* from, std::string* digest);
  struct machine_code {
    bytes binary;
    origin from;
    std::string digest;
  };
  result<machine_code> obtain(const source& s, const shape_class& c, backend& b, const traits& t);
  std::optional<machine_code> find_by_build(const cache::key& k, const std::string& build);
  machine_code use(const cache::entry& e, const cache::key& k);
  status why_missed(const shape_class& c, const traits& t, const cache::key& k);
  result<machine_code> compile(const source& s, const cache::key& key, backend& b, const traits& t);
  result<machine_code> compile_once_per_node(const source& s, const cache::key& key, backend& b, const traits& t);

  const environment& env_;
  const delivery deliver_;
  std::vector<std::string> complaints_;
  std::unique_ptr<cache::layered_store> store_;
  single_flight<shape_class, answer, shape_class_hash> flights_;
  build_counters counters_;
  std::mutex failures_mutex_;
  std::unordered_map<shape_class, status, shape_class_hash> failures_;

  bool locking_ = false;  // a directory is shared with other processes
  cache::node_lock_options locks_;
  std::atomic<int> futile_waits_{0};  // for locks whose holders left nothing behind

  std::mutex later_mutex_;
  std::unordered_set<shape_class, shape_class_hash> later_;
  workers workers_;
};

}  // namespace rowsmith
