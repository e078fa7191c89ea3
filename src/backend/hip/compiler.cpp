#include "backend/hip/compiler.h"

#include <cstring>

namespace rowsmith::hip {

bytes unbundled(bytes code) {
  constexpr std::string_view magic = "__CLANG_OFFLOAD_BUNDLE__";
  if (code.size() < magic.size() + 8 || std::memcmp(code.data(), magic.data(), magic.size()) != 0) return code;
  const auto word = [&](std::size_t at) {
    std::uint64_t value = ~std::uint64_t{0};
    if (at <= code.size() && code.size() - at >= sizeof value) std::memcpy(&value, code.data() + at, sizeof value);
    return value;
  };
  std::size_t at = magic.size();
  const std::uint64_t count = word(at);
  at += 8;
  for (std::uint64_t i = 0; i < count && at + 24 <= code.size(); ++i) {
    const std::uint64_t offset = word(at), size = word(at + 8), name = word(at + 16);
    if (name > code.size() - at - 24 || offset > code.size() || size > code.size() - offset) break;
    const std::string_view triple(reinterpret_cast<const char*>(code.data()) + at + 24, name);
    if (size != 0 && triple.find("amdgcn") != std::string_view::npos) {
      return bytes(code.begin() + static_cast<std::ptrdiff_t>(offset),
                   code.begin() + static_cast<std::ptrdiff_t>(offset + size));
    }
    at += 24 + name;
  }
  return code;
}

status refused(const std::string& who, const source& s, const std::string& arch, const std::string& log) {
  return status(code::compile_failed, who + " could not compile " + s.name + " for " + arch)
      .with_detail(log + "\n--- " + s.name + "\n" + s.text);
}

}  // namespace rowsmith::hip
