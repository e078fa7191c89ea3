#include "call/kernel_table.h"

#include <gtest/gtest.h>

#include <thread>

namespace rowsmith {
namespace {

shape_class of_width(std::int64_t width) {
  shape_class c;
  c.op = op_id::softmax;
  c.width = width;
  return c;
}

std::shared_ptr<const executable> some_executable(std::string digest) {
  return std::make_shared<const executable>(std::vector<executable::step>{}, executable::workspace_need{},
                                            mechanism::lanes, origin::compiled, std::move(digest));
}

TEST(kernel_table, finds_what_was_put_and_nothing_else) {
  kernel_table t;
  EXPECT_EQ(t.find(of_width(1)), nullptr);
  for (int w = 1; w <= 1000; ++w) t.put(of_width(w), some_executable(std::to_string(w)));
  for (int w = 1; w <= 1000; ++w) {
    const auto* e = t.find(of_width(w));
    ASSERT_NE(e, nullptr) << w;
    EXPECT_EQ(e->current.load()->digest(), std::to_string(w));
  }
  EXPECT_EQ(t.find(of_width(1001)), nullptr);
  shape_class other_device = of_width(5);
  other_device.device_index = 1;
  EXPECT_EQ(t.find(other_device), nullptr);
}

TEST(kernel_table, replaces_in_place_and_keeps_the_old_one_alive) {
  kernel_table t;
  const auto* entry = t.put(of_width(1), some_executable("fallback"));
  const executable* old = entry->current.load();
  EXPECT_EQ(t.put(of_width(1), some_executable("specialized")), entry);
  EXPECT_EQ(entry->current.load()->digest(), "specialized");
  EXPECT_EQ(old->digest(), "fallback");
  t.clear();
  EXPECT_EQ(t.find(of_width(1)), nullptr);
}

TEST(kernel_table, readers_see_only_whole_entries_while_it_grows) {
  kernel_table t;
  std::atomic<bool> stop{false};
  std::atomic<int> wrong{0};
  std::vector<std::thread> readers;
  for (int i = 0; i < 2; ++i) {
    readers.emplace_back([&] {
      while (!stop.load()) {
        for (int w = 1; w <= 500; ++w) {
          const auto* e = t.find(of_width(w));
          if (e != nullptr && e->current.load()->digest() != std::to_string(w)) ++wrong;
        }
      }
    });
  }
  for (int w = 1; w <= 500; ++w) t.put(of_width(w), some_executable(std::to_string(w)));
  stop = true;
  for (std::thread& r : readers) r.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace rowsmith
