#include "cache/key.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace rowsmith::cache {
namespace {

key with(std::vector<std::pair<std::string, std::string>> what) {
  key k;
  for (const auto& [name, value] : what) k.add_what(name, value);
  return k;
}

// Pairs that a key without lengths and escapes would confuse.
TEST(key, case_59_no_two_field_lists_collide) {
  const std::vector<key> keys = {
      with({}),
      with({{"", ""}}),
      with({{"a", "bc"}}),
      with({{"ab", "c"}}),
      with({{"abc", ""}}),
      with({{"a", "b"}, {"c", ""}}),
      with({{"a", "b\nwhat c = "}}),
      with({{"a", "b\\x0awhat c = "}}),
      with({{"a = b", ""}}),
      with({{"a", "b = "}}),
      with({{"a ", "b"}}),
      with({{"a", " b"}}),
      with({{"a", "b "}}),
      with({{"opt", "-I -O2"}}),
      with({{"opt", "-I"}, {"opt", "-O2"}}),
      with({{"opt", "-I-O2"}}),
      with({{"opt", "-O2"}, {"opt", "-I"}}),
      with({{"a", std::string("x\0y", 3)}}),
      with({{"a", "x"}}),
      with({{"a", std::string(8, '\0') + "b"}}),
      with({{"a" + std::string(8, '\0'), "b"}}),
      with({{"a", "\xff"}}),
      with({{"a", "\\xff"}}),
  };
  std::set<std::string> texts, digests;
  for (const key& k : keys) {
    texts.insert(k.text());
    digests.insert(k.what_digest());
  }
  EXPECT_EQ(texts.size(), keys.size());
  EXPECT_EQ(digests.size(), keys.size());
}

TEST(key, a_digested_value_never_equals_a_literal_that_reads_the_same) {
  key digested;
  digested.add_what_digest("text", "int main() {}");
  const key literal = with({{"text", digested.what().front().value}});
  EXPECT_NE(digested.what_digest(), literal.what_digest());
  EXPECT_NE(digested.text(), literal.text());
  EXPECT_FALSE(digested.same_what(literal));
}

TEST(key, case_5_source_bytes_are_in_the_key) {
  const key one = key().add_what("name", "softmax").add_what_digest("text", "x + 1");
  const key two = key().add_what("name", "softmax").add_what_digest("text", "x + 2");
  EXPECT_NE(one.what_digest(), two.what_digest());
  EXPECT_EQ(differing_fields(one, two), std::vector<std::string>{"text"});
}

TEST(key, case_8_case_10_the_target_tells_keys_apart) {
  EXPECT_NE(with({{"target", "gfx906"}}).what_digest(), with({{"target", "gfx908"}}).what_digest());
  EXPECT_NE(with({{"target", "sm_70"}}).what_digest(), with({{"target", "sm_75"}}).what_digest());
}

TEST(key, who_does_not_move_the_what_digest) {
  key a = with({{"op", "softmax"}});
  key b = a;
  a.add_who("compiler", "nvrtc 12.4");
  b.add_who("compiler", "nvrtc 12.6");
  EXPECT_EQ(a.what_digest(), b.what_digest());
  EXPECT_NE(a.who_digest(), b.who_digest());
  EXPECT_TRUE(a.same_what(b));
  EXPECT_FALSE(a.same_who(b));
  EXPECT_NE(a, b);
}

TEST(key, text_is_one_readable_line_a_field) {
  key k = with({{"op", "softmax"}, {"two words", "a\tb"}});
  k.add_who("compiler", "nvrtc 12.4");
  EXPECT_EQ(k.text(), "rowsmith-key 1\nwhat op = softmax\nwhat two\\x20words = a\\x09b\nwho compiler = nvrtc 12.4\n");
}

// A fixed value: when this changes, every cache in the field goes cold, which needs a new schema.
TEST(key, digest_is_stable) {
  EXPECT_EQ(with({{"op", "softmax"}, {"width", "127"}}).what_digest(), "325072231c8c012bc8b0769afd6d4ca0");
}

TEST(key, text_parses_back_for_random_bytes) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    key k;
    for (int fields = 0; fields < 4; ++fields) {
      std::string name, value;
      for (auto i = random() % 6; i > 0; --i) name += static_cast<char>(random());
      for (auto i = random() % 12; i > 0; --i) value += static_cast<char>(random());
      if (fields < 2) k.add_what(name, value);
      if (fields == 2) k.add_what_digest(name, value);
      if (fields == 3) k.add_who(name, value);
    }
    const result<key> parsed = key::parse(k.text());
    ASSERT_TRUE(parsed.ok()) << parsed.status().to_string();
    EXPECT_EQ(*parsed, k);
    EXPECT_EQ(parsed->what_digest(), k.what_digest());
  }
}

TEST(key, parse_refuses_what_text_never_writes) {
  const std::string good = "rowsmith-key 1\nwhat op = softmax\nwho cc = 1\n";
  ASSERT_TRUE(key::parse(good).ok());
  for (const std::string& bad :
       {std::string(), std::string("rowsmith-key 2\n"), std::string("rowsmith-key 1"), good + "who x",
        good + "what late = 1\n", good + "\n", good + "who x=1\n", good + "who x = \\x61\n", good + "who x = \\x0A\n",
        good + "who x = \\x0\n", good + "who x = a\tb\n", good + "else x = 1\n"}) {
    const result<key> parsed = key::parse(bad);
    EXPECT_FALSE(parsed.ok()) << bad;
    EXPECT_EQ(parsed.status().error(), code::corrupt) << bad;
  }
}

TEST(key, case_26_case_64_differing_fields_names_each_once) {
  key a = with({{"op", "softmax"}, {"width", "127"}, {"opt", "-O2"}, {"opt", "-g"}});
  key b = with({{"op", "softmax"}, {"width", "128"}, {"opt", "-O3"}, {"opt", "-g0"}, {"mask", "keep"}});
  a.add_who("compiler", "nvrtc");
  b.add_who("compiler", "nvcc");
  EXPECT_EQ(differing_fields(a, b), (std::vector<std::string>{"width", "opt", "mask", "compiler"}));
  EXPECT_EQ(differing_fields(b, a), (std::vector<std::string>{"width", "opt", "mask", "compiler"}));
  EXPECT_TRUE(differing_fields(a, a).empty());
  EXPECT_EQ(differing_fields(with({{"a", "1"}, {"b", "2"}}), with({{"b", "2"}, {"a", "1"}})),
            std::vector<std::string>{"(order)"});
}

}  // namespace
}  // namespace rowsmith::cache
