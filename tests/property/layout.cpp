#include "property/layout.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "rowsmith/call.h"

namespace rowsmith::test {

namespace {

constexpr std::int64_t few_elements = 10'000, many_elements = 120'000;  // of a draw, where the width leaves a choice

// Which axes are reduced, among how many; and what the call says for it.
void place_row_axes(const kernel& k, layout* l, dice& d) {
  const auto inner = static_cast<int>(k.row_extents.size()), rank = k.outer_axes + inner;
  space& s = l->over;
  switch (k.kind) {
    case family::copy:
    case family::elementwise:
      break;
    case family::softmax:
    case family::softmax_backward: {
      const int axis = d.percent(65) ? rank - 1 : static_cast<int>(d.from_to(k.causal ? 1 : 0, rank - 1));
      s.reduced = 1u << axis;
      l->axis = d.one_in(2) ? axis : axis - rank;
      break;
    }
    case family::moments:
      while (std::popcount(s.reduced) < inner) s.reduced |= 1u << d.from_to(0, rank - 1);
      l->axis = static_cast<int>(s.reduced);
      break;
    default:
      s.reduced = ((1u << inner) - 1) << (rank - inner);
      l->axis = inner;
      break;
  }
}

void draw_extents(const kernel& k, layout* l, dice& d) {
  const std::size_t rank = static_cast<std::size_t>(k.outer_axes) + k.row_extents.size();
  space& s = l->over;
  s.shape.assign(rank, 1);
  std::size_t next = 0;
  // Of an op that reduces nothing the drawn extent is that of any axis.
  const unsigned given = s.reduced != 0 ? s.reduced : 1u << d.from_to(0, static_cast<std::int64_t>(rank) - 1);
  std::int64_t left = k.large ? many_elements : few_elements;
  for (std::size_t a = 0; a < rank; ++a) {
    if ((given >> a & 1) == 0) continue;
    s.shape[a] = k.row_extents[next++];
    left /= std::max<std::int64_t>(s.shape[a], 1);
  }
  std::vector<std::size_t> outer;
  for (std::size_t a = 0; a < rank; ++a) {
    if ((given >> a & 1) == 0) outer.push_back(a);
  }
  if (k.one_row || outer.empty()) return;
  // Mostly the slowest axis grows; a kernel whose rows are counted by another must not care.
  const std::size_t growing = d.percent(70) ? outer.front() : d.of(outer);
  for (const std::size_t a : outer) {
    if (a == growing) continue;
    s.shape[a] = d.from_to(1, std::clamp<std::int64_t>(left / 2, 1, 6));
    left /= s.shape[a];
  }
  l->growing = static_cast<int>(growing);
  l->least = 2;
  l->most = std::clamp<std::int64_t>(left, 2, k.large ? 3000 : 90);
}

std::vector<int> draw_axes(const kernel_operand& o, const space& s, dice& d) {
  std::vector<int> axes;
  const auto rank = static_cast<int>(s.shape.size());
  const bool ones = d.one_in(2);
  const auto some = [&](bool reduced) {  // those axes, with or without an axis of one for each other
    for (int a = 0; a < rank; ++a) {
      if (s.reduces(static_cast<std::size_t>(a)) == reduced)
        axes.push_back(a);
      else if (ones)
        axes.push_back(stands_for_nothing);
    }
    if (axes.empty()) axes.assign(static_cast<std::size_t>(rank), stands_for_nothing);
  };
  switch (o.shape) {
    case extent::full:
      for (int a = 0; a < rank; ++a) axes.push_back(a);
      break;
    case extent::per_row:
      some(false);
      break;
    case extent::per_column:
      some(true);
      break;
    case extent::table:
      axes.push_back(stands_for_table_rows);
      for (int a = 0; a < rank; ++a) {
        if (s.reduces(static_cast<std::size_t>(a))) axes.push_back(a);
      }
      break;
    case extent::broadcast: {
      const bool whole = d.one_in(3);
      for (int a = 0; a < rank; ++a) axes.push_back(whole || d.percent(60) ? a : stands_for_nothing);
      // Leading axes that repeat may be left out.
      while (axes.size() > 1 && axes.front() == stands_for_nothing && d.one_in(2)) axes.erase(axes.begin());
      break;
    }
  }
  return axes;
}

// A stride for every axis of a tensor. What grows has room for its most, or lies slowest.
dims draw_strides(const std::vector<int>& axes, const layout& l, bool output, dice& d) {
  std::vector<std::size_t> order(axes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const bool plain = d.percent(45);
  if (!plain && d.one_in(2)) {
    for (std::size_t i = order.size(); i-- > 1;) {
      std::swap(order[i], order[static_cast<std::size_t>(d.from_to(0, static_cast<std::int64_t>(i)))]);
    }
  }
  const bool turns = !plain && d.one_in(3), gaps = !plain && d.one_in(3), repeats = !plain && !output && d.one_in(4);
  std::int64_t step = !plain && d.one_in(5) ? d.from_to(2, 3) : 1;
  dims stride(axes.size());
  for (std::size_t n = order.size(); n-- > 0;) {
    const std::size_t at = order[n];
    const int stands_for = axes[at];
    if (stands_for == stands_for_nothing && !plain && d.one_in(3)) {
      stride[at] = d.of<std::int64_t>({0, -7, std::int64_t{1} << 40});  // of one element: nobody goes there
      continue;
    }
    if (repeats && d.one_in(2)) continue;
    stride[at] = turns && d.one_in(2) ? -step : step;
    const std::int64_t extent = stands_for == stands_for_nothing      ? 1
                                : stands_for == stands_for_table_rows ? l.most_table_rows
                                : stands_for == l.growing             ? l.most + 1
                                                          : l.over.shape[static_cast<std::size_t>(stands_for)];
    step = step * std::max<std::int64_t>(extent, 1) + (gaps && d.one_in(2) ? d.from_to(1, 9) : 0);
  }
  return stride;
}

int draw_phase(dtype t, dice& d) {
  return d.percent(55) ? 0 : static_cast<int>(d.from_to(0, 16 / static_cast<std::int64_t>(size_of(t)) - 1));
}

}  // namespace

layout draw_layout(const kernel& k, dice& d) {
  layout l;
  place_row_axes(k, &l, d);
  draw_extents(k, &l, d);
  const auto width = static_cast<std::int64_t>(l.over.width());
  l.most_table_rows = d.magnitude(1, std::clamp<std::int64_t>(few_elements / std::max<std::int64_t>(width, 1), 1, 300));
  for (const kernel_operand& o : k.operands) {
    operand_layout lies;
    lies.axes = draw_axes(o, l.over, d);
    lies.stride = draw_strides(lies.axes, l, o.output, d);
    lies.phase = draw_phase(o.type, d);
    l.operands.push_back(std::move(lies));
  }
  for (const auto& [out, in] : k.in_place) {
    std::vector<int> all(l.over.shape.size());
    std::iota(all.begin(), all.end(), 0);
    l.operands[in].axes = l.operands[out].axes = all;
    l.operands[in].stride = l.operands[out].stride;
    l.operands[in].phase = l.operands[out].phase;
  }
  return l;
}

}  // namespace rowsmith::test
