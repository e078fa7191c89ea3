// The lock between the processes of a machine: it only saves work, and nothing can make it cost more than its time
// limit.
#include "cache/node_lock.h"

#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <chrono>
#include <thread>

#include "base/log.h"
#include "support.h"

namespace rowsmith::cache {
namespace {

using namespace std::chrono_literals;

std::string g_line;
void keep_line(log_level, std::string_view line, void*) { g_line = line; }

class node_lock_test : public test::cache_test {
 protected:
  node_lock_options options() const {
    node_lock_options o;
    o.folders = {dir()};
    o.most_wait = 300ms;
    return o;
  }
  // A child that takes the lock and keeps it until it is killed.
  pid_t holder(const std::string& name) {
    int ready[2];
    EXPECT_EQ(::pipe(ready), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      const node_lock lock = node_lock::acquire(options(), name, [] { return false; });
      (void)!::write(ready[1], lock.held() ? "y" : "n", 1);
      for (;;) ::pause();
    }
    char answer = 0;
    EXPECT_EQ(::read(ready[0], &answer, 1), 1);
    EXPECT_EQ(answer, 'y');
    ::close(ready[0]);
    ::close(ready[1]);
    return child;
  }
  static void kill(pid_t child) {
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  }
};

const std::function<bool()> not_done = [] { return false; };

TEST_F(node_lock_test, one_at_a_time) {
  {
    const node_lock mine = node_lock::acquire(options(), "a", not_done);
    EXPECT_TRUE(mine.held());
    EXPECT_FALSE(mine.waited());
    std::thread([&] { EXPECT_FALSE(node_lock::acquire(options(), "a", not_done).held()); }).join();
  }
  EXPECT_TRUE(node_lock::acquire(options(), "a", not_done).held());
}

TEST_F(node_lock_test, case_22_case_24_the_wait_is_bounded_and_names_the_owner) {
  set_log(&keep_line, nullptr, log_level::info);
  const pid_t child = holder("a");
  const auto start = std::chrono::steady_clock::now();
  const node_lock lock = node_lock::acquire(options(), "a", not_done);
  EXPECT_FALSE(lock.held());
  EXPECT_TRUE(lock.waited());
  EXPECT_LT(std::chrono::steady_clock::now() - start, 2s);
  EXPECT_NE(g_line.find("process " + std::to_string(child)), std::string::npos) << g_line;
  kill(child);
  set_log(nullptr, nullptr, log_level::off);
}

TEST_F(node_lock_test, case_23_a_killed_holder_frees_it) {
  kill(holder("a"));
  const node_lock lock = node_lock::acquire(options(), "a", not_done);
  EXPECT_TRUE(lock.held());
  EXPECT_FALSE(lock.waited());
}

TEST_F(node_lock_test, whoever_finds_the_work_done_waits_no_longer) {
  const pid_t child = holder("a");
  int looks = 0;
  const node_lock lock = node_lock::acquire(options(), "a", [&] { return ++looks == 3; });
  EXPECT_FALSE(lock.held());
  EXPECT_EQ(looks, 3);
  kill(child);
}

TEST_F(node_lock_test, a_forked_child_does_not_keep_it) {
  pid_t child = -1;
  {
    const node_lock mine = node_lock::acquire(options(), "a", not_done);
    child = ::fork();
    if (child == 0) {
      for (;;) ::pause();
    }
  }
  EXPECT_TRUE(node_lock::acquire(options(), "a", not_done).held());
  kill(child);
}

TEST_F(node_lock_test, case_22_folders_on_the_caches_own_file_system_are_passed_over) {
  node_lock_options o = options();
  o.not_beside = root() + "/not/there/yet";
  EXPECT_FALSE(node_lock::acquire(o, "a", not_done).held());
  EXPECT_TRUE(std::filesystem::is_empty(dir())) << "nothing is made there";
}

TEST_F(node_lock_test, case_28_folders_that_others_can_use_are_passed_over) {
  const std::string folder = dir() + "/rowsmith-locks-" + std::to_string(::geteuid());
  std::filesystem::create_directory(folder);
  ::chmod(folder.c_str(), 0777);
  EXPECT_FALSE(node_lock::acquire(options(), "a", not_done).held());
  std::filesystem::remove(folder);
  std::filesystem::create_symlink("/tmp", folder);
  EXPECT_FALSE(node_lock::acquire(options(), "a", not_done).held());
  node_lock_options nowhere;
  nowhere.folders = {"/proc/nowhere"};
  EXPECT_FALSE(node_lock::acquire(nowhere, "a", not_done).held());
}

TEST_F(node_lock_test, files_do_not_pile_up) {
  for (int i = 0; i < 2000; ++i) (void)node_lock::acquire(options(), std::to_string(i), not_done);
  std::size_t files = 0;
  for (const auto& f : std::filesystem::recursive_directory_iterator(dir())) files += f.is_regular_file() ? 1 : 0;
  EXPECT_LE(files, 256u);
}

}  // namespace
}  // namespace rowsmith::cache
