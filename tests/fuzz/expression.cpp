// Any words as an expression: refused, or canonical, of which the canonical form is itself. The same words with every
// byte brought near its range, so that many are well formed.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "model/expression/instruction.h"
#include "rowsmith/expr.h"

using namespace rowsmith;

namespace {

void check(const std::vector<std::uint64_t>& words) {
  const auto once = expression::from_words(words.data(), words.size());
  if (!once) {
    if (once.status().message().empty()) std::abort();
    return;
  }
  if (once->words().size() > words.size() || once->to_string().empty()) std::abort();
  const auto again = expression::from_words(once->words().data(), once->words().size());
  if (!again || *again != *once || again->id() != once->id()) std::abort();
  for (int n = 0; n < once->output_count(); ++n) {
    const auto slope = expression::make(gradient(once->output(n), 0));
    if (!slope && slope.status().message().empty()) std::abort();
  }
}

// The word at `at`, made one that is probably allowed there.
std::uint64_t tamed(std::uint64_t word, std::size_t at) {
  const auto all = all_opcodes();
  instruction i = instruction::of(word);
  const opcode_row& row = all[static_cast<std::size_t>(i.op) % all.size()];
  i.op = row.op;
  for (int k = 0; k < 3; ++k) {
    i.operand[k] = static_cast<std::uint8_t>(k < row.operands && at != 0 ? i.operand[k] % at : 0);
  }
  if (row.immediate == immediate::none) i.immediate = 0;
  if (row.immediate != immediate::none && row.immediate != immediate::fp32) i.immediate %= 5;
  return i.word();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::uint64_t> words(size / sizeof(std::uint64_t));
  if (!words.empty()) std::memcpy(words.data(), data, words.size() * sizeof words[0]);
  check(words);
  for (std::size_t at = 0; at < words.size(); ++at) words[at] = tamed(words[at], at);
  check(words);
  return 0;
}
