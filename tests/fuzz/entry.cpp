// Any bytes as the file of an entry: refused, or written again as the very same bytes.
#include "cache/entry.h"

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "cache/hash.h"

using namespace rowsmith::cache;

namespace {

void decode_and_encode(std::string_view bytes) {
  const auto head = decode_head(bytes.substr(0, entry_head_limit), bytes.size());
  const auto e = decode(bytes);
  if (!e) return;
  if (!head || !(head->key == e->key) || head->payload_bytes != e->payload.size()) std::abort();
  if (encode(*e) != bytes) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  decode_and_encode(bytes);
  // A checksum that fits, so that what lies behind it is reached: 2^-128 of all inputs would.
  std::string whole(bytes);
  const digest128 sum = digest(whole);
  whole.append(reinterpret_cast<const char*>(sum.data()), sum.size());
  decode_and_encode(whole);
  // And a head that fits: the input is a length and then the three parts.
  if (size < 2) return 0;
  const std::size_t cut = data[0] % (size - 1);
  const auto k = key::parse(bytes.substr(1, cut));
  const entry e{k ? *k : key().add_what("op", bytes.substr(1, cut)), std::string(bytes.substr(1 + cut)), {}, {}};
  if (const std::string text = encode(e); e.key.text().size() <= entry_head_limit - 40) {
    const auto again = decode(text);
    if (!again || !(again->key == e.key) || again->metadata != e.metadata) std::abort();
  }
  return 0;
}
