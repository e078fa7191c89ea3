// SIGKILL between any two steps of a put leaves a whole entry or none, and the next process carries on.
#include <sys/wait.h>

#include "support.h"

namespace rowsmith::cache {
namespace {

using test::faulty_ops;
using test::files_below;
using test::make_entry;
using test::make_key;
using test::payload_of;

class crash_test : public test::cache_test {
 protected:
  // Runs `body` in a child; true when it was killed.
  bool killed(const std::function<void()>& body) {
    const pid_t child = ::fork();
    if (child == 0) {
      body();
      ::_exit(0);
    }
    int state = 0;
    EXPECT_EQ(::waitpid(child, &state, 0), child);
    return WIFSIGNALED(state) && WTERMSIG(state) == SIGKILL;
  }
  bool put_killed_at(int step, const entry& e) {
    return killed([&] {
      faulty_ops ops;
      ops.write_at_most = 100;  // several writes, so that a torn temporary is among the outcomes
      ops.before = [step](const std::string&, int number) {
        if (number == step) ::kill(::getpid(), SIGKILL);
        return 0;
      };
      (void)disk_store(options(&ops)).put(e);
    });
  }
};

TEST_F(crash_test, case_16_case_23_killed_at_any_step_of_the_first_put) {
  int absent = 0, whole = 0, torn = 0, step = 0;
  for (; put_killed_at(step, make_entry(1)); ++step) {
    ASSERT_LT(step, 200);
    torn += files_below(root(), ".tmp").empty() ? 0 : 1;
    disk_store s(options());
    const result<entry> found = s.get(make_key(1), accept::same);
    if (found) {
      ++whole;
      ASSERT_EQ(found->payload, payload_of(1));
    } else {
      ++absent;
    }
    ASSERT_EQ(s.stats().damaged, 0u) << "step " << step << " left a torn entry";
    ASSERT_TRUE(s.put(make_entry(1)).ok()) << "no lock is left behind";
    ASSERT_TRUE(s.get(make_key(1), accept::same).ok());
    std::filesystem::remove_all(root());
  }
  EXPECT_GT(step, 10);
  EXPECT_GT(absent, 5);
  EXPECT_GT(whole, 0);
  EXPECT_GT(torn, 3);
}

TEST_F(crash_test, case_16_killed_while_replacing_leaves_the_old_or_the_new_entry) {
  int old_one = 0, new_one = 0, step = 0;
  for (;; ++step) {
    ASSERT_LT(step, 200);
    ASSERT_TRUE(disk_store(options()).put(make_entry(1, 300)).ok());
    if (!put_killed_at(step, make_entry(1, 700))) break;
    const result<entry> found = disk_store(options()).get(make_key(1), accept::same);
    ASSERT_TRUE(found.ok()) << step;
    ++(found->payload.size() == 300 ? old_one : new_one);
    ASSERT_EQ(found->payload, payload_of(1, found->payload.size() == 300 ? 300 : 700));
  }
  EXPECT_GT(old_one, 5);
  EXPECT_GT(new_one, 0);
}

TEST_F(crash_test, a_killed_writers_temporary_is_swept_once_stale) {
  int step = 0;
  while (files_below(root(), ".tmp").empty()) {
    ASSERT_LT(step, 200);
    ASSERT_TRUE(put_killed_at(step++, make_entry(1)));
  }
  faulty_ops later;
  later.clock_offset = 3'700'000'000'000;
  ASSERT_TRUE(disk_store(options(&later)).put(make_entry(2)).ok());
  EXPECT_TRUE(files_below(root(), ".tmp").empty());
}

}  // namespace
}  // namespace rowsmith::cache
