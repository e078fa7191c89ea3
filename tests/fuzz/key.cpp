// Any text as a key: refused, or written again as the very same text. Any bytes as names and values: read back.
#include "cache/key.h"

#include <cstdint>
#include <cstdlib>
#include <string_view>

using namespace rowsmith::cache;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const std::string& t : {std::string(text), "rowsmith-key 1\n" + std::string(text)}) {
    const auto k = key::parse(t);
    if (!k) continue;
    if (k->text() != t) std::abort();
    if (!differing_fields(*k, *k).empty()) std::abort();
  }
  const std::string_view name = text.substr(0, size / 3), value = text.substr(size / 3, size / 3);
  key made;
  made.add_what(name, value).add_what_digest(value, text).add_who(value, text.substr(size - size / 3));
  const auto again = key::parse(made.text());
  if (!again || !(*again == made) || again->what_digest() != made.what_digest()) std::abort();
  return 0;
}
