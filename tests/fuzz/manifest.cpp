// Any text as a manifest: its lines are refused, or are requests that are written and read again as the same.
#include "deploy/manifest.h"

#include <cstdint>
#include <cstdlib>
#include <string_view>

using namespace rowsmith;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const manifest m = parse_manifest(text);
  for (const manifest::entry& e : m.entries) {
    const std::string line = to_line(e.asked);
    const auto again = parse_line(line);
    if (!again || to_line(*again) != line) std::abort();
  }
  if (m.entries.size() + m.problems.size() > size + 1) std::abort();
  return 0;
}
