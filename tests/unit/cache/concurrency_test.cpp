// Threads and processes on one directory: lost races cost time, never a wrong or torn answer.
#include <sys/wait.h>

#include <thread>

#include "cache/layered_store.h"
#include "support.h"

namespace rowsmith::cache {
namespace {

using test::files_below;
using test::make_entry;
using test::make_key;
using test::payload_of;

constexpr int keys = 12;

class concurrency_test : public test::cache_test {
 protected:
  // Every worker stores and reads every key, in an order of its own. The number of wrong answers.
  int work(store& s, int worker, int rounds) {
    int wrong = 0;
    for (int i = 0; i < rounds * keys; ++i) {
      const int n = (i * 5 + worker * 7) % keys;
      const std::size_t bytes = 300 + static_cast<std::size_t>(worker) * 97;
      if (!s.put(make_entry(n, bytes)).ok()) ++wrong;
      const result<entry> e = s.get(make_key(n), accept::same);
      if (!e || e->payload != payload_of(n, e->payload.size()) || e->metadata != make_entry(n).metadata) ++wrong;
    }
    return wrong;
  }
};

TEST_F(concurrency_test, case_21_eight_threads_on_one_store) {
  disk_store s(options());
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) threads.emplace_back([&, t] { wrong += work(s, t, 5); });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(s.stats().damaged, 0u);
  EXPECT_EQ(s.stats().store_failures, 0u);
  EXPECT_EQ(s.stats().hits, 8u * 5 * keys);
  EXPECT_EQ(s.list().size(), static_cast<std::size_t>(keys));
  EXPECT_TRUE(files_below(root(), ".tmp").empty());
}

TEST_F(concurrency_test, eight_threads_on_the_layers_and_their_counters) {
  store_options o;
  o.user = {root(), location_origin::option, "test"};
  const auto s = make_store(o);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) threads.emplace_back([&, t] { wrong += work(*s, t, 3); });
  for (int i = 0; i < 50; ++i) {
    (void)s->stats();
    (void)s->layers();
    (void)s->list();
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(s->stats().hits, 8u * 3 * keys);
  EXPECT_EQ(s->stats().stores, 8u * 3 * keys);
}

TEST_F(concurrency_test, eight_threads_under_a_cap_that_evicts_all_the_time) {
  disk_options o = options();
  o.max_bytes = 4096;
  disk_store s(o);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 60; ++i) {
        const int n = (i * 5 + t) % keys;
        (void)s.put(make_entry(n));
        const result<entry> e = s.get(make_key(n), accept::same);
        if (e && e->payload != payload_of(n)) ++wrong;
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(s.stats().damaged, 0u);
  EXPECT_GT(s.stats().evictions, 0u);
}

TEST_F(concurrency_test, case_17_case_21_several_cold_processes_on_one_directory) {
  std::vector<pid_t> children;
  for (int p = 0; p < 6; ++p) {
    const pid_t child = ::fork();
    if (child == 0) {
      disk_store s(options());
      const int wrong = work(s, p, 6);
      ::_exit(wrong == 0 && s.stats().damaged == 0 && s.stats().store_failures == 0 ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int state = 0;
    ASSERT_EQ(::waitpid(child, &state, 0), child);
    EXPECT_TRUE(WIFEXITED(state) && WEXITSTATUS(state) == 0);
  }
  disk_store s(options());
  for (int n = 0; n < keys; ++n) EXPECT_TRUE(s.get(make_key(n), accept::same).ok()) << n;
  EXPECT_TRUE(files_below(root(), ".tmp").empty());
  EXPECT_TRUE(files_below(root(), ".bad").empty());
}

}  // namespace
}  // namespace rowsmith::cache
