// margin: how near results come to their bounds: the largest error of every bound and output dtype, as a part of what
// is allowed.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "rowsmith/tensor_view.h"

namespace rowsmith::test {

class margins {
 public:
  // `where`: what to say of the draw.
  void add(const std::string& bound, dtype out, double share, const std::string& where);
  void print() const;

  bool empty() const { return worst_.empty(); }

 private:
  struct entry {
    double share = 0;
    std::string where;
  };
  std::map<std::pair<std::string, dtype>, entry> worst_;
};

}  // namespace rowsmith::test
