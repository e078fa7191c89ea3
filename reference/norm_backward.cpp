#include "reference/norm_backward.h"

#include <algorithm>
#include <cmath>

#include "reference/moments.h"
#include "reference/norm.h"

namespace rowsmith::reference {

namespace {

// A row as its gradients see it.
struct normalized_row {
  reals value;  // x^
  double rstd = 0;
  double reach = 0;  // the error of x^, in units of u L, beside its own size: rstd R, from the deviations
  double lost = 0;   // what products below 2^-126 take from x^
  overflow squares = overflow::no;
  bool centered = false;
};

normalized_row centered(std::span<const double> x, double epsilon) {
  const moments_of m = moments(x);
  normalized_row row{{},  m.squares == overflow::yes ? 0 : 1 / std::sqrt(m.variance.value + epsilon), 0, 0, m.squares,
                     true};
  row.reach = times(row.rstd, m.range);
  row.lost = m.range > 0 ? q * (1 + row.rstd) : 0;
  for (const double v : x) row.value.push_back((v - x[0] - m.offset) * row.rstd);
  return row;
}

normalized_row uncentered(std::span<const double> x, double epsilon) {
  double squares = 0;
  for (const double v : x) squares += v * v;
  const double n = static_cast<double>(x.size()), mean = squares / n;
  normalized_row row{{}, 0, 0, q, overflow_of(mean, n), false};
  row.rstd = row.squares == overflow::yes ? 0 : 1 / std::sqrt(mean + epsilon);
  for (const double v : x) row.value.push_back(v * row.rstd);
  return row;
}

// dx = rstd (g - mean(g) - x^ mean(g x^)) + extra, g = w dy; without centering there is no mean(g).
void add_dx(const normalized_row& row, std::span<const double> g, std::span<const double> extra, expected* dx) {
  const double n = static_cast<double>(g.size()), length = u * levels(g.size());
  double mean = 0, size = 0, dot = 0, dot_size = 0, dot_lost = q;
  for (std::size_t i = 0; i < g.size(); ++i) {
    if (row.centered) mean += g[i] / n, size += std::fabs(g[i]) / n;
    dot += g[i] * row.value[i] / n;
    dot_size += times(std::fabs(g[i]), std::fabs(row.value[i]) + row.reach) / n;
    dot_lost += std::fabs(g[i]) * row.lost / n;
  }
  const bool known = std::none_of(row.value.begin(), row.value.end(), [](double h) { return std::isnan(h); });
  for (std::size_t i = 0; i < g.size(); ++i) {
    const double h = row.value[i], more = extra.empty() ? 0 : extra[i];
    // x^ is off by reach, its factor mean(g x^) by dot_size.
    const double terms = std::fabs(g[i]) + size + times(row.reach, std::fabs(dot)) + times(std::fabs(h), dot_size);
    const double lost = 4 * q + times(row.lost, std::fabs(dot)) + times(std::fabs(h), dot_lost);
    bounded d{row.rstd * (g[i] - mean - h * dot) + more,
              length * (times(row.rstd, terms) + std::fabs(more)) + times(row.rstd, lost) + q};
    if (row.squares == overflow::maybe) d.error = std::max(d.error, std::fabs(d.value - more)), d.either = true;
    // Of an infinite gradient and an x^ whose sign is open nothing is known but that nothing finite comes of them.
    if (std::isnan(d.error) && known) d.error = INFINITY;
    dx->push_back(d);
  }
}

template <class Normalize>
norm_gradients gradients(std::span<const double> x, std::span<const double> dy, std::size_t width,
                         const norm_backward_terms& t, Normalize normalize) {
  norm_gradients all{{}, expected(width), expected(width)};
  const std::size_t rows = width == 0 ? 0 : x.size() / width;
  const affine a{t.weight, {}, t.one_plus_weight, {}};
  const double length = u * levels(std::max(rows, width));
  reals g(width);
  for (std::size_t r = 0; r < rows; ++r) {
    const auto row_of = [&](std::span<const double> m) { return m.empty() ? m : m.subspan(r * width, width); };
    const std::span<const double> dy_row = row_of(dy);
    const normalized_row row = normalize(row_of(x), t.epsilon);
    for (std::size_t i = 0; i < width; ++i) {
      const double d = dy_row[i], h = row.value[i];
      g[i] = d * a.scale(i);
      all.dweight[i].value += d * h;
      all.dweight[i].error +=
          length * times(std::fabs(d), std::fabs(h) + row.reach) + times(std::fabs(d), row.lost) + q;
      if (row.squares == overflow::maybe) all.dweight[i].error += std::fabs(d * h), all.dweight[i].either = true;
      all.dbias[i].value += d;
      all.dbias[i].error += length * std::fabs(d);
    }
    add_dx(row, g, row_of(t.extra), &all.dx);
  }
  return all;
}

}  // namespace

norm_gradients layer_norm_backward(std::span<const double> x, std::span<const double> dy, std::size_t width,
                                   const norm_backward_terms& t) {
  return gradients(x, dy, width, t, centered);
}

norm_gradients rms_norm_backward(std::span<const double> x, std::span<const double> dy, std::size_t width,
                                 const norm_backward_terms& t) {
  return gradients(x, dy, width, t, uncentered);
}

}  // namespace rowsmith::reference
