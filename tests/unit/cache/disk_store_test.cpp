#include "cache/disk_store.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <map>

#include "support.h"

namespace rowsmith::cache {
namespace {

using test::files_below;
using test::make_entry;
using test::make_key;
using test::read_all;
using test::write_all;

class disk_store_test : public test::cache_test {};

void set_age(const std::string& path, std::int64_t seconds) {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  const timespec then{now.tv_sec - seconds, now.tv_nsec};
  const timespec times[2] = {then, then};
  ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0) << path;
}

TEST_F(disk_store_test, another_store_on_the_same_directory_finds_the_entry) {
  const entry e = make_entry(1);
  ASSERT_TRUE(disk_store(options()).put(e).ok());
  disk_store second(options());
  const result<entry> found = second.get(e.key, accept::same);
  ASSERT_TRUE(found.ok()) << found.status().to_string();
  EXPECT_EQ(found->payload, e.payload);
  EXPECT_EQ(found->metadata, e.metadata);
  EXPECT_EQ(found->key, e.key);
  EXPECT_EQ(found->layer, "user " + root());
  EXPECT_EQ(second.stats().hits, 1u);
}

TEST_F(disk_store_test, case_38_case_54_layout_is_fanned_out_with_short_names) {
  disk_store s(options());
  ASSERT_TRUE(s.put(make_entry(1)).ok());
  const std::string path = s.path_of(make_key(1));
  EXPECT_EQ(path.substr(0, root().size() + 4), root() + "/" + make_key(1).what_digest().substr(0, 2) + "/");
  EXPECT_LE(path.size() - root().size() - 4, 64u);
  EXPECT_TRUE(std::filesystem::exists(path));
  EXPECT_EQ(files_below(root(), ".tmp").size(), 0u);
  EXPECT_EQ(read_all(root() + "/CACHEDIR.TAG").substr(0, 43), "Signature: 8a477f597d28d172789f06886806bc55");
}

TEST_F(disk_store_test, a_directory_with_other_contents_gets_no_tag) {
  std::filesystem::create_directory(root());
  write_all(root() + "/thesis.tex", "years of work");
  ASSERT_TRUE(disk_store(options()).put(make_entry(1)).ok());
  EXPECT_FALSE(std::filesystem::exists(root() + "/CACHEDIR.TAG"));
}

TEST_F(disk_store_test, case_65_nothing_is_created_before_the_first_put) {
  disk_store s(options());
  EXPECT_FALSE(s.get(make_key(1), accept::any).ok());
  EXPECT_TRUE(s.list().empty());
  EXPECT_TRUE(s.usable().ok());
  EXPECT_FALSE(std::filesystem::exists(root()));
  EXPECT_EQ(s.stats().misses, 1u);
  EXPECT_EQ(s.stats().read_failures, 0u);
}

TEST_F(disk_store_test, case_1_another_builders_entry_is_a_miss_for_same_and_a_hit_for_any) {
  disk_store s(options());
  ASSERT_TRUE(s.put(make_entry(1, 300, "cc 1")).ok());
  EXPECT_EQ(s.get(make_key(1, "cc 2"), accept::same).status().error(), code::not_found);
  const result<entry> any = s.get(make_key(1, "cc 2"), accept::any);
  ASSERT_TRUE(any.ok());
  EXPECT_EQ(any->key.who_text(), "who compiler = cc 1\n");
  EXPECT_EQ(s.stats().damaged, 0u);
}

TEST_F(disk_store_test, case_6_two_builders_share_a_directory_without_swapping_binaries) {
  disk_store s(options());
  ASSERT_TRUE(s.put(make_entry(1, 300, "cc 1")).ok());
  ASSERT_TRUE(s.put(make_entry(1, 400, "cc 2")).ok());
  EXPECT_EQ(s.get(make_key(1, "cc 1"), accept::same)->payload.size(), 300u);
  EXPECT_EQ(s.get(make_key(1, "cc 2"), accept::same)->payload.size(), 400u);
  EXPECT_EQ(s.get(make_key(1, "cc 3"), accept::any)->payload.size(), 300u) << "the first one answers";
  ASSERT_TRUE(s.put(make_entry(1, 500, "cc 2")).ok());
  ASSERT_TRUE(s.put(make_entry(1, 600, "cc 1")).ok());
  EXPECT_EQ(s.list().size(), 2u) << "each replaces its own";
  EXPECT_EQ(s.get(make_key(1, "cc 1"), accept::same)->payload.size(), 600u);
  EXPECT_EQ(s.get(make_key(1, "cc 2"), accept::same)->payload.size(), 500u);
}

TEST_F(disk_store_test, no_lookup_searches_a_folder) {
  test::faulty_ops ops;
  disk_store s(options(&ops));
  for (const char* compiler : {"cc 1", "cc 2", "cc 3"}) ASSERT_TRUE(s.put(make_entry(1, 300, compiler)).ok());
  int lists = 0;
  ops.before = [&](const std::string& call, int) { return lists += call == "list", 0; };
  for (const char* compiler : {"cc 1", "cc 2", "cc 3"}) EXPECT_TRUE(s.get(make_key(1, compiler), accept::same).ok());
  EXPECT_TRUE(s.get(make_key(1, "cc 4"), accept::any).ok());
  EXPECT_FALSE(s.get(make_key(1, "cc 4"), accept::same).ok());
  EXPECT_FALSE(s.get(make_key(2), accept::any).ok());
  EXPECT_EQ(lists, 0);
}

// However young it is: nobody will use it.
TEST_F(disk_store_test, what_is_set_aside_leaves_before_any_entry) {
  disk_store s(options());
  for (int i : {1, 2}) ASSERT_TRUE(s.put(make_entry(i, 300)).ok());
  set_age(s.path_of(make_key(2)), 100);
  write_all(s.path_of(make_key(1)), std::string(300, 'x'));
  EXPECT_FALSE(s.get(make_key(1), accept::any).ok());
  EXPECT_EQ(*disk_store(options()).prune(s.list().front().file_bytes), 1u);
  EXPECT_TRUE(s.get(make_key(2), accept::any).ok());
}

// A directory that cannot be had is told before anything is put there.
TEST_F(disk_store_test, tells_whether_it_takes_part) {
  disk_options none = options();
  none.root = "/proc/none";
  EXPECT_TRUE(disk_store(none).usable().ok());
  EXPECT_THAT(disk_store(none).takes_part().message(), testing::HasSubstr("cannot be created"));
  EXPECT_FALSE(disk_store(none).prepare().ok());
  disk_options site = options();
  site.root = root() + "/absent";
  EXPECT_TRUE(disk_store(site).takes_part().ok());
  site.mode = disk_mode::read_only;
  EXPECT_THAT(disk_store(site).takes_part().message(), testing::HasSubstr("does not exist"));
}

// Whatever becomes of the entry that anybody finds, another builder's is found in its place.
TEST_F(disk_store_test, another_builders_entry_takes_the_place_of_one_that_leaves) {
  const auto found = [&] { return disk_store(options()).get(make_key(1, "nobody"), accept::any); };
  const auto two = [&] {
    std::filesystem::remove_all(root());
    disk_store s(options());
    for (const char* compiler : {"cc 1", "cc 2"}) ASSERT_TRUE(s.put(make_entry(1, 300, compiler)).ok());
    set_age(s.path_of(make_key(1)), 100);
  };
  two();  // it is damaged and met by somebody who takes any
  write_all(disk_store(options()).path_of(make_key(1)), "junk");
  EXPECT_TRUE(found().ok());
  EXPECT_TRUE(found().ok());
  two();  // by its owner
  write_all(disk_store(options()).path_of(make_key(1)), "junk");
  EXPECT_FALSE(disk_store(options()).get(make_key(1, "cc 1"), accept::same).ok());
  EXPECT_TRUE(found().ok());
  EXPECT_TRUE(disk_store(options()).get(make_key(1, "cc 2"), accept::same).ok());
  two();  // by the command, which has to look at both
  write_all(disk_store(options()).path_of(make_key(1)), "junk");
  EXPECT_EQ(disk_store(options()).verify()->size(), 1u);
  EXPECT_TRUE(found().ok());
  two();  // it is the least recently used
  EXPECT_EQ(*disk_store(options()).prune(700), 1u);
  EXPECT_TRUE(found().ok());
  EXPECT_EQ(found()->key.who_text(), "who compiler = cc 2\n");
  EXPECT_EQ(*disk_store(options()).prune(0), 1u);
  EXPECT_FALSE(found().ok());
  two();  // somebody removed it
  std::filesystem::remove(disk_store(options()).path_of(make_key(1)));
  EXPECT_FALSE(found().ok());
  EXPECT_EQ(*disk_store(options()).prune(1 << 20), 0u);
  EXPECT_TRUE(found().ok());
}

TEST_F(disk_store_test, where_all_builders_entries_are_damaged_none_answers) {
  disk_store s(options());
  for (const char* compiler : {"cc 1", "cc 2", "cc 3"}) ASSERT_TRUE(s.put(make_entry(1, 300, compiler)).ok());
  for (const auto& f : files_below(root(), ".rsk")) write_all(f, "junk");
  EXPECT_EQ(disk_store(options()).verify()->size(), 3u);
  EXPECT_TRUE(files_below(root(), ".rsk").empty());
  for (const char* compiler : {"cc 1", "cc 2", "cc 3"}) ASSERT_TRUE(s.put(make_entry(1, 300, compiler)).ok());
  for (const auto& f : files_below(root(), ".rsk")) write_all(f, "junk");
  EXPECT_FALSE(s.get(make_key(1, "nobody"), accept::any).ok());
  ASSERT_TRUE(s.put(make_entry(1, 300, "cc 2")).ok());
  EXPECT_TRUE(s.get(make_key(1, "nobody"), accept::any).ok());
}

TEST_F(disk_store_test, case_14_corrupted_entry_is_a_miss_at_every_byte) {
  disk_store s(options());
  const entry e = make_entry(1, 60);
  ASSERT_TRUE(s.put(e).ok());
  const std::string path = s.path_of(e.key);
  const std::string good = read_all(path);
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x41);
    write_all(path, bad);
    const result<entry> found = s.get(e.key, accept::any);
    ASSERT_FALSE(found.ok()) << "byte " << at;
    ASSERT_EQ(found.status().error(), code::not_found);
    ASSERT_FALSE(std::filesystem::exists(path)) << "set aside";
  }
  EXPECT_EQ(s.stats().damaged, good.size());
  EXPECT_EQ(files_below(root(), ".bad").size(), 1u) << "evidence is kept once, it does not pile up";
  ASSERT_TRUE(s.put(e).ok());
  EXPECT_TRUE(s.get(e.key, accept::same).ok()) << "built again";
}

TEST_F(disk_store_test, case_16_truncated_entry_is_a_miss_at_every_length) {
  disk_store s(options());
  const entry e = make_entry(1, 60);
  ASSERT_TRUE(s.put(e).ok());
  const std::string path = s.path_of(e.key);
  const std::string good = read_all(path);
  for (std::size_t n = 0; n < good.size(); ++n) {
    write_all(path, good.substr(0, n));
    ASSERT_FALSE(s.get(e.key, accept::any).ok()) << n;
  }
  EXPECT_EQ(s.stats().damaged, good.size());
}

TEST_F(disk_store_test, case_5_an_entry_under_another_keys_name_is_never_returned) {
  disk_store s(options());
  ASSERT_TRUE(s.put(make_entry(1)).ok());
  ASSERT_TRUE(s.put(make_entry(2)).ok());
  std::filesystem::copy_file(s.path_of(make_key(1)), s.path_of(make_key(2)),
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_FALSE(s.get(make_key(2), accept::any).ok());
  EXPECT_EQ(s.stats().damaged, 1u);
  EXPECT_TRUE(s.get(make_key(1), accept::any).ok());
}

TEST_F(disk_store_test, case_12_case_13_a_binary_the_owner_refuses_is_a_miss) {
  ASSERT_TRUE(disk_store(options()).put(make_entry(1)).ok());
  disk_options o = options();
  o.check = [](const entry& e) { return status(code::corrupt, "not for this machine: " + e.metadata); };
  disk_store s(o);
  const result<entry> found = s.get(make_key(1), accept::same);
  EXPECT_EQ(found.status().error(), code::not_found);
  EXPECT_NE(found.status().message().find("not for this machine: meta 1"), std::string::npos);
  EXPECT_EQ(s.stats().damaged, 1u);
  EXPECT_FALSE(std::filesystem::exists(s.path_of(make_key(1))));
}

TEST_F(disk_store_test, things_that_are_not_entries_do_not_hang_or_crash_a_get) {
  disk_store s(options());
  ASSERT_TRUE(s.put(make_entry(1)).ok());
  const std::string path = s.path_of(make_key(1));
  std::filesystem::remove(path);
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_FALSE(s.get(make_key(1), accept::any).ok());
  std::filesystem::create_directory(path);
  EXPECT_FALSE(s.get(make_key(1), accept::any).ok());
  std::filesystem::remove_all(path);
  write_all(dir() + "/elsewhere", encode(make_entry(1)));
  std::filesystem::create_symlink(dir() + "/elsewhere", path);
  EXPECT_FALSE(s.get(make_key(1), accept::any).ok());
}

TEST_F(disk_store_test, case_66_a_read_only_directory_answers_and_is_not_written) {
  ASSERT_TRUE(disk_store(options()).put(make_entry(1)).ok());
  ASSERT_TRUE(disk_store(options()).put(make_entry(2)).ok());
  disk_options o = options();
  o.mode = disk_mode::read_only;
  test::faulty_ops ops;
  std::map<std::string, int> calls;
  ops.before = [&](const std::string& call, int) { return ++calls[call], 0; };
  o.ops = &ops;
  disk_store site(o);
  EXPECT_FALSE(site.writable());
  EXPECT_EQ(site.name(), "site " + root());
  EXPECT_TRUE(site.get(make_key(1), accept::any).ok());
  write_all(site.path_of(make_key(2)), "junk");
  EXPECT_FALSE(site.get(make_key(2), accept::any).ok());
  EXPECT_TRUE(std::filesystem::exists(site.path_of(make_key(2)))) << "a damaged entry stays where it is";
  EXPECT_EQ(site.put(make_entry(3)).error(), code::unsupported);
  EXPECT_FALSE(site.prune(0).ok());
  EXPECT_FALSE(site.clear().ok());
  for (const char* writing : {"write", "rename", "unlink", "mkdir", "touch", "fsync"})
    EXPECT_EQ(calls[writing], 0) << writing;
}

TEST_F(disk_store_test, case_36_the_cap_holds_and_the_least_recently_used_leave) {
  disk_options o = options();
  o.max_bytes = 20 * 1024;
  disk_store s(o);
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(s.put(make_entry(i, 1024)).ok());
  for (int i = 0; i < 10; ++i) set_age(s.path_of(make_key(i)), 1000 - i);
  ASSERT_TRUE(s.get(make_key(0), accept::same).ok());  // the oldest, used again
  for (int i = 10; i < 40; ++i) {
    ASSERT_TRUE(s.put(make_entry(i, 1024)).ok());
    ASSERT_TRUE(s.get(make_key(0), accept::same).ok()) << "used after every put, so never the one to go";
    std::uint64_t total = 0;
    for (const auto& f : files_below(root(), ".rsk")) total += std::filesystem::file_size(f);
    ASSERT_LE(total, o.max_bytes);
  }
  EXPECT_FALSE(s.get(make_key(1), accept::same).ok());
  EXPECT_TRUE(s.get(make_key(39), accept::same).ok());
  EXPECT_GT(s.stats().evictions, 15u);
}

TEST_F(disk_store_test, the_cap_counts_what_was_there_before) {
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(disk_store(options()).put(make_entry(i, 1024)).ok());
  disk_options o = options();
  o.max_bytes = 8 * 1024;
  disk_store s(o);
  ASSERT_TRUE(s.put(make_entry(99, 1024)).ok());
  std::uint64_t total = 0;
  for (const auto& f : files_below(root(), ".rsk")) total += std::filesystem::file_size(f);
  EXPECT_LE(total, o.max_bytes);
}

TEST_F(disk_store_test, an_entry_larger_than_the_cap_is_refused) {
  disk_options o = options();
  o.max_bytes = 1024;
  disk_store s(o);
  EXPECT_FALSE(s.put(make_entry(1, 5000)).ok());
  EXPECT_EQ(s.stats().store_failures, 1u);
  EXPECT_FALSE(s.get(make_key(1), accept::any).ok());
}

TEST_F(disk_store_test, stale_leftovers_are_swept_and_fresh_ones_kept) {
  disk_store s(options());
  ASSERT_TRUE(s.put(make_entry(1)).ok());
  const std::string folder = s.path_of(make_key(1)).substr(0, root().size() + 3);
  write_all(folder + "/.old.tmp", "x");
  write_all(folder + "/.new.tmp", "x");
  write_all(folder + "/old.rsk.bad", "x");
  write_all(folder + "/notes.txt", "not ours");
  for (const char* name : {"/.old.tmp", "/old.rsk.bad", "/notes.txt"}) set_age(folder + name, 7200);
  ASSERT_TRUE(disk_store(options()).put(make_entry(2)).ok()) << "a process sweeps at its first put";
  EXPECT_FALSE(std::filesystem::exists(folder + "/.old.tmp"));
  EXPECT_FALSE(std::filesystem::exists(folder + "/old.rsk.bad"));
  EXPECT_TRUE(std::filesystem::exists(folder + "/.new.tmp"));
  EXPECT_TRUE(std::filesystem::exists(folder + "/notes.txt"));
  EXPECT_TRUE(std::filesystem::exists(s.path_of(make_key(1))));
}

TEST_F(disk_store_test, list_prune_verify_and_clear) {
  disk_store s(options());
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(s.put(make_entry(i, 1000)).ok());
  const std::vector<entry_info> all = s.list();
  ASSERT_EQ(all.size(), 5u);
  for (const entry_info& info : all) {
    EXPECT_EQ(info.payload_bytes, 1000u);
    EXPECT_EQ(info.file_bytes, std::filesystem::file_size(info.file));
    EXPECT_EQ(info.file, s.path_of(info.key));
    EXPECT_GT(info.last_used, 1'600'000'000);
  }
  EXPECT_TRUE(s.verify()->empty());
  std::string bytes = read_all(all[2].file);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  write_all(all[2].file, bytes);
  EXPECT_EQ(*s.verify(), std::vector<std::string>{all[2].file});
  EXPECT_EQ(s.list().size(), 4u);
  EXPECT_GE(*s.prune(2 * all[0].file_bytes), 2u);
  EXPECT_LE(s.list().size(), 2u);
  ASSERT_TRUE(s.clear().ok());
  EXPECT_TRUE(s.list().empty());
  EXPECT_TRUE(files_below(root(), ".bad").empty());
}

TEST_F(disk_store_test, case_26_the_nearest_entry_says_why_a_lookup_missed) {
  disk_store s(options());
  ASSERT_TRUE(s.put(make_entry(1)).ok());
  key other = make_key(7);
  other.add_what("mask", "keep");
  ASSERT_TRUE(s.put({other, "", "x", ""}).ok());
  key wanted = make_key(1);
  wanted.add_what("mask", "keep");
  wanted.add_who("build", "abc");
  const auto near = nearest(s.list(), wanted);
  ASSERT_TRUE(near.has_value());
  EXPECT_EQ(differing_fields(wanted, near->key), (std::vector<std::string>{"mask", "build"}));
  EXPECT_FALSE(nearest({}, wanted).has_value());
}

}  // namespace
}  // namespace rowsmith::cache
