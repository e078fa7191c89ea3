#include "cache/bundle.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cache/hash.h"
#include "cache/little_endian.h"

namespace rowsmith::cache {
namespace {

constexpr std::string_view magic = "\x89RSB\r\n\x1a\n";  // as an entry's, and for the same reasons
constexpr std::size_t head_bytes = 24;
constexpr std::size_t sum_bytes = 16;
constexpr std::size_t least_entry_bytes = 56;
constexpr std::uint32_t flag_signed = 1;

status refuse(std::string why) { return status(code::corrupt, "bundle: " + std::move(why)); }

std::string_view as_view(const digest128& d) { return {reinterpret_cast<const char*>(d.data()), d.size()}; }

}  // namespace

result<std::string> encode_bundle(const std::vector<entry>& entries, const mac_function& mac) {
  // In the order of the files' names, whatever order a directory was read in.
  std::map<std::pair<std::string, std::string>, std::string> sorted;
  for (const entry& e : entries) sorted[{e.key.what_digest(), e.key.who_digest()}] = encode(e);

  std::string bytes(magic);
  put_little(bytes, bundle_schema, 4);
  put_little(bytes, mac ? flag_signed : 0, 4);
  put_little(bytes, sorted.size(), 8);
  for (const auto& [name, one] : sorted) {
    put_little(bytes, one.size(), 8);
    bytes += one;
  }
  if (mac) {
    result<std::string> code = mac(bytes);
    if (!code) return code.status();
    if (code->size() != bundle_mac_bytes) return status(code::internal, "bundle: a mac of the wrong length");
    bytes += *code;
  }
  bytes += as_view(digest(bytes));
  return bytes;
}

result<bundle> read_bundle(std::string_view bytes) {
  if (bytes.size() < head_bytes + sum_bytes) {
    return refuse(fmt::format("{} bytes, at least {} are needed", bytes.size(), head_bytes + sum_bytes));
  }
  if (bytes.substr(0, magic.size()) != magic) return refuse("the first 8 bytes are not the magic");
  const std::uint64_t schema = get_little(bytes, 8, 4), flags = get_little(bytes, 12, 4),
                      count = get_little(bytes, 16, 8);
  if (schema != bundle_schema) return refuse(fmt::format("schema {}, {} is read here", schema, bundle_schema));
  if ((flags & ~std::uint64_t{flag_signed}) != 0) return refuse(fmt::format("flags {:#x} are not known", flags));

  const std::string_view body = bytes.substr(0, bytes.size() - sum_bytes);
  if (as_view(digest(body)) != bytes.substr(body.size())) return refuse("the checksum does not match");

  bundle b;
  std::size_t end = body.size();
  if ((flags & flag_signed) != 0) {
    if (end - head_bytes < bundle_mac_bytes) return refuse("no room for the mac");
    end -= bundle_mac_bytes;
    b.mac = body.substr(end);
  }
  b.covered = body.substr(0, end);
  if (count > (end - head_bytes) / (8 + least_entry_bytes)) return refuse(fmt::format("{} entries do not fit", count));
  std::size_t at = head_bytes;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (end - at < 8) return refuse(fmt::format("entry {} is cut off", i));
    const std::uint64_t length = get_little(body, at, 8);
    at += 8;
    if (length > end - at) return refuse(fmt::format("entry {} is cut off", i));
    b.entries.push_back(body.substr(at, length));
    at += length;
  }
  if (at != end) return refuse(fmt::format("{} bytes belong to no entry", end - at));
  return b;
}

status check_mac(const bundle& b, const mac_function& mac) {
  if (b.mac.empty()) return refuse("it is not signed");
  const result<std::string> wanted = mac(b.covered);
  if (!wanted) return wanted.status();
  unsigned char differs = wanted->size() == b.mac.size() ? 0 : 1;
  for (std::size_t i = 0; i < std::min(wanted->size(), b.mac.size()); ++i) {
    differs |= static_cast<unsigned char>((*wanted)[i] ^ b.mac[i]);
  }
  return differs == 0 ? status() : refuse("the signature is not of this key");
}

}  // namespace rowsmith::cache
