#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <bit>

#include "model/expression/fragment.h"

namespace rowsmith {

namespace {

static_assert(std::endian::native == std::endian::little, "ids are hashes of little-endian words");

expression_id hash(const std::vector<std::uint64_t>& words) noexcept {
  const XXH128_hash_t h = XXH3_128bits(words.data(), words.size() * sizeof words[0]);
  return {{h.low64, h.high64}};
}

// The highest immediate of an opcode's words, and one.
int count_of(opcode op, const std::vector<std::uint64_t>& words) noexcept {
  int count = 0;
  for (const std::uint64_t w : words) {
    const instruction i = instruction::of(w);
    if (i.op == op) count = std::max(count, static_cast<int>(i.immediate) + 1);
  }
  return count;
}

}  // namespace

result<expression> expression::make(const expr* outputs, std::size_t count) {
  if (count == 0 || count > max_expression_outputs) {
    return status(code::invalid_argument,
                  fmt::format("expression: {} outputs, 1 to {} are allowed", count, max_expression_outputs));
  }
  word_list list;
  std::vector<std::uint8_t> places;
  for (std::size_t n = 0; n < count; ++n) {
    const expression_fragment& f = expression_access::of(outputs[n]);
    if (!f.failure.empty()) return status(code::invalid_argument, f.failure);
    places.push_back(list.add(f));
  }
  for (std::size_t n = 0; n < count; ++n) list.add({opcode::output, {places[n]}, static_cast<std::uint32_t>(n)});
  if (list.too_long()) return status(code::invalid_argument, too_long_message());
  return expression_access::make(list.take());
}

expression::expression(std::vector<std::uint64_t> words)
    : words_(std::make_shared<const std::vector<std::uint64_t>>(std::move(words))), id_(hash(*words_)) {}

int expression::output_count() const noexcept { return count_of(opcode::output, words()); }
int expression::argument_count() const noexcept { return count_of(opcode::argument, words()); }
int expression::parameter_count() const noexcept { return count_of(opcode::parameter, words()); }

unsigned expression::arguments_of(int n) const noexcept {
  std::array<unsigned, max_expression_words> made_of{};
  for (std::size_t at = 0; at < words().size(); ++at) {
    const instruction i = instruction::of(words()[at]);
    if (i.op == opcode::argument) made_of[at] = 1u << i.immediate;
    for (int k = 0; k < describe(i.op).operands; ++k) made_of[at] |= made_of[i.operand[k]];
    if (i.op == opcode::output && static_cast<int>(i.immediate) == n) return made_of[at];
  }
  return 0;
}

}  // namespace rowsmith
