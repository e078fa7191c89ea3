// single_flight: of many threads that want the same thing at once, one makes it and the others wait for it.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>

namespace rowsmith {

template <class Key, class Value, class Hash>
class single_flight {
 public:
  // The value that `make` gives for `key`, made once for all callers that overlap. Value must be copyable. Where `make`
  // throws, its caller gets the exception, and one of those that waited makes the value itself.
  template <class Make>
  Value run(const Key& key, Make make) {
    std::unique_lock lock(mutex_);
    for (auto found = flights_.find(key); found != flights_.end(); found = flights_.find(key)) {
      const std::shared_ptr<flight> theirs = found->second;
      theirs->landed.wait(lock, [&] { return theirs->value.has_value() || theirs->lost; });
      if (theirs->value.has_value()) return *theirs->value;
    }
    const auto ours = std::make_shared<flight>();
    flights_.emplace(key, ours);
    lock.unlock();
    try {
      Value value = make();
      lock.lock();
      ours->value = std::move(value);
    } catch (...) {
      if (!lock.owns_lock()) lock.lock();
      ours->lost = true;
      flights_.erase(key);
      ours->landed.notify_all();
      throw;
    }
    flights_.erase(key);
    ours->landed.notify_all();
    return *ours->value;
  }

 private:
  struct flight {
    std::optional<Value> value;
    bool lost = false;  // its maker threw
    std::condition_variable landed;
  };
  std::mutex mutex_;
  std::unordered_map<Key, std::shared_ptr<flight>, Hash> flights_;
};

}  // namespace rowsmith
