// workers: the few threads that compile in the background. Started when there is work, gone when there was none for a
// while, joined by stop(); a process that exits waits for none of them.
//
// Thread promise: every member from any thread, but stop() not from a job. Never destroyed while a job runs: it lives
// in the runtime, which is not destroyed at all. A forked child has no threads and must make workers of its own.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace rowsmith {

class workers {
 public:
  explicit workers(int most, std::chrono::milliseconds idle = std::chrono::seconds(5)) : most_(most), idle_(idle) {}

  // Queues a job, which must not throw. False when no thread could be started and none is there: nothing was queued.
  bool post(std::function<void()> job);

  // Drops what is queued, waits for what runs, joins. Later posts start afresh. Of several at once each waits for all.
  void stop();

  // As stop(), without the wait: for a process that is about to exit.
  void abandon() noexcept;

  // Waits until nothing is queued or running.
  void drain();

 private:
  void work();
  void join_finished(std::unique_lock<std::mutex>& lock);

  const int most_;
  const std::chrono::milliseconds idle_;
  std::mutex mutex_;
  std::condition_variable wake_, calm_;
  std::deque<std::function<void()>> jobs_;
  std::vector<std::thread> threads_;   // working or waiting for work
  std::vector<std::thread> finished_;  // about to end; to be joined
  int waiting_ = 0, running_ = 0;
  int stopping_ = 0;  // stop() calls under way
  bool exiting_ = false;
};

}  // namespace rowsmith
