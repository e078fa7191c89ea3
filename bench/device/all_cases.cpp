#include <iterator>

#include "bench_case.h"

namespace rowsmith::bench {

std::vector<bench_case> all_cases() {
  std::vector<bench_case> all;
  for (const auto family : {softmax_cases, norm_cases, row_cases, elementwise_cases}) {
    std::vector<bench_case> cases = family();
    std::move(cases.begin(), cases.end(), std::back_inserter(all));
  }
  return all;
}

std::string dtype_text(const bench_case& c) {
  return c.call.out_type.empty() ? c.call.type : c.call.type + "->" + c.call.out_type;
}

}  // namespace rowsmith::bench
