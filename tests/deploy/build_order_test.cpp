// Which work a job takes next.
#include "deploy/build_order.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>

namespace rowsmith {
namespace {

using queue = build_order::queue;

// The queues of the next `n` pieces, none of which ends: "0101".
std::string taken(build_order& order, int n) {
  std::string text;
  for (int i = 0; i < n; ++i) {
    const auto p = order.take();
    text += p ? std::to_string(p->queue) : "-";
  }
  return text;
}

TEST(build_order, queues_take_turns) {
  build_order order({queue{2, ""}, queue{3, ""}, queue{1, ""}});
  EXPECT_EQ(order.pieces(), 6u);
  EXPECT_EQ(taken(order, 7), "012011-");
}

TEST(build_order, of_a_compiler_that_takes_one_at_a_time_one_job_takes_at_a_time) {
  build_order order({queue{3, ""}, queue{2, "x"}, queue{2, "x"}});
  const auto first = order.take();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->queue, 1u);
  EXPECT_EQ(taken(order, 2), "00");
  order.done(*first);
  EXPECT_EQ(taken(order, 1), "2");  // in turns too
  EXPECT_EQ(taken(order, 1), "0");
  EXPECT_EQ(taken(order, 3), "12-");  // nothing else is left: they wait in the compiler
}

TEST(build_order, compilers_of_different_names_do_not_wait_for_each_other) {
  build_order order({queue{2, "x"}, queue{2, "y"}});
  EXPECT_EQ(taken(order, 2), "01");
}

TEST(build_order, every_piece_once) {
  build_order order({queue{5, "x"}, queue{0, ""}, queue{7, ""}});
  std::set<std::pair<std::size_t, std::size_t>> seen;
  while (const auto p = order.take()) {
    EXPECT_TRUE(seen.emplace(p->queue, p->number).second);
    order.done(*p);
  }
  EXPECT_EQ(seen.size(), order.pieces());
  EXPECT_EQ(seen.count({2, 6}), 1u);
}

TEST(build_order, nothing_to_do) { EXPECT_FALSE(build_order({}).take()); }

}  // namespace
}  // namespace rowsmith
