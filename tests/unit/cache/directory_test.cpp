// Who may have written what we are about to execute.
#include "cache/directory.h"

#include <sys/stat.h>

#include "support.h"

namespace rowsmith::cache {
namespace {

using test::faulty_ops;
using test::make_entry;
using test::make_key;

class directory_test : public test::cache_test {
 protected:
  void mode(const std::string& path, unsigned bits) { ASSERT_EQ(::chmod(path.c_str(), bits), 0); }
  std::string folder() const { return disk_store(options()).path_of(make_key(1)).substr(0, root().size() + 3); }
  bool answers(disk_options o) { return disk_store(o).get(make_key(1), accept::any).ok(); }
};

TEST_F(directory_test, created_private) {
  ::umask(0);
  ASSERT_TRUE(disk_store(options()).put(make_entry(1)).ok());
  ::umask(022);
  struct stat s;
  for (const std::string& path : {root(), folder()}) {
    ASSERT_EQ(::stat(path.c_str(), &s), 0);
    EXPECT_EQ(s.st_mode & 0777u, 0700u) << path;
  }
  ASSERT_EQ(::stat(disk_store(options()).path_of(make_key(1)).c_str(), &s), 0);
  EXPECT_EQ(s.st_mode & 0777u, 0600u);
}

TEST_F(directory_test, missing_parents_are_created_private_too) {
  disk_options o = options();
  o.root = dir() + "/home/.cache/rowsmith/";
  ASSERT_TRUE(disk_store(o).put(make_entry(1)).ok());
  struct stat s;
  ASSERT_EQ(::stat((dir() + "/home/.cache").c_str(), &s), 0);
  EXPECT_EQ(s.st_mode & 0777u, 0700u);
  EXPECT_TRUE(answers(o));
}

TEST_F(directory_test, case_31_whatever_others_can_write_is_refused_at_every_level) {
  ASSERT_TRUE(disk_store(options()).put(make_entry(1)).ok());
  ASSERT_TRUE(answers(options()));
  for (const std::string& path : {root(), folder()}) {
    for (const unsigned bits : {0720u, 0702u, 0777u, 01777u}) {
      mode(path, bits);
      disk_store s(options());
      const result<entry> found = s.get(make_key(1), accept::any);
      EXPECT_EQ(found.status().error(), code::not_found) << path << std::oct << bits;
      EXPECT_NE(found.status().message().find("lets others write"), std::string::npos);
      const status put = s.put(make_entry(1));
      EXPECT_FALSE(put.ok());
      EXPECT_EQ(s.stats().store_failures, 1u);
    }
    mode(path, 0755);  // readable by others is no danger
    EXPECT_TRUE(answers(options()));
    mode(path, 0700);
  }
  const std::string file = disk_store(options()).path_of(make_key(1));
  mode(file, 0666);
  EXPECT_FALSE(answers(options()));
}

TEST_F(directory_test, case_31_a_directory_above_in_which_anybody_may_rename_is_refused) {
  std::filesystem::create_directory(dir() + "/open");
  disk_options o = options();
  o.root = dir() + "/open/kernels";
  mode(dir() + "/open", 0777);
  EXPECT_FALSE(disk_store(o).usable().ok());
  EXPECT_FALSE(disk_store(o).put(make_entry(1)).ok());
  EXPECT_FALSE(std::filesystem::exists(o.root));
  mode(dir() + "/open", 01777);  // as /tmp
  EXPECT_TRUE(disk_store(o).put(make_entry(1)).ok());
}

TEST_F(directory_test, case_31_whatever_belongs_to_another_user_is_refused_at_every_level) {
  ASSERT_TRUE(disk_store(options()).put(make_entry(1)).ok());
  for (const std::string& theirs : {root(), folder(), std::string("")}) {  // "": the open file
    faulty_ops ops;
    ops.dress = [&](const std::string& path, file_info& info) {
      if (path == theirs) info.owner = ops.user() + 1;
    };
    disk_store s(options(&ops));
    EXPECT_FALSE(s.get(make_key(1), accept::any).ok()) << theirs;
    if (!theirs.empty()) {
      EXPECT_FALSE(s.put(make_entry(1)).ok()) << theirs;
    } else {
      EXPECT_EQ(s.stats().damaged, 1u);
    }
  }
}

TEST_F(directory_test, roots_files_are_trusted_in_a_site_directory_only) {
  ASSERT_TRUE(disk_store(options()).put(make_entry(1)).ok());
  class somebody : public faulty_ops {
   public:
    std::uint32_t user() override { return 4242; }
  } ops;
  ops.dress = [&](const std::string&, file_info& info) { info.owner = 0; };
  disk_options o = options(&ops);
  EXPECT_FALSE(answers(o));
  o.mode = disk_mode::read_only;
  EXPECT_TRUE(answers(o));
  ops.dress = [&](const std::string&, file_info& info) { info.owner = 4243; };
  EXPECT_FALSE(answers(o));
}

TEST_F(directory_test, case_33_a_shared_cache_is_opted_into_and_keeps_the_umask) {
  ::umask(002);
  disk_options o = options();
  o.shared = true;
  ASSERT_TRUE(disk_store(o).put(make_entry(1)).ok());
  ::umask(022);
  struct stat s;
  ASSERT_EQ(::stat(root().c_str(), &s), 0);
  EXPECT_EQ(s.st_mode & 0777u, 0775u);
  ASSERT_EQ(::stat(disk_store(o).path_of(make_key(1)).c_str(), &s), 0);
  EXPECT_EQ(s.st_mode & 0777u, 0664u);
  EXPECT_TRUE(answers(o));
  EXPECT_FALSE(answers(options())) << "not without the option";
}

TEST_F(directory_test, the_last_component_may_not_be_a_symlink) {
  ASSERT_TRUE(disk_store(options()).put(make_entry(1)).ok());
  std::filesystem::create_symlink(root(), dir() + "/link");
  disk_options o = options();
  o.root = dir() + "/link";
  EXPECT_FALSE(answers(o));
  EXPECT_NE(disk_store(o).usable().message().find("symbolic link"), std::string::npos);
  EXPECT_FALSE(disk_store(o).put(make_entry(1)).ok());
  o.root = dir() + "/link/";  // a trailing slash must not smuggle it in
  EXPECT_FALSE(answers(o));
}

TEST_F(directory_test, a_file_or_a_relative_path_in_the_place_of_the_directory_is_refused) {
  test::write_all(root(), "a file");
  EXPECT_FALSE(disk_store(options()).put(make_entry(1)).ok());
  EXPECT_FALSE(answers(options()));
  disk_options o = options();
  for (const char* path : {"", "kernels", "./kernels"}) {
    o.root = path;
    EXPECT_FALSE(disk_store(o).usable().ok()) << path;
    EXPECT_FALSE(disk_store(o).put(make_entry(1)).ok()) << path;
  }
}

}  // namespace
}  // namespace rowsmith::cache
