// Every errno at every file operation: the caller's kernel still runs, and nothing wrong is ever answered.
#include <cerrno>

#include "base/log.h"
#include "cache/layered_store.h"
#include "support.h"

namespace rowsmith::cache {
namespace {

using test::faulty_ops;
using test::files_below;
using test::make_entry;
using test::make_key;
using test::payload_of;

class fault_test : public test::cache_test {
 protected:
  store_options stack(file_ops& ops) const {
    store_options o;
    o.user = {root(), location_origin::option, "test"};
    o.ops = &ops;
    return o;
  }
  // The number of file operations of one put and one cold get in a new directory.
  int count_calls() {
    faulty_ops ops;
    const std::string counted = dir() + "/counted";
    store_options o = stack(ops);
    o.user.path = counted;
    EXPECT_TRUE(make_store(o)->put(make_entry(1)).ok());
    EXPECT_TRUE(make_store(o)->get(make_key(1), accept::any).ok());
    std::filesystem::remove_all(counted);
    return ops.calls();
  }
};

const int every_errno[] = {ENOSPC, EIO,   EROFS,   EACCES, ESTALE, EDQUOT, ENOENT,
                           EBUSY,  EPERM, ENOTDIR, EMFILE, ELOOP,  EINVAL};

TEST_F(fault_test, case_20_case_27_case_39_case_65_each_errno_at_each_operation_alone) {
  const int total = count_calls();
  ASSERT_GT(total, 20);
  for (const int error : every_errno) {
    for (int at = 0; at < total; ++at) {
      faulty_ops ops;
      ops.before = [&](const std::string&, int number) { return number == at ? error : 0; };
      const auto first = make_store(stack(ops));
      (void)first->put(make_entry(1));
      const result<entry> memory = first->get(make_key(1), accept::same);
      ASSERT_TRUE(memory.ok()) << "memory answers whatever the disk does";
      ASSERT_EQ(memory->payload, payload_of(1));

      const result<entry> cold = make_store(stack(ops))->get(make_key(1), accept::same);
      if (cold) {
        ASSERT_EQ(cold->payload, payload_of(1)) << "errno " << error << " at " << at;
      } else {
        ASSERT_EQ(cold.status().error(), code::not_found);
      }

      // When the fault is gone the cache works again, without anybody cleaning up.
      faulty_ops healthy;
      ASSERT_TRUE(make_store(stack(healthy))->put(make_entry(1)).ok()) << "errno " << error << " at " << at;
      ASSERT_TRUE(make_store(stack(healthy))->get(make_key(1), accept::same).ok());
      std::filesystem::remove_all(root());
    }
  }
}

TEST_F(fault_test, case_39_each_errno_at_every_call_of_one_operation) {
  for (const char* call : {"open", "read", "write", "fsync", "close", "fstat", "stat", "lstat", "rename", "unlink",
                           "mkdir", "list", "touch"}) {
    for (const int error : every_errno) {
      faulty_ops ops;
      ops.before = [&](const std::string& name, int) { return name == call ? error : 0; };
      const auto s = make_store(stack(ops));
      const status put = s->put(make_entry(1));
      ASSERT_EQ(s->get(make_key(1), accept::same)->payload, payload_of(1)) << call;
      const bool must_fail =
          std::string(call) == "write" || std::string(call) == "rename" || std::string(call) == "mkdir";
      if (must_fail) {
        EXPECT_FALSE(put.ok()) << call << " " << error;
        EXPECT_EQ(s->layers().at(1).counters.store_failures, 1u);
        EXPECT_EQ(put.vendor_code(), error);
        EXPECT_TRUE(files_below(root(), ".tmp").empty()) << call << ": the temporary is removed";
        EXPECT_TRUE(files_below(root(), ".rsk").empty()) << call;
      }
      const result<entry> cold = make_store(stack(ops))->get(make_key(1), accept::same);
      if (cold) {
        ASSERT_EQ(cold->payload, payload_of(1));
      }
      std::filesystem::remove_all(root());
    }
  }
}

TEST_F(fault_test, case_39_a_full_disk_leaves_the_older_entry_untouched) {
  faulty_ops ops;
  ASSERT_TRUE(disk_store(options(&ops)).put(make_entry(1, 300)).ok());
  ops.before = [](const std::string& call, int) { return call == "write" ? ENOSPC : 0; };
  disk_store s(options(&ops));
  EXPECT_FALSE(s.put(make_entry(1, 500)).ok());
  EXPECT_EQ(s.get(make_key(1), accept::same)->payload, payload_of(1, 300));
}

TEST_F(fault_test, short_writes_are_continued) {
  faulty_ops ops;
  ops.write_at_most = 7;
  disk_store s(options(&ops));
  ASSERT_TRUE(s.put(make_entry(1, 1000)).ok());
  EXPECT_EQ(s.get(make_key(1), accept::same)->payload, payload_of(1, 1000));
}

TEST_F(fault_test, a_write_that_writes_nothing_ends) {
  faulty_ops ops;
  ops.write_at_most = 0;
  const status s = disk_store(options(&ops)).put(make_entry(1));
  EXPECT_EQ(s.vendor_code(), ENOSPC);
  EXPECT_TRUE(files_below(root(), ".tmp").empty());
}

TEST_F(fault_test, case_20_a_stale_handle_is_looked_up_once_more) {
  ASSERT_TRUE(disk_store(options()).put(make_entry(1)).ok());
  faulty_ops ops;
  int stale = 1;
  ops.before = [&](const std::string& call, int) { return call == "read" && stale-- > 0 ? ESTALE : 0; };
  disk_store s(options(&ops));
  EXPECT_TRUE(s.get(make_key(1), accept::same).ok());
  stale = 2;
  EXPECT_FALSE(s.get(make_key(1), accept::same).ok());
  EXPECT_EQ(s.stats().read_failures, 1u);
  EXPECT_EQ(s.stats().damaged, 0u) << "an unreadable entry is not a damaged one";
  EXPECT_TRUE(s.get(make_key(1), accept::same).ok());
}

TEST_F(fault_test, a_file_system_without_fsync_still_stores) {
  for (const int error : {EINVAL, ENOSYS, EOPNOTSUPP}) {
    faulty_ops ops;
    ops.before = [&](const std::string& call, int) { return call == "fsync" ? error : 0; };
    EXPECT_TRUE(disk_store(options(&ops)).put(make_entry(error)).ok());
  }
}

TEST_F(fault_test, a_damaged_entry_that_cannot_be_set_aside_is_still_a_miss) {
  faulty_ops ops;
  disk_store s(options(&ops));
  ASSERT_TRUE(s.put(make_entry(1)).ok());
  test::write_all(s.path_of(make_key(1)), "junk");
  ops.before = [](const std::string& call, int) { return call == "rename" || call == "unlink" ? EROFS : 0; };
  EXPECT_FALSE(s.get(make_key(1), accept::any).ok());
  EXPECT_FALSE(s.get(make_key(1), accept::any).ok());
  EXPECT_EQ(s.stats().damaged, 2u);
}

// Counted by a callback of the log door, which this program's log.cpp or stand-in calls.
std::atomic<int> lines{0};

TEST_F(fault_test, case_28_a_read_only_home_is_said_once) {
  set_log([](log_level, std::string_view, void*) { ++lines; }, nullptr, log_level::warn);
  faulty_ops ops;
  ops.before = [](const std::string& call, int) { return call == "mkdir" ? EROFS : 0; };
  lines = 0;
  const auto s = make_store(stack(ops));
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(s->put(make_entry(i)).ok());
  set_log(nullptr, nullptr, log_level::off);
  EXPECT_EQ(lines, 1);
  EXPECT_EQ(s->layers().at(1).counters.store_failures, 5u);
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(s->get(make_key(i), accept::same).ok());
}

}  // namespace
}  // namespace rowsmith::cache
