#include "inspect/refusal.h"

#include <algorithm>
#include <new>

namespace rowsmith {

std::string list_of(std::uint32_t dtypes) noexcept try {
  std::string text;
  for (int value = 1; value < 32; ++value) {
    if ((dtypes >> value & 1) == 0) continue;
    if (!text.empty()) text += ", ";
    text += name_of(static_cast<dtype>(value));
  }
  return text;
} catch (const std::bad_alloc&) {
  return {};
}

std::string shape_text(const tensor_view& v) noexcept try {
  std::string text;
  for (int i = 0; i < std::min<int>(v.rank, max_rank); ++i) {
    if (i != 0) text += "x";
    text += fmt::format("{}", v.shape[i]);
  }
  return text;
} catch (const std::bad_alloc&) {
  return {};
}

}  // namespace rowsmith
