#include "property/space.h"

namespace rowsmith::test {

namespace {

// Offsets of every index along the axes that are reduced, or along those that are not, in row-major order.
std::vector<std::size_t> offsets(const space& over, bool reduced, const std::vector<std::size_t>& step) {
  std::vector<std::size_t> all{0};
  for (std::size_t a = 0; a < over.shape.size(); ++a) {
    if (over.reduces(a) != reduced) continue;
    std::vector<std::size_t> longer;
    longer.reserve(all.size() * static_cast<std::size_t>(over.shape[a]));
    for (const std::size_t base : all) {
      for (std::int64_t i = 0; i < over.shape[a]; ++i) longer.push_back(base + static_cast<std::size_t>(i) * step[a]);
    }
    all = std::move(longer);
  }
  return all;
}

}  // namespace

walk walk_of(const space& over, const std::vector<int>& axes, const dims& own_shape) {
  std::vector<std::size_t> step(over.shape.size(), 0);
  std::size_t own = 1;
  for (std::size_t j = axes.size(); j-- > 0;) {
    if (axes[j] >= 0) step[static_cast<std::size_t>(axes[j])] = own_shape[j] == 1 ? 0 : own;
    own *= static_cast<std::size_t>(own_shape[j]);
  }
  return {offsets(over, false, step), offsets(over, true, step)};
}

}  // namespace rowsmith::test
