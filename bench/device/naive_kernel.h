// naive_kernel: what the first version of a kernel looks like: one thread a row, an access an element, a pass over
// memory for every step; a thread an element where nothing is reduced.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "cli/op_setup.h"

namespace rowsmith::bench {

// Its text for a call with these operands; none for an op, or a form of it, that has no naive kernel. `expression`: of
// elementwise, with x and in1; it is C as it stands.
std::optional<std::string> naive_text(const cli::op_setup& s, const std::string& expression);
constexpr const char* naive_entry = "bench_naive";

class naive_kernel {
 public:
  // `text`: of naive_text(s, …). `s` outlives this.
  static result<naive_kernel> build(const cli::op_setup& s, std::string text);

  status run(const std::vector<void*>& pointers, stream on) const;

 private:
  const cli::op_setup* setup_ = nullptr;
  std::unique_ptr<loaded_kernel> kernel_;
};

}  // namespace rowsmith::bench
