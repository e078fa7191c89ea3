#include "cache/layered_store.h"

#include "support.h"

namespace rowsmith::cache {
namespace {

using test::files_below;
using test::make_entry;
using test::make_key;

class layered_store_test : public test::cache_test {
 protected:
  std::string site() const { return dir() + "/site"; }
  store_options stack() const {
    store_options o;
    o.user = {root(), location_origin::option, "test"};
    o.site_dirs = {site()};
    return o;
  }
  void ship(const entry& e) {
    disk_options o;
    o.root = site();
    ASSERT_TRUE(disk_store(o).put(e).ok());
  }
};

TEST_F(layered_store_test, case_4_a_second_process_builds_nothing) {
  ASSERT_TRUE(make_store(stack())->put(make_entry(1)).ok());
  const auto second = make_store(stack());
  EXPECT_EQ(second->get(make_key(1), accept::same)->layer, "user " + root());
  EXPECT_EQ(second->get(make_key(1), accept::same)->layer, "memory");
  EXPECT_EQ(second->stats().hits, 2u);
  EXPECT_EQ(second->layers().at(0).counters.hits, 1u);
  EXPECT_EQ(second->layers().at(1).counters.hits, 1u);
}

TEST_F(layered_store_test, case_66_a_site_directory_is_enough_and_nothing_is_written) {
  ship(make_entry(1));
  const auto s = make_store(stack());
  EXPECT_EQ(s->get(make_key(1), accept::same)->layer, "site " + site());
  EXPECT_EQ(s->get(make_key(1), accept::same)->layer, "memory");
  EXPECT_FALSE(std::filesystem::exists(root())) << "promoted to memory only";
}

TEST_F(layered_store_test, case_7_a_shipped_entry_never_hides_or_overwrites_a_local_one) {
  ship(make_entry(1, 300));
  ASSERT_TRUE(make_store(stack())->put(make_entry(1, 500)).ok());
  for (int start = 0; start < 3; ++start) {
    const auto s = make_store(stack());
    EXPECT_EQ(s->get(make_key(1), accept::same)->payload.size(), 500u);
  }
}

TEST_F(layered_store_test, a_site_answers_with_any_builders_entry_where_the_user_directory_does_not) {
  ship(make_entry(1, 300, "vendor cc"));
  const auto s = make_store(stack());
  EXPECT_EQ(s->get(make_key(1, "cc 2"), accept::same)->layer, "site " + site());
  EXPECT_EQ(s->get(make_key(1, "cc 2"), accept::same)->layer, "site " + site()) << "memory keeps to the rule";
  ASSERT_TRUE(s->put(make_entry(2, 300, "cc 1")).ok());
  EXPECT_FALSE(s->get(make_key(2, "cc 2"), accept::same).ok());
  EXPECT_TRUE(s->get(make_key(2, "cc 2"), accept::any).ok());
}

TEST_F(layered_store_test, memory_only_is_a_valid_state) {
  store_options o;
  o.user = resolve_location({});
  const auto s = make_store(o);
  EXPECT_EQ(s->layer_count(), 1u);
  EXPECT_FALSE(s->get(make_key(1), accept::same).ok());
  EXPECT_TRUE(s->put(make_entry(1)).ok());
  EXPECT_TRUE(s->get(make_key(1), accept::same).ok());
}

TEST_F(layered_store_test, case_14_a_damaged_user_entry_falls_through_to_the_site) {
  ship(make_entry(1));
  ASSERT_TRUE(make_store(stack())->put(make_entry(1)).ok());
  for (const auto& f : files_below(root(), ".rsk")) test::write_all(f, "junk");
  const auto s = make_store(stack());
  EXPECT_EQ(s->get(make_key(1), accept::same)->layer, "site " + site());
  EXPECT_EQ(s->stats().damaged, 1u);
}

TEST_F(layered_store_test, the_check_sees_site_entries_as_well) {
  ship(make_entry(1));
  store_options o = stack();
  o.check = [](const entry&) { return status(code::corrupt, "no"); };
  EXPECT_FALSE(make_store(o)->get(make_key(1), accept::any).ok());
}

TEST_F(layered_store_test, a_miss_tells_what_every_layer_said) {
  const std::string why = make_store(stack())->get(make_key(1), accept::same).status().message();
  EXPECT_NE(why.find("user " + root()), std::string::npos);
  EXPECT_NE(why.find("site " + site()), std::string::npos);
}

TEST_F(layered_store_test, list_names_the_layer) {
  ship(make_entry(1));
  const auto s = make_store(stack());
  ASSERT_TRUE(s->put(make_entry(2)).ok());
  const auto all = s->list();
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].layer, "memory");
  EXPECT_EQ(all[1].layer, "user " + root());
  EXPECT_EQ(all[2].layer, "site " + site());
}

}  // namespace
}  // namespace rowsmith::cache
