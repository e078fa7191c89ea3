// around: what stands before and behind a row op in its kernel: expressions, with the arguments that they read.
#pragma once

#include <vector>

#include "property/trial.h"
#include "reference/expected.h"

namespace rowsmith::test {

class around {
 public:
  explicit around(const trial& t);

  // What the op sees of row r of its first operand, in place of `row`.
  void before(std::size_t r, std::vector<double>* row) const;

  // What is stored of row r, in place of what the op gives.
  void behind(std::size_t r, reference::expected* row) const;

  bool is_behind() const { return trial_.of().post.has_value(); }

 private:
  struct argument {
    std::vector<float> values;
    walk at;
  };

  const trial& trial_;
  std::vector<argument> more_;
};

}  // namespace rowsmith::test
