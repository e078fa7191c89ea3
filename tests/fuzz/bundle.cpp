// Any bytes as a bundle: refused, or entries that lie inside of it; and what is written of those is read again.
#include "cache/bundle.h"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "cache/hash.h"

using namespace rowsmith::cache;

namespace {

rowsmith::result<std::string> some_mac(std::string_view bytes) {
  const digest128 sum = digest(bytes);
  std::string mac(reinterpret_cast<const char*>(sum.data()), sum.size());
  return mac + mac;
}

void read(std::string_view bytes) {
  const auto b = read_bundle(bytes);
  if (!b) return;
  (void)check_mac(*b, some_mac);
  std::vector<entry> entries;
  for (const std::string_view one : b->entries) {
    if (one.data() < bytes.data() || one.data() + one.size() > bytes.data() + bytes.size()) std::abort();
    if (auto e = decode(one)) entries.push_back(std::move(*e));
  }
  const auto again = encode_bundle(entries, some_mac);
  if (!again) return;
  const auto reread = read_bundle(*again);
  if (!reread || reread->entries.size() > entries.size() || !check_mac(*reread, some_mac)) std::abort();
}

void append_sum(std::string* bytes) {
  const digest128 sum = digest(*bytes);
  bytes->append(reinterpret_cast<const char*>(sum.data()), sum.size());
}

void append_number(std::string* bytes, std::uint64_t number) {
  for (int i = 0; i < 8; ++i) *bytes += static_cast<char>(number >> (8 * i));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  read(bytes);
  // With a checksum that fits, and then with a head: what lies behind them is reached.
  std::string whole(bytes);
  append_sum(&whole);
  read(whole);
  if (size == 0) return 0;
  std::string headed("\x89RSB\r\n\x1a\n\x01\0\0\0", 12);
  headed += static_cast<char>(data[0] & 1);
  headed += std::string(3, '\0');
  append_number(&headed, data[0] >> 1 & 7);
  headed += bytes.substr(1);
  append_sum(&headed);
  read(headed);
  return 0;
}
