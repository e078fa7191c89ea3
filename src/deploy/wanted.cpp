#include "deploy/wanted.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <unordered_set>

#include "build/kernel_key.h"
#include "inspect/inspect.h"
#include "inspect/thresholds.h"
#include "model/op_table.h"
#include "plan/plan.h"
#include "render/render.h"

namespace rowsmith {

namespace {

constexpr std::uintptr_t period = 16;  // addresses count modulo this

// Could as many rows of another number be of class `c`, but for whether they are few? See inspect/thresholds.h.
bool counts_rows(const shape_class& c) noexcept {
  if (c.asks != 0) return false;  // whoever asks for one kernel gets one
  const op_row& op = describe(c.op);
  if (op.along == reduces::nothing) return c.vendor != device_kind::host;
  if (c.inner_rank != 1 || c.width < long_row) return false;
  const auto lies_well = [](const operand_facts& o) { return !o.has(operand_full) || o.inner == inner::contiguous; };
  return std::all_of(c.operands, c.operands + c.operand_count, lies_well);
}

// Moves each tensor of a request to an offset from a 16-byte boundary and looks what classes that makes, of few rows
// and of many. Operands at one address stay together.
class mover {
 public:
  mover(const request& r, device_kind vendor) : asked_(r) {
    for (int k = 0; k < r.operand_count; ++k) {
      asked_.operands[k].view.device = {vendor, 0};  // a host counts nothing as few
      if (!has_memory(k)) continue;
      const auto known =
          std::find_if(tensors_.begin(), tensors_.end(), [&](const tensor& t) { return t.base == address(k); });
      const auto size = static_cast<std::uintptr_t>(size_of(r.operands[k].view.dtype));
      if (known == tensors_.end()) {
        tensors_.push_back({address(k), size, writes(k)});
      } else {
        known->element = std::max(known->element, size);
        known->written = known->written || writes(k);
      }
    }
  }

  struct tensor {
    std::uintptr_t base;
    std::uintptr_t element;  // bytes
    bool written;
  };
  const std::vector<tensor>& tensors() const noexcept { return tensors_; }

  // `offsets`: one a tensor, in bytes.
  void add(const std::vector<std::uintptr_t>& offsets) {
    request r = asked_;
    for (int k = 0; k < r.operand_count; ++k) {
      for (std::size_t i = 0; i < tensors_.size(); ++i) {
        if (!has_memory(k) || address(k) != tensors_[i].base) continue;
        r.operands[k].view.data = reinterpret_cast<void*>(tensors_[i].base / period * period + offsets[i]);
      }
    }
    facts f;
    if (!inspect(r, &f).ok()) return;
    add(f.fixed);
    if (!counts_rows(f.fixed)) return;
    f.fixed.flags ^= fact_few;
    add(f.fixed);
  }

  std::vector<shape_class> found() && { return std::move(found_); }

 private:
  void add(const shape_class& c) {
    if (std::find(found_.begin(), found_.end(), c) == found_.end()) found_.push_back(c);
  }

  const operand_spec& spec(int k) const { return *find_spec(describe(asked_.op), asked_.operands[k].what); }
  bool writes(int k) const { return spec(k).output; }
  // Where there is none, the address is a number of the call's.
  bool has_memory(int k) const { return spec(k).extent != reach::no_memory; }
  std::uintptr_t address(int k) const { return reinterpret_cast<std::uintptr_t>(asked_.operands[k].view.data); }

  request asked_;
  std::vector<tensor> tensors_;
  std::vector<shape_class> found_;
};

// A view that begins at any element, of all tensors at the same one, or of one input beside fresh outputs.
void add_usual(mover* m) {
  const std::size_t count = m->tensors().size();
  std::vector<std::uintptr_t> offsets(count, 0);
  m->add(offsets);
  for (std::size_t i = 0; i < count; ++i) offsets[i] = m->tensors()[i].element;
  m->add(offsets);
  for (std::size_t i = 0; i < count; ++i) {
    if (m->tensors()[i].written) continue;
    offsets.assign(count, 0);
    offsets[i] = m->tensors()[i].element;
    m->add(offsets);
  }
}

// One tensor at a time at each of its alignments, and all of them together: combinations of so many are no use to
// anybody.
void add_each(mover* m) {
  const std::size_t count = m->tensors().size();
  for (std::uintptr_t o = 1; o < period; o *= 2) {
    std::vector<std::uintptr_t> all(count, 0);
    for (std::size_t i = 0; i < count; ++i) {
      if (o < m->tensors()[i].element) continue;
      all[i] = o;
      std::vector<std::uintptr_t> one(count, 0);
      one[i] = o;
      m->add(one);
    }
    m->add(all);
  }
}

// The offsets of every tensor in all combinations. Of many tensors only those offsets that differ in alignment.
void add_every(mover* m, std::size_t at, std::vector<std::uintptr_t>* offsets) {
  if (at == m->tensors().size()) return m->add(*offsets);
  const std::uintptr_t element = m->tensors()[at].element;
  const bool many = m->tensors().size() > 3;
  for (std::uintptr_t o = 0; o < period; o = many && o != 0 ? o * 2 : o + element) {
    (*offsets)[at] = o;
    add_every(m, at + 1, offsets);
  }
}

}  // namespace

std::vector<shape_class> variants(const request& r, device_kind vendor, alignments which) {
  mover m(r, vendor);
  std::vector<std::uintptr_t> offsets;
  for (const mover::tensor& t : m.tensors()) offsets.push_back(t.base % period);
  m.add(offsets);
  const bool gpu = vendor != device_kind::host;
  constexpr std::size_t most_combined = 5;  // tensors
  if (which == alignments::usual && gpu) add_usual(&m);
  if (which == alignments::every && offsets.size() <= most_combined) add_every(&m, 0, &offsets);
  if (which == alignments::every && offsets.size() > most_combined) add_usual(&m), add_each(&m);
  return std::move(m).found();
}

wanted_list wanted_on(const target& t, const manifest& m, alignments which, const compiler_id* who) {
  wanted_list list;
  std::unordered_set<std::string> known;
  for (const manifest::entry& e : m.entries) {
    for (const shape_class& c : variants(e.asked, t.vendor->kind(), which)) {
      const result<plan> p = make_plan(c, t.traits);
      if (!p) {
        list.problems.push_back({to_string(c), e.line, p.status()});
        continue;
      }
      for (const launch_plan& l : p->launches) {
        const result<source> s = outline(l, c, t.traits);
        if (!s) {
          list.problems.push_back({to_string(c), e.line, s.status()});
          break;
        }
        wanted_kernel k{c, l, key_of(*s, c, t.traits, who), e.line, {}};
        if (!known.insert(k.key.what_digest()).second) continue;
        k.same_code = fmt::format("{}\n{}\n{}", s->entry, fmt::join(s->options, "\n"), s->instantiation);
        list.kernels.push_back(std::move(k));
      }
    }
  }
  return list;
}

}  // namespace rowsmith
