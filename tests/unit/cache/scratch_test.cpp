// The folder of compilers' temporaries, and how long a lookup takes among very many entries.
#include <sys/stat.h>

#include <algorithm>
#include <chrono>

#include "support.h"

namespace rowsmith::cache {
namespace {

class scratch_test : public test::cache_test {};

TEST_F(scratch_test, case_71_a_private_folder_below_the_root) {
  disk_store s(options());
  const std::string folder = s.scratch_folder();
  ASSERT_EQ(folder, root() + "/tmp");
  struct stat info;
  ASSERT_EQ(::stat(folder.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
  EXPECT_TRUE(s.list().empty()) << "it is no entry";
  ::chmod(folder.c_str(), 0777);
  EXPECT_EQ(s.scratch_folder(), "") << "somebody else could have put something there";
}

TEST_F(scratch_test, case_71_no_folder_where_none_can_be_trusted) {
  disk_options o = options();
  o.shared = true;
  EXPECT_EQ(disk_store(o).scratch_folder(), "");
  o = options();
  o.mode = disk_mode::read_only;
  EXPECT_EQ(disk_store(o).scratch_folder(), "");
  EXPECT_FALSE(std::filesystem::exists(root()));
  o = options();
  o.root = "/proc/nowhere";
  EXPECT_EQ(disk_store(o).scratch_folder(), "");
}

TEST_F(scratch_test, what_killed_compilers_left_is_swept_once_stale) {
  disk_store s(options());
  const std::string left = s.scratch_folder() + "/rowsmith-abcdef";
  std::filesystem::create_directory(left);
  test::write_all(left + "/kernel.so", "half");
  ASSERT_TRUE(s.put(test::make_entry(1)).ok());
  EXPECT_TRUE(std::filesystem::exists(left)) << "still in use, perhaps";
  test::faulty_ops later;
  later.clock_offset = 3'700'000'000'000;
  ASSERT_TRUE(disk_store(options(&later)).put(test::make_entry(2)).ok());
  EXPECT_FALSE(std::filesystem::exists(left));
}

TEST_F(scratch_test, a_clock_that_goes_backwards_sweeps_and_evicts_nothing_fresh) {
  disk_store s(options());
  ASSERT_TRUE(s.put(test::make_entry(1)).ok());
  test::write_all(s.path_of(test::make_key(1)).substr(0, root().size() + 3) + "/.x.tmp", "being written");
  test::faulty_ops earlier;
  earlier.clock_offset = -1'000'000'000'000'000;  // eleven days
  disk_store past(options(&earlier));
  ASSERT_TRUE(past.put(test::make_entry(2)).ok());
  EXPECT_TRUE(past.get(test::make_key(1), accept::same).ok());
  EXPECT_EQ(test::files_below(root(), ".tmp").size(), 1u);
}

// 10^5 entries on disk: what a miss and a hit cost. ROWSMITH_SOAK_ENTRIES changes the number.
TEST_F(scratch_test, lookups_stay_quick_among_many_entries) {
  const char* wanted = std::getenv("ROWSMITH_SOAK_ENTRIES");
  const int many = wanted != nullptr ? std::atoi(wanted) : 2000;
  disk_options o = options();
  o.max_bytes = 0;
  test::faulty_ops ops;
  ops.no_sync = true;  // the disk's own speed is not asked about
  o.ops = &ops;
  {
    disk_store s(o);
    for (int i = 0; i < many; ++i) ASSERT_TRUE(s.put(test::make_entry(i, 300)).ok());
  }
  o.ops = nullptr;
  disk_store s(o);
  const auto median_us = [](const std::function<void(int)>& f) {
    std::vector<double> all;
    for (int i = 0; i < 1001; ++i) {
      const auto start = std::chrono::steady_clock::now();
      f(i);
      all.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count());
    }
    std::nth_element(all.begin(), all.begin() + 500, all.end());
    return all[500];
  };
  const double hit = median_us([&](int i) { EXPECT_TRUE(s.get(test::make_key(i % many), accept::same).ok()); });
  const double any = median_us([&](int i) { EXPECT_TRUE(s.get(test::make_key(i % many, "x"), accept::any).ok()); });
  const double miss = median_us([&](int i) { EXPECT_FALSE(s.get(test::make_key(-1 - i), accept::same).ok()); });
  const double none = median_us([&](int i) { EXPECT_FALSE(s.get(test::make_key(-1 - i), accept::any).ok()); });
  std::printf("%d entries: hit %.1f us, hit of another builder's %.1f us, miss %.1f us, of any builder's %.1f us\n",
              many, hit, any, miss, none);
  for (const double us : {hit, any, miss, none}) EXPECT_LT(us, 1000);
}

}  // namespace
}  // namespace rowsmith::cache
