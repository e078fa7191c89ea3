// What a wave of every op may execute, from instruction_limits.txt: the best loop known for a row of 1024 f16, and what
// the op has to do beside it, each thing with its number.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "gcn/suite/double.h"
#include "gcn/suite/instruction_count.h"
#include "rowsmith/call.h"
#include "support/softmax_check.h"

namespace rowsmith::test {
namespace {

// The best softmax known that keeps NaN: one row a wave, no loop over rows, rows side by side.
constexpr double best_of_gfx906 = 174, best_of_gfx90a = 158, allowance = 1.15;

struct limited_call {
  std::string words;
  double more_of_gfx906 = 0, more_of_gfx90a = 0;
};

// "softmax --shape ..." begins a call; "+12 why" and "+12/6 why" (the second number is gfx90a's, which multiplies and
// adds two floats at once) add to it.
std::vector<limited_call> read_limits() {
  std::vector<limited_call> all;
  std::ifstream in(ROWSMITH_TEST_LIMITS);
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    if (line[0] != '+' && line[0] != '-') {
      all.push_back({line});
      continue;
    }
    std::istringstream words(line);
    double first = 0, second = 0;
    words >> first;
    second = first;
    if (words.peek() == '/') words.ignore(), words >> second;
    EXPECT_TRUE(words && !all.empty()) << line;
    if (all.empty()) break;
    all.back().more_of_gfx906 += first;
    all.back().more_of_gfx90a += second;
  }
  return all;
}

class instruction_limits : public on_device {};

TEST_F(instruction_limits, are_kept_by_every_op) {
  const bool is_gfx90a = std::string(std::getenv("HIPSIM_ARCH")) == "gfx90a";
  std::set<std::string> seen;
  for (const limited_call& c : read_limits()) {
    SCOPED_TRACE(c.words);
    const cli::op_words words = parse_words(c.words);
    seen.insert(words.op);
    const auto counted = count_call(words);
    ASSERT_TRUE(counted) << counted.status().to_string() << counted.status().detail();
    // The kernel that goes over the rows: others prepare it, or add up what its blocks found.
    const kernel_count& k = *std::ranges::max_element(counted->kernels, {}, &kernel_count::instructions);
    const double best = is_gfx90a ? best_of_gfx90a + c.more_of_gfx90a : best_of_gfx906 + c.more_of_gfx906;
    std::printf("%-86s %7.1f of %7.1f\n", c.words.c_str(), k.per_wave(), allowance * best);
    EXPECT_LE(k.per_wave(), allowance * best) << counted->text();
  }
  for (const op_info& op : known_ops()) EXPECT_TRUE(seen.contains(std::string(op.name))) << op.name << " has no limit";
}

}  // namespace
}  // namespace rowsmith::test
