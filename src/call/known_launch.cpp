#include "call/known_launch.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace rowsmith {

namespace {

struct span_of_bytes {
  std::intptr_t begin, end;
};

// Signed, as addresses are validated: what wraps ends before it begins.
span_of_bytes bytes_of(const void* data, const byte_span& reach) noexcept {
  const auto base = std::bit_cast<std::uint64_t>(data);
  return {static_cast<std::intptr_t>(base + static_cast<std::uint64_t>(reach.low)),
          static_cast<std::intptr_t>(base + static_cast<std::uint64_t>(reach.high))};
}

bool meet(const span_of_bytes& a, const span_of_bytes& b) noexcept { return a.begin < b.end && b.begin < a.end; }

}  // namespace

bool known_launch::place_operands(const request& r, const facts& f, const argument_layout& layout) {
  for (int k = 0; k < r.operand_count; ++k) {
    const tensor_view& v = r.operands[k].view;
    if (std::find(v.shape, v.shape + v.rank, 0) != v.shape + v.rank) return false;
    operands_.push_back({byte_span_of(v), 0, !f.fixed.operands[k].has(operand_virtual)});
  }
  for (int place = 0; place < layout.operands; ++place) {
    const int k = layout.place[static_cast<std::size_t>(place)];
    if (k < r.operand_count)
      operands_[static_cast<std::size_t>(k)].word = static_cast<std::uint16_t>(arguments::address_word(layout, place));
  }
  return true;
}

bool known_launch::pair_operands(const request& r, const facts& f) {
  for (int i = 0; i < r.operand_count; ++i) {
    if (!f.fixed.operands[i].has(operand_output)) continue;
    const auto at = [&](int k) {
      return bytes_of(r.operands[k].view.data, operands_[static_cast<std::size_t>(k)].reach);
    };
    for (int k = 0; k < r.operand_count; ++k) {
      const bool before = k < i && f.fixed.operands[k].has(operand_output);  // that pair is known
      if (k == i || before || !operands_[static_cast<std::size_t>(k)].has_memory) continue;
      const bool together = meet(at(i), at(k));
      if (together && r.operands[i].view.data != r.operands[k].view.data) return false;
      pairs_.push_back({static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(k), together});
    }
  }
  return true;
}

std::unique_ptr<const known_launch> known_launch::of(const request& r, const facts& f, const kernel_table::entry& by) {
  const executable& kernel = *by.current.load(std::memory_order_acquire);
  std::unique_ptr<known_launch> l(new known_launch);
  l->entry_ = &by;
  l->kernel_ = &kernel;
  const auto single = kernel.single(f);
  if (!single) return l;
  if (!l->place_operands(r, f, *single->layout) || !l->pair_operands(r, f)) return l;
  l->launched_ = single->kernel;
  l->blocks_ = single->blocks;
  const auto* words = static_cast<const std::uint64_t*>(single->args.data());
  l->words_.assign(words, words + single->args.size() / sizeof *words);
  return l;
}

[[gnu::hot]] bool known_launch::fits(const request& r) const noexcept {
  if (launched_ == nullptr || r.workspace != nullptr) return false;
  for (std::size_t k = 0; k < operands_.size(); ++k) {
    const operand_place& o = operands_[k];
    const auto [begin, end] = bytes_of(r.operands[k].view.data, o.reach);
    if (o.has_memory && (r.operands[k].view.data == nullptr || begin >= end)) return false;
  }
  for (const pair& p : pairs_) {
    const operand_place &a = operands_[p.output], &b = operands_[p.other];
    const void *first = r.operands[p.output].view.data, *second = r.operands[p.other].view.data;
    if (p.same ? first != second : meet(bytes_of(first, a.reach), bytes_of(second, b.reach))) return false;
  }
  return true;
}

[[gnu::hot]] status known_launch::launch(const request& r) const noexcept {
  std::uint64_t words[arguments::most_words];
  std::memcpy(words, words_.data(), words_.size() * sizeof *words);
  std::memcpy(words + arguments::first_param_word, r.param, sizeof r.param);
  for (std::size_t k = 0; k < operands_.size(); ++k) {
    if (operands_[k].word != 0) words[operands_[k].word] = std::bit_cast<std::uint64_t>(r.operands[k].view.data);
  }
  return launched_->launch(blocks_, words, words_.size() * sizeof *words, r.on);
}

}  // namespace rowsmith
