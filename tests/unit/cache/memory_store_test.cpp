#include "cache/memory_store.h"

#include "support.h"

namespace rowsmith::cache {
namespace {

using test::make_entry;
using test::make_key;

TEST(memory_store, get_answers_what_was_put) {
  memory_store m;
  EXPECT_EQ(m.get(make_key(1), accept::any).status().error(), code::not_found);
  ASSERT_TRUE(m.put(make_entry(1)).ok());
  const result<entry> e = m.get(make_key(1), accept::same);
  ASSERT_TRUE(e.ok());
  EXPECT_EQ(e->payload, make_entry(1).payload);
  EXPECT_EQ(e->layer, "memory");
  EXPECT_EQ(m.stats().hits, 1u);
  EXPECT_EQ(m.stats().misses, 1u);
  EXPECT_EQ(m.stats().stores, 1u);
}

TEST(memory_store, builders_lie_side_by_side) {
  memory_store m;
  ASSERT_TRUE(m.put(make_entry(1, 300, "cc 1")).ok());
  EXPECT_FALSE(m.get(make_key(1, "cc 2"), accept::same).ok());
  EXPECT_TRUE(m.get(make_key(1, "cc 2"), accept::any).ok());
  ASSERT_TRUE(m.put(make_entry(1, 400, "cc 2")).ok());
  EXPECT_EQ(m.get(make_key(1, "cc 1"), accept::any)->payload.size(), 300u);
  EXPECT_EQ(m.get(make_key(1, "cc 2"), accept::any)->payload.size(), 400u);
  EXPECT_EQ(m.list().size(), 2u);
}

TEST(memory_store, a_second_put_replaces) {
  memory_store m(1000);
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(m.put(make_entry(1, 300 + static_cast<std::size_t>(i))).ok());
  EXPECT_EQ(m.list().size(), 1u);
  EXPECT_EQ(m.stats().evictions, 0u);
  EXPECT_EQ(m.get(make_key(1), accept::same)->payload.size(), 309u);
}

TEST(memory_store, case_36_least_recently_used_leaves_first) {
  memory_store m(1000);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(m.put(make_entry(i)).ok());
  ASSERT_TRUE(m.get(make_key(0), accept::same).ok());
  ASSERT_TRUE(m.put(make_entry(3)).ok());
  EXPECT_TRUE(m.get(make_key(0), accept::same).ok());
  EXPECT_FALSE(m.get(make_key(1), accept::same).ok());
  EXPECT_EQ(m.stats().evictions, 1u);
  EXPECT_EQ(m.put(make_entry(9, 2000)).error(), code::out_of_memory);
  EXPECT_TRUE(m.get(make_key(0), accept::same).ok());
}

}  // namespace
}  // namespace rowsmith::cache
