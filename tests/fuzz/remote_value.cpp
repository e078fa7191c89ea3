// Any bytes as a value of the remote tier, and any text as its URL.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "cache/entry.h"
#include "cache/remote_store.h"
#include "cache/remote_url.h"

using namespace rowsmith::cache;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (const auto s = unseal(bytes); s) {
    if (seal(s->entry_bytes, s->mac) != bytes) std::abort();
    (void)decode(s->entry_bytes);
  }
  for (const std::string& text : {std::string(bytes), "redis://" + std::string(bytes)}) {
    const auto url = parse_remote_url(text);
    if (url && !parse_remote_url(to_string(*url))) std::abort();
  }
  return 0;
}
