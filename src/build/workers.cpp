#include "build/workers.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <system_error>

namespace rowsmith {

bool workers::post(std::function<void()> job) {
  std::unique_lock lock(mutex_);
  if (exiting_ || stopping_ != 0) return false;
  join_finished(lock);
  const bool all_busy = waiting_ <= static_cast<int>(jobs_.size());
  if (all_busy && static_cast<int>(threads_.size()) < most_) {
    // The program's signals are for the program's threads.
    sigset_t all, before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
      threads_.emplace_back([this] { work(); });
    } catch (const std::system_error&) {  // no thread to be had: whoever is there does it
    }
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  if (threads_.empty()) return false;
  jobs_.push_back(std::move(job));
  wake_.notify_one();
  return true;
}

void workers::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    ++waiting_;
    const bool woken = wake_.wait_for(lock, idle_, [this] { return !jobs_.empty() || stopping_ != 0; });
    --waiting_;
    if (exiting_) {  // the process is going down: no vendor library is entered any more
      wake_.wait(lock, [] { return false; });
    }
    if (!woken || stopping_ != 0) break;
    const std::function<void()> job = std::move(jobs_.front());
    jobs_.pop_front();
    ++running_;
    lock.unlock();
    job();
    lock.lock();
    --running_;
    if (jobs_.empty() && running_ == 0) calm_.notify_all();
  }
  const auto self = std::find_if(threads_.begin(), threads_.end(),
                                 [](const std::thread& t) { return t.get_id() == std::this_thread::get_id(); });
  if (self == threads_.end()) return;  // stop() has it
  finished_.push_back(std::move(*self));
  threads_.erase(self);
}

void workers::join_finished(std::unique_lock<std::mutex>& lock) {
  const std::vector<std::thread> ending = [&] {
    std::vector<std::thread> all;
    all.swap(finished_);
    return all;
  }();
  if (ending.empty()) return;
  lock.unlock();
  for (const std::thread& t : ending) const_cast<std::thread&>(t).join();
  lock.lock();
}

void workers::stop() {
  std::unique_lock lock(mutex_);
  if (exiting_) return;  // threads that run are left to the end of the process
  ++stopping_;
  jobs_.clear();
  std::vector<std::thread> ending;
  ending.swap(threads_);
  for (std::thread& t : finished_) ending.push_back(std::move(t));
  finished_.clear();
  wake_.notify_all();
  lock.unlock();
  for (std::thread& t : ending) t.join();
  lock.lock();
  --stopping_;
  calm_.notify_all();
  calm_.wait(lock, [this] { return stopping_ == 0 || exiting_; });  // another one may have the threads
}

void workers::abandon() noexcept {
  // A job that is running may hold any lock but this one, and this one only for a moment.
  const std::lock_guard lock(mutex_);
  exiting_ = true;
  jobs_.clear();
}

void workers::drain() {
  std::unique_lock lock(mutex_);
  calm_.wait(lock, [this] { return jobs_.empty() && running_ == 0; });
}

}  // namespace rowsmith
