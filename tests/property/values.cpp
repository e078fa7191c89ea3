#include "property/values.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rowsmith::test {

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

// Draws of N(0, 1), one fixed sequence: each row begins somewhere in it.
const std::vector<float>& normal_pool() {
  static const std::vector<float> pool = [] {
    dice d({1});
    std::vector<float> all(65537);
    for (float& v : all) {
      const double radius = std::sqrt(-2 * std::log(1 - d.unit()));
      v = static_cast<float>(radius * std::cos(2 * M_PI * d.unit()));
    }
    return all;
  }();
  return pool;
}

double largest_finite(dtype t) { return t == dtype::f16 ? 65504 : 3.3e38; }
double least_normal_of(dtype t) { return t == dtype::f16 ? 0x1p-14 : 0x1p-126; }

enum class style { normal, scaled, around_mean, constant, huge, tiny, whole, largest, minus_infinity, any_magnitude };

style draw_style(profile p, dice& d) {
  if (p == profile::weight) return d.of({style::normal, style::normal, style::normal, style::whole, style::tiny});
  const style usual = d.of({style::normal, style::normal, style::normal, style::scaled, style::around_mean,
                            style::around_mean, style::constant, style::huge, style::tiny, style::whole});
  if (!d.one_in(6) || p == profile::tame) return usual;
  if (p == profile::squares) return d.of({style::largest, style::any_magnitude});
  return d.of({style::largest, style::minus_infinity, style::any_magnitude});
}

// One row's worth of numbers of a style.
class source {
 public:
  source(style s, dtype type, dice& d) : style_(s), d_(d) {
    at_ = static_cast<std::size_t>(d.from_to(0, static_cast<std::int64_t>(normal_pool().size()) - 1));
    switch (s) {
      case style::scaled:
        scale_ = d.ten_to(-4, 4);
        break;
      case style::around_mean:
        mean_ = d.sign() * d.ten_to(1, 7), scale_ = d.ten_to(-3, 1);
        break;
      case style::constant:
        mean_ = d.sign() * d.ten_to(-3, 7), scale_ = 0;
        break;
      case style::huge:
        scale_ = 1e15;
        break;
      case style::tiny:
        scale_ = least_normal_of(type) * d.ten_to(-2, 1);
        break;
      case style::largest:
        scale_ = largest_finite(type);
        break;
      default:
        break;
    }
  }

  float next() {
    switch (style_) {
      case style::whole:
        return static_cast<float>(d_.from_to(-4, 4));
      case style::largest:
        return static_cast<float>(d_.sign() * scale_);
      case style::minus_infinity:
        return -infinity;
      case style::any_magnitude:
        return static_cast<float>(d_.sign() * d_.ten_to(-30, 29));
      default:
        if (++at_ == normal_pool().size()) at_ = 0;
        return static_cast<float>(mean_ + scale_ * normal_pool()[at_]);
    }
  }

 private:
  style style_;
  dice& d_;
  std::size_t at_;
  double mean_ = 0, scale_ = 1;
};

void sprinkle(const walk& over, std::size_t r, dice& d, std::vector<float>* all) {
  if (over.column.empty()) return;
  for (std::int64_t n = d.from_to(1, 3); n > 0; --n) {
    const auto i = static_cast<std::size_t>(d.from_to(0, static_cast<std::int64_t>(over.column.size()) - 1));
    (*all)[over.at(r, i)] = d.of({infinity, -infinity, -infinity, not_a_number});
  }
}

// exp(z) / sum of it, or its logarithm, for ordinary z; a few positions removed.
void fill_probabilities(bool log, const walk& over, std::size_t r, dice& d, std::vector<float>* all) {
  source z(d.one_in(4) ? style::scaled : style::normal, dtype::f32, d);
  const bool removes = d.one_in(3), removes_all = d.one_in(20);
  std::vector<double> logits(over.column.size());
  double top = -INFINITY, sum = 0;
  for (double& v : logits) {
    v = removes && d.one_in(3) ? -INFINITY : z.next();
    top = std::max(top, v);
  }
  if (removes_all || top == -INFINITY) {
    for (std::size_t i = 0; i < logits.size(); ++i) (*all)[over.at(r, i)] = 0;
    return;
  }
  for (const double v : logits) sum += std::exp(v - top);
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const double y = logits[i] - top - std::log(sum);
    (*all)[over.at(r, i)] = static_cast<float>(log ? y : std::exp(y));
  }
}

float draw_mask(profile p, dtype type, int removed_percent, dice& d) {
  const bool removed = d.percent(removed_percent);
  if (p == profile::additive) {
    if (removed) return d.one_in(3) ? -1e4f : -infinity;
    return d.one_in(3) ? static_cast<float>(d.between(-3, 3)) : 0.0f;
  }
  if (type == dtype::b8) return removed ? 0.0f : 1.0f;
  if (removed) return d.one_in(4) ? -0.0f : 0.0f;
  return d.of({1.0f, 1.0f, -1.0f, 0.25f, infinity, not_a_number});
}

}  // namespace

std::vector<float> draw_values(profile p, dtype type, const walk& over, std::size_t count, dice& d) {
  std::vector<float> all(count);
  if (p == profile::truth || p == profile::additive || type == dtype::b8) {
    const int removed = d.of({0, 10, 50, 95, 100});
    for (float& v : all) v = draw_mask(p, type, removed, d);
    return all;
  }
  const bool odd = (p == profile::anything || p == profile::squares || p == profile::tame) && d.one_in(5);
  const style common = draw_style(p, d);
  for (std::size_t r = 0; r < over.row.size(); ++r) {
    if (p == profile::probability || p == profile::log_probability) {
      fill_probabilities(p == profile::log_probability, over, r, d, &all);
    } else {
      source s(d.one_in(4) ? draw_style(p, d) : common, type, d);
      for (const std::size_t column : over.column) all[over.row[r] + column] = s.next();
    }
    if (odd && d.one_in(3)) sprinkle(over, r, d, &all);
  }
  const auto largest = static_cast<float>(largest_finite(type));
  for (float& v : all) {
    if (std::isfinite(v)) v = std::clamp(v, -largest, largest);
  }
  return all;
}

std::vector<std::int64_t> draw_index(std::size_t count, std::int64_t table_rows, dtype type, dice& d) {
  std::vector<std::int64_t> all(count);
  const std::int64_t far = type == dtype::i64 ? std::int64_t{1} << 40 : std::numeric_limits<std::int32_t>::max();
  const int missing = d.of({0, 10, 40});
  for (std::int64_t& n : all) {
    if (d.percent(missing)) {
      n = d.one_in(2) ? -1 : d.of<std::int64_t>({table_rows, table_rows + 1, -2, far, -far});
    } else {
      n = table_rows == 0 ? 0 : d.from_to(0, table_rows - 1);
    }
  }
  return all;
}

std::vector<unsigned char> draw_bytes(std::size_t count, dice& d) {
  std::vector<unsigned char> all(count);
  for (unsigned char& b : all) b = static_cast<unsigned char>(d.bits());
  return all;
}

}  // namespace rowsmith::test
