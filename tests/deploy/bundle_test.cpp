// The bytes of a bundle: equal for equal entries, and refused when anything about them is wrong.
#include "cache/bundle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <random>

#include "build/signing_key.h"
#include "cache/hash.h"
#include "flow/child.h"

namespace rowsmith {
namespace {

using cache::entry;

entry make_entry(const std::string& name, const std::string& who, std::size_t bytes) {
  entry e;
  e.key.add_what("schema", "1").add_what("backend", "cuda").add_what("op", name).add_what("target", "sm_90");
  e.key.add_who("compiler", who);
  e.payload.assign(bytes, 'p');
  return e;
}

std::vector<entry> some_entries() {
  return {make_entry("softmax", "a", 100), make_entry("softmax", "b", 0), make_entry("norm", "a", 1000)};
}

result<std::string> fake_mac(std::string_view bytes) {
  const cache::digest128 d = cache::digest(bytes);
  return std::string(d.begin(), d.end()) + std::string(d.begin(), d.end());
}

std::string with_checksum(std::string bytes) {
  bytes.resize(bytes.size() - 16);
  const cache::digest128 d = cache::digest(bytes);
  return bytes.append(d.begin(), d.end());
}

TEST(bundle, equal_entries_give_equal_bytes_in_whatever_order) {
  std::vector<entry> one = some_entries(), other = {one[2], one[0], one[1], one[0]};
  const std::string bytes = *cache::encode_bundle(one);
  EXPECT_EQ(bytes, *cache::encode_bundle(other));
  const auto b = cache::read_bundle(bytes);
  ASSERT_TRUE(b.ok()) << b.status().to_string();
  ASSERT_EQ(b->entries.size(), 3u);
  EXPECT_TRUE(b->mac.empty());
  for (const std::string_view e : b->entries) EXPECT_TRUE(cache::decode(e).ok());
}

TEST(bundle, may_be_empty) {
  const auto bytes = cache::encode_bundle({});
  EXPECT_TRUE(cache::read_bundle(*bytes)->entries.empty());
}

TEST(bundle, every_flipped_byte_and_every_length_is_refused) {
  const std::string good = *cache::encode_bundle(some_entries(), fake_mac);
  ASSERT_TRUE(cache::read_bundle(good).ok());
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 1);
    EXPECT_EQ(cache::read_bundle(bad).status().error(), code::corrupt) << i;
    EXPECT_EQ(cache::read_bundle(good.substr(0, i)).status().error(), code::corrupt) << i;
  }
  EXPECT_EQ(cache::read_bundle(good + '\0').status().error(), code::corrupt);
}

// With a checksum that fits, so that the lengths themselves are tried.
TEST(bundle, survives_any_bytes) {
  const std::string good = *cache::encode_bundle(some_entries(), fake_mac);
  std::mt19937_64 draw(1);
  for (int i = 0; i < 20000; ++i) {
    std::string bad = good;
    for (int n = 1 + static_cast<int>(draw() % 3); n-- > 0;) {
      const std::size_t at = 8 + draw() % 40;  // count and lengths
      const std::uint64_t words[] = {0, 1, ~std::uint64_t{0}, std::uint64_t{1} << 63, draw(), draw() % 4096};
      const std::uint64_t word = words[draw() % std::size(words)];
      bad.replace(at, 8, reinterpret_cast<const char*>(&word), 8);
    }
    if (draw() % 4 == 0) bad.resize(16 + draw() % (bad.size() - 16));
    const std::string changed = with_checksum(bad);
    const auto b = cache::read_bundle(changed);
    if (!b) continue;
    for (const std::string_view e : b->entries) (void)cache::decode(e);
  }
}

TEST(bundle, the_mac_covers_all_that_comes_before) {
  const std::string good = *cache::encode_bundle(some_entries(), fake_mac);
  EXPECT_TRUE(cache::check_mac(*cache::read_bundle(good), fake_mac).ok());
  const std::string unsigned_one = *cache::encode_bundle(some_entries());
  EXPECT_EQ(cache::check_mac(*cache::read_bundle(unsigned_one), fake_mac).error(), code::corrupt);
  for (std::size_t at = 24; at < good.size() - 16; at += 13) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 1);
    bad = with_checksum(bad);
    const auto b = cache::read_bundle(bad);
    EXPECT_FALSE(b.ok() && cache::check_mac(*b, fake_mac).ok()) << at;
  }
}

// RFC 4231, test case 1.
TEST(signing_key, is_hmac_sha256_under_the_bytes_of_the_file) {
  const test::private_folder folder;
  const std::string file = (folder.path() / "key").string();
  std::ofstream(file) << std::string(20, '\x0b');
  std::filesystem::permissions(file, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  const auto mac = signing_key(file);
  if (!mac && mac.status().error() == code::not_found) GTEST_SKIP() << mac.status().message();
  ASSERT_TRUE(mac.ok()) << mac.status().to_string();
  const std::string code = *(*mac)("Hi There");
  std::string hex;
  for (const unsigned char c : code) hex += "0123456789abcdef"[c >> 4], hex += "0123456789abcdef"[c & 15];
  EXPECT_EQ(hex, "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
}

TEST(signing_key, refuses_files_that_keep_no_secret) {
  const test::private_folder folder;
  const std::string file = (folder.path() / "key").string();
  const auto refused = [&](const std::string& content, unsigned mode) {
    std::ofstream(file, std::ios::trunc) << content;
    std::filesystem::permissions(file, static_cast<std::filesystem::perms>(mode));
    const auto mac = signing_key(file);
    return mac.ok() ? std::string() : mac.status().message();
  };
  if (refused(std::string(32, 'k'), 0600).find("libcrypto") != std::string::npos) GTEST_SKIP();
  EXPECT_EQ(refused(std::string(32, 'k'), 0600), "");
  EXPECT_THAT(refused(std::string(32, 'k'), 0644), testing::HasSubstr("0644"));
  EXPECT_THAT(refused("short", 0600), testing::HasSubstr("16 to 4096"));
  EXPECT_THAT(refused(std::string(5000, 'k'), 0600), testing::HasSubstr("16 to 4096"));
  EXPECT_EQ(signing_key("no/such/key").status().error(), code::not_found);
}

}  // namespace
}  // namespace rowsmith
