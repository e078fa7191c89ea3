#include "cache/entry.h"

#include <random>

#include "cache/hash.h"
#include "support.h"

namespace rowsmith::cache {
namespace {

using test::make_entry;

// The checksum put right again, so that what is tried is the check behind it.
std::string resealed(std::string bytes) {
  bytes.resize(bytes.size() - 16);
  const digest128 sum = digest(bytes);
  return bytes.append(reinterpret_cast<const char*>(sum.data()), sum.size());
}

TEST(entry, round_trip) {
  entry e = make_entry(1);
  e.payload += std::string("\0\n\xff", 3);
  const result<entry> back = decode(encode(e));
  ASSERT_TRUE(back.ok()) << back.status().to_string();
  EXPECT_EQ(back->key, e.key);
  EXPECT_EQ(back->metadata, e.metadata);
  EXPECT_EQ(back->payload, e.payload);
  EXPECT_TRUE(back->layer.empty());
}

TEST(entry, empty_parts_round_trip) {
  const result<entry> back = decode(encode(entry{}));
  ASSERT_TRUE(back.ok());
  EXPECT_TRUE(back->payload.empty());
}

TEST(entry, equal_entries_give_equal_bytes_wherever_they_came_from) {
  entry e = make_entry(1);
  const std::string bytes = encode(e);
  e.layer = "user /somewhere";
  EXPECT_EQ(encode(e), bytes);
}

// FORMAT.md, read off the bytes.
TEST(entry, format_is_as_documented) {
  entry e;
  e.key.add_what("a", "b");
  e.metadata = "MM";
  e.payload = "PPP";
  const std::string text = "rowsmith-key 1\nwhat a = b\n";
  std::string want("\x89RSK\r\n\x1a\n\x01\0\0\0\0\0\0\0", 16);
  want += static_cast<char>(text.size()) + std::string(7, '\0');
  want += '\2' + std::string(7, '\0');
  want += '\3' + std::string(7, '\0');
  want += text + "MMPPP";
  const std::string bytes = encode(e);
  ASSERT_EQ(bytes.size(), want.size() + 16);
  EXPECT_EQ(bytes.substr(0, want.size()), want);
}

TEST(entry, case_14_every_flipped_byte_is_refused) {
  const std::string good = encode(make_entry(1));
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (const int bit : {0x01, 0x80, 0xff}) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ bit);
      const result<entry> e = decode(bad);
      ASSERT_FALSE(e.ok()) << "byte " << at;
      ASSERT_EQ(e.status().error(), code::corrupt);
    }
  }
}

TEST(entry, case_16_every_truncation_and_every_tail_is_refused) {
  const std::string good = encode(make_entry(1));
  for (std::size_t n = 0; n < good.size(); ++n) ASSERT_FALSE(decode(good.substr(0, n)).ok()) << n;
  EXPECT_FALSE(decode(good + '\0').ok());
  EXPECT_FALSE(decode(good + good).ok());
}

TEST(entry, lengths_that_overflow_are_refused_behind_a_right_checksum) {
  const std::string good = encode(make_entry(1));
  for (const std::size_t field : {16u, 24u, 32u}) {
    for (const std::uint64_t length : {std::uint64_t{0}, std::uint64_t{1} << 32, ~std::uint64_t{0},
                                       ~std::uint64_t{0} - 40, std::uint64_t{1} << 63}) {
      std::string bad = good;
      for (std::size_t i = 0; i < 8; ++i) bad[field + i] = static_cast<char>(length >> (8 * i));
      EXPECT_FALSE(decode(resealed(bad)).ok()) << field << " " << length;
      EXPECT_FALSE(decode_head(bad, bad.size()).ok()) << field << " " << length;
    }
  }
}

// Each sum of lengths is right modulo 2^64: only the bound on every single one tells.
TEST(entry, lengths_that_wrap_around_to_the_right_sum_are_refused) {
  const std::string good = encode(make_entry(1));
  for (const auto& [one, other] : {std::pair{16u, 24u}, std::pair{24u, 32u}, std::pair{16u, 32u}}) {
    std::string bad = good;
    bad[one + 7] = static_cast<char>(0x80);
    bad[other + 7] = static_cast<char>(0x80);
    EXPECT_FALSE(decode(resealed(bad)).ok()) << one << " " << other;
    EXPECT_FALSE(decode_head(bad, bad.size()).ok()) << one << " " << other;
  }
}

TEST(entry, another_schema_or_a_broken_key_text_is_refused_behind_a_right_checksum) {
  const std::string good = encode(make_entry(1));
  ASSERT_TRUE(decode(resealed(good)).ok());
  for (const std::size_t at : {0u, 8u, 12u, 40u, 55u}) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x20);
    EXPECT_FALSE(decode(resealed(bad)).ok()) << at;
  }
}

// A small stand-in for the fuzzer: random bytes and random edits, resealed half of the time.
TEST(entry, random_bytes_never_crash) {
  std::mt19937 random(11);
  const std::string good = encode(make_entry(1, 40));
  for (int round = 0; round < 20000; ++round) {
    std::string bytes = good;
    for (auto edits = 1 + random() % 4; edits > 0; --edits)
      bytes[random() % bytes.size()] = static_cast<char>(random());
    if (random() % 4 == 0) bytes.resize(random() % bytes.size());
    if (random() % 2 == 0 && bytes.size() >= 16) bytes = resealed(bytes);
    (void)decode(bytes);
    (void)decode_head(bytes, random() % 2 == 0 ? bytes.size() : random());
  }
}

TEST(entry, head_reads_key_and_lengths_without_the_payload) {
  const entry e = make_entry(3, 5000);
  const std::string bytes = encode(e);
  const result<entry_head> head = decode_head(bytes.substr(0, 1000), bytes.size());
  ASSERT_TRUE(head.ok()) << head.status().to_string();
  EXPECT_EQ(head->key, e.key);
  EXPECT_EQ(head->payload_bytes, e.payload.size());
  EXPECT_FALSE(decode_head(bytes.substr(0, 60), bytes.size()).ok());
  EXPECT_FALSE(decode_head(bytes, bytes.size() + 1).ok());
}

TEST(entry, a_key_text_beyond_the_limit_is_refused) {
  entry e = make_entry(1);
  e.key.add_what("huge", std::string(entry_head_limit, 'x'));
  EXPECT_FALSE(decode(encode(e)).ok());
}

}  // namespace
}  // namespace rowsmith::cache
