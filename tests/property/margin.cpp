#include "property/margin.h"

#include <cstdio>

namespace rowsmith::test {

void margins::add(const std::string& bound, dtype out, double share, const std::string& where) {
  entry& e = worst_[{bound, out}];
  if (e.where.empty() || share > e.share) e = {share, where};
}

void margins::print() const {
  std::printf("%-32s %-5s %8s  %s\n", "bound (docs/numerics.md)", "dtype", "largest", "draw");
  for (const auto& [key, e] : worst_) {
    std::printf("%-32s %-5s %8.3f  %s\n", key.first.c_str(), std::string(name_of(key.second)).c_str(), e.share,
                e.where.c_str());
  }
}

}  // namespace rowsmith::test
