#include "cache/entry.h"

#include <fmt/format.h>

#include <algorithm>

#include "cache/hash.h"
#include "cache/little_endian.h"

namespace rowsmith::cache {
namespace {

// As in PNG: a high bit, the name, both line ends and an end of file, so that transfers in text mode show.
constexpr std::string_view magic = "\x89RSK\r\n\x1a\n";
constexpr std::size_t head_bytes = 40;
constexpr std::size_t sum_bytes = 16;

status refuse(std::string why) { return status(code::corrupt, "entry: " + std::move(why)); }

struct lengths {
  std::uint64_t key = 0;
  std::uint64_t metadata = 0;
  std::uint64_t payload = 0;
};

// Everything that can be said from the first 40 bytes. After OK the three lengths add up to the file without overflow.
status read_head(std::string_view prefix, std::uint64_t file_size, lengths& n) {
  if (prefix.size() < head_bytes || file_size < head_bytes + sum_bytes) {
    return refuse(fmt::format("{} bytes, at least {} are needed", file_size, head_bytes + sum_bytes));
  }
  if (prefix.substr(0, magic.size()) != magic) return refuse("the first 8 bytes are not the magic");
  const std::uint64_t schema = get_little(prefix, 8, 4);
  if (schema != entry_schema) return refuse(fmt::format("schema {}, {} is read here", schema, entry_schema));
  if (get_little(prefix, 12, 4) != 0) return refuse("the reserved word is not 0");

  n = {get_little(prefix, 16, 8), get_little(prefix, 24, 8), get_little(prefix, 32, 8)};
  std::uint64_t left = file_size - head_bytes - sum_bytes;
  for (const std::uint64_t part : {n.key, n.metadata, n.payload}) {
    if (part > left) return refuse("the lengths exceed the file");
    left -= part;
  }
  if (left != 0) return refuse(fmt::format("{} bytes belong to no part", left));
  if (n.key > entry_head_limit - head_bytes) return refuse(fmt::format("a key text of {} bytes", n.key));
  return {};
}

}  // namespace

std::string encode(const entry& e) {
  const std::string key_text = e.key.text();
  std::string bytes;
  bytes.reserve(head_bytes + key_text.size() + e.metadata.size() + e.payload.size() + sum_bytes);
  bytes += magic;
  put_little(bytes, entry_schema, 4);
  put_little(bytes, 0, 4);
  put_little(bytes, key_text.size(), 8);
  put_little(bytes, e.metadata.size(), 8);
  put_little(bytes, e.payload.size(), 8);
  bytes += key_text;
  bytes += e.metadata;
  bytes += e.payload;
  const digest128 sum = digest(bytes);
  bytes.append(reinterpret_cast<const char*>(sum.data()), sum.size());
  return bytes;
}

result<entry> decode(std::string_view bytes) {
  lengths n;
  if (status s = read_head(bytes, bytes.size(), n); !s) return s;

  const std::size_t body = bytes.size() - sum_bytes;
  const digest128 sum = digest(bytes.substr(0, body));
  const std::string_view stored = bytes.substr(body);
  const auto same = [](unsigned char a, char b) { return a == static_cast<unsigned char>(b); };
  if (!std::equal(sum.begin(), sum.end(), stored.begin(), same)) return refuse("the checksum does not match");

  result<key> k = key::parse(bytes.substr(head_bytes, n.key));
  if (!k) return k.status();
  entry e;
  e.key = std::move(*k);
  e.metadata = bytes.substr(head_bytes + n.key, n.metadata);
  e.payload = bytes.substr(head_bytes + n.key + n.metadata, n.payload);
  return e;
}

result<entry_head> decode_head(std::string_view prefix, std::uint64_t file_size) {
  lengths n;
  if (status s = read_head(prefix, file_size, n); !s) return s;
  if (prefix.size() - head_bytes < n.key) return refuse("the key text is cut off");
  result<key> k = key::parse(prefix.substr(head_bytes, n.key));
  if (!k) return k.status();
  return entry_head{std::move(*k), n.metadata, n.payload};
}

}  // namespace rowsmith::cache
