#include <cstring>

#include "property/around.h"
#include "property/judges.h"
#include "reference/element.h"
#include "reference/moments.h"
#include "reference/rows.h"

namespace rowsmith::test {

void judge_moments(const trial& t, verdict* v) {
  const around expressions(t);
  const walk at_x = t.where("x"), at_mean = t.where("mean");
  const std::vector<float> x = t.given("x"), mean = t.result("mean");
  const bool both = t.has("variance");
  const walk at_variance = both ? t.where("variance") : walk();
  const std::vector<float> variance = both ? t.result("variance") : std::vector<float>();
  for (std::size_t r = 0; r < t.over().rows() && v->passed(); ++r) {
    std::vector<double> row = at_x.values_of_row<double>(x, r);
    expressions.before(r, &row);
    const reference::moments_of want = reference::moments(row);
    v->number("mean (7)", want.mean, t.type_of("mean"), mean[at_mean.row[r]], r, 0);
    if (both) v->number("variance (8)", want.variance, t.type_of("variance"), variance[at_variance.row[r]], r, 0);
  }
}

namespace {

// The index's numbers, one a row.
std::vector<std::int64_t> picks(const trial& t) {
  const std::vector<std::int64_t> numbers = t.numbers("index");
  const walk at = t.where("index");
  std::vector<std::int64_t> all;
  for (const std::size_t row : at.row) all.push_back(numbers[row]);
  return all;
}

// A tensor as rows side by side.
reference::reals dense(const trial& t, const char* role) {
  const std::vector<float> values = t.given(role);
  const walk at = t.where(role);
  reference::reals all;
  for (const std::size_t row : at.row) {
    for (const std::size_t column : at.column) all.push_back(values[row + column]);
  }
  return all;
}

}  // namespace

void judge_gather(const trial& t, verdict* v) {
  const std::vector<float> x = t.given("x"), y = t.result("y");
  const walk at = t.where("y");
  const std::size_t width = t.over().width();
  const auto want = reference::gather_rows(reference::widened(x), width, picks(t));
  for (std::size_t r = 0; r < t.over().rows() && v->passed(); ++r) {
    for (std::size_t i = 0; i < width; ++i)
      v->number("moved", want[r * width + i], t.type_of("y"), y[at.at(r, i)], r, i);
  }
}

void judge_gather_backward(const trial& t, verdict* v) {
  const std::vector<float> dx = t.result("dx");
  const std::size_t width = t.over().width();
  const auto want =
      reference::gather_rows_backward(dense(t, "dy"), width, picks(t), static_cast<std::size_t>(t.table_rows));
  for (std::size_t at = 0; at < want.size() && v->passed(); ++at) {
    v->number("added rows", want[at], t.type_of("dx"), dx[at], at / width, at % width);
  }
}

// Bit for bit between equal types, NaN payloads too.
void judge_copy(const trial& t, verdict* v) {
  const dtype from = t.type_of("x"), to = t.type_of("y");
  const std::vector<unsigned char> x = t.given_bits("x"), y = t.result_bits("y");
  const walk at_x = t.where("x"), at_y = t.where("y");
  for (std::size_t r = 0; r < t.over().rows(); ++r) {
    const unsigned char* a = &x[at_x.at(r, 0) * size_of(from)];
    const unsigned char* b = &y[at_y.at(r, 0) * size_of(to)];
    if (from == to) {
      if (std::memcmp(a, b, size_of(to)) != 0)
        return v->fail("moved: element " + std::to_string(r) + " has other bits");
      continue;
    }
    v->number("moved", {reference::get(a, from), 0, true}, to, reference::get(b, to), r, 0);
  }
}

}  // namespace rowsmith::test
