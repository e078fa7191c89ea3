#include "property/refusal.h"

#include <algorithm>
#include <cmath>

namespace rowsmith::test {

namespace {

// One way to be wrong. False where the trial offers no occasion.
using fault = bool (*)(const trial& t, dice& d, bad_request* bad);

struct named_fault {
  const char* name;
  fault make;
};

std::size_t any_operand(const trial& t, dice& d) {
  return static_cast<std::size_t>(d.from_to(0, static_cast<std::int64_t>(t.of().operands.size()) - 1));
}

// An axis of the view along which there is more than one element and every one has its own place; -1: none.
int moving_axis(const tensor_view& v, dice& d) {
  std::vector<int> axes;
  for (int a = 0; a < v.rank; ++a) {
    if (v.shape[a] > 1 && v.stride[a] != 0) axes.push_back(a);
  }
  return axes.empty() ? -1 : d.of(axes);
}

std::optional<std::size_t> any_output(const trial& t, dice& d) {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < t.of().operands.size(); ++i) {
    if (t.of().operands[i].output) all.push_back(i);
  }
  if (all.empty()) return std::nullopt;
  return d.of(all);
}

void change(const trial& t, std::size_t operand, bad_request* bad) {
  bad->change.changed = static_cast<int>(operand);
  bad->change.view = t.view(operand);
}

bool missing_operand(const trial& t, dice& d, bad_request* bad) {
  std::vector<int> needed;
  for (const op_info& op : known_ops()) {
    if (op.name != t.of().op) continue;
    for (const auto& o : op.operands) {
      for (std::size_t i = 0; i < t.of().operands.size(); ++i) {
        if (!o.optional && o.role == t.of().operands[i].role) needed.push_back(static_cast<int>(i));
      }
    }
  }
  return bad->change.left_out = d.of(needed), true;
}

bool wrong_dtype(const trial& t, dice& d, bad_request* bad) {
  change(t, any_operand(t, d), bad);
  bad->change.view.dtype = d.of({dtype::f64, dtype::i8, dtype::u8, dtype::f8_e4m3, static_cast<dtype>(77)});
  return true;
}

bool wrong_extent(const trial& t, dice& d, bad_request* bad) {
  const std::size_t at = any_operand(t, d);
  // Others tell that it is wrong only where there are some of the same extents; a table may have any rows.
  if (t.of().operands[at].shape == extent::table || t.of().operands[at].shape == extent::broadcast) return false;
  const auto of_full_shape = std::count_if(t.of().operands.begin(), t.of().operands.end(),
                                           [](const kernel_operand& o) { return o.shape == extent::full; });
  if (t.of().operands[at].shape == extent::full && of_full_shape < 2) return false;
  change(t, at, bad);
  ++bad->change.view.shape[d.from_to(0, bad->change.view.rank - 1)];
  return true;
}

bool negative_extent(const trial& t, dice& d, bad_request* bad) {
  change(t, any_operand(t, d), bad);
  bad->change.view.shape[0] = -d.from_to(1, 5);
  return true;
}

bool wrong_rank(const trial& t, dice& d, bad_request* bad) {
  const std::size_t at = any_operand(t, d);
  change(t, at, bad);
  tensor_view& v = bad->change.view;
  v.rank = d.of({9, 1000, -1});
  return true;
}

bool wrong_epsilon(const trial& t, dice& d, bad_request* bad) {
  if (t.of().kind != family::norm && t.of().kind != family::norm_backward) return false;
  bad->change.epsilon = d.of({0.0f, -1e-5f, -INFINITY, NAN});
  return true;
}

// The output lies over an input, the other way around.
bool overlap(const trial& t, dice& d, bad_request* bad) {
  const auto out = any_output(t, d);
  if (!out) return false;
  for (std::size_t i = 0; i < t.of().operands.size(); ++i) {
    const kernel_operand &in = t.of().operands[i], &over = t.of().operands[*out];
    if (in.output || in.shape != extent::full || over.shape != extent::full || size_of(in.type) != size_of(over.type))
      continue;
    const bool in_place = std::any_of(t.of().in_place.begin(), t.of().in_place.end(),
                                      [&](const auto& p) { return p.second == i || p.first == *out; });
    tensor_view v = t.view(i);
    const int axis = moving_axis(v, d);
    if (in_place || axis < 0) continue;
    v.dtype = over.type;
    v.data =
        static_cast<char*>(v.data) + v.stride[axis] * (v.shape[axis] - 1) * static_cast<std::int64_t>(size_of(v.dtype));
    v.stride[axis] = -v.stride[axis];
    bad->change.changed = static_cast<int>(*out), bad->change.view = v;
    return true;
  }
  return false;
}

bool output_over_itself(const trial& t, dice& d, bad_request* bad) {
  const auto out = any_output(t, d);
  if (!out) return false;
  change(t, *out, bad);
  const int axis = moving_axis(bad->change.view, d);
  if (axis < 0) return false;
  bad->change.view.stride[axis] = 0;
  return true;
}

bool no_memory(const trial& t, dice& d, bad_request* bad) {
  change(t, any_operand(t, d), bad);
  bad->change.view.data = nullptr;
  return true;
}

bool off_an_element(const trial& t, dice& d, bad_request* bad) {
  change(t, any_operand(t, d), bad);
  if (size_of(bad->change.view.dtype) == 1) return false;
  bad->change.view.data = static_cast<char*>(bad->change.view.data) + 1;
  return true;
}

bool other_device(const trial& t, dice& d, bad_request* bad) {
  if (t.of().operands.size() < 2) return false;
  change(t, any_operand(t, d), bad);
  bad->change.view.device = {device_kind::null, 3};
  return true;
}

bool wrong_axis(const trial& t, dice& d, bad_request* bad) {
  const auto rank = static_cast<int>(t.over().shape.size());
  switch (t.of().kind) {
    case family::copy:
    case family::elementwise:
      return false;
    case family::softmax:
    case family::softmax_backward:
      bad->change.axis = d.of({rank, -rank - 1, 1000});
      return true;
    case family::moments:
      bad->change.axis = d.of({0, 1 << rank, -1});
      return true;
    default:
      bad->change.axis = d.of({0, rank + 1, -1});
      return true;
  }
}

bool unknown_argument(const trial& t, dice&, bad_request* bad) {
  const family f = t.of().kind;
  if (t.of().fused() || f == family::copy || f == family::elementwise) return false;
  bad->change.before = expression::make(arg(0) + arg(3)).value();
  return true;
}

constexpr named_fault k_faults[] = {
    {"an operand is missing", missing_operand},
    {"a dtype that no operand has", wrong_dtype},
    {"an extent that others do not have", wrong_extent},
    {"a negative extent", negative_extent},
    {"a rank that no tensor has", wrong_rank},
    {"eps is not positive", wrong_epsilon},
    {"an output lies over an input", overlap},
    {"an output lies over itself", output_over_itself},
    {"no memory", no_memory},
    {"memory off an element's boundary", off_an_element},
    {"two devices", other_device},
    {"an axis that is not there", wrong_axis},
    {"an expression of an argument that is not there", unknown_argument},
};

}  // namespace

std::optional<bad_request> spoil(const trial& t, dice& d) {
  for (std::size_t i = 0; i < t.of().operands.size(); ++i) {
    const tensor_view v = t.view(i);
    for (int a = 0; a < v.rank; ++a) {
      if (v.shape[a] == 0) return std::nullopt;  // what is wrong with nothing need not be seen
    }
  }
  for (int tries = 0; tries < 4; ++tries) {
    const named_fault& f = k_faults[d.from_to(0, std::ssize(k_faults) - 1)];
    bad_request bad{f.name, {}};
    if (f.make(t, d, &bad)) return bad;
  }
  return std::nullopt;
}

}  // namespace rowsmith::test
