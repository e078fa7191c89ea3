// builder: the cold path. A class of shapes becomes an executable: store layers, else compile, verify, publish, load;
// the scalar fallback where that cannot be had.
//
// Thread promise: any number of threads may build; threads that want the same class at once share one build.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "backend/backend.h"
#include "base/environment.h"
#include "build/executable.h"
#include "build/single_flight.h"
#include "cache/layered_store.h"
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

  explicit builder(const environment& env);

  // A specialized executable, or the fallback where none can be had and policy allows it. Failures are remembered: the
  // same class is not compiled again by this process.
  answer build(const shape_class& c);

  // The fallback alone: what answers while something better is on its way.
  answer build_fallback(const shape_class& c);

  // An executable for a plan that somebody else made: each launch rendered, found or compiled, and loaded.
  answer assemble(const shape_class& c, backend& b, const device_info& device, const plan& p);

  cache::layered_store& store() noexcept { return *store_; }
  const build_counters& counters() const noexcept { return counters_; }

  // Forgets remembered failures and the entries in memory: the next build asks the disk.
  void forget();

 private:
  answer build_planned(const shape_class& c);
  result<executable::step> load(const source& s, const shape_class& c, backend& b, const device_info& device,
                                const launch_plan& l, origin* from, std::string* digest);
  struct machine_code {
    bytes binary;
    origin from;
    std::string digest;
  };
  result<machine_code> obtain(const source& s, const shape_class& c, backend& b, const traits& t);
  result<machine_code> compile(const source& s, const cache::key& key, backend& b, const traits& t);

  const environment& env_;
  std::unique_ptr<cache::layered_store> store_;
  single_flight<shape_class, answer, shape_class_hash> flights_;
  build_counters counters_;
  std::mutex failures_mutex_;
  std::unordered_map<shape_class, status, shape_class_hash> failures_;
};

}  // namespace rowsmith
