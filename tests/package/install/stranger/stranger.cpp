// A program of somebody else: softmax of a few rows on the host.
#include <rowsmith/rowsmith.h>

#include <cmath>
#include <cstdio>
#include <vector>

int main() {
  std::vector<float> x(4 * 100), y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 7);
  const rowsmith::status done = rowsmith::softmax(rowsmith::dense(x.data(), rowsmith::dtype::f32, {4, 100}),
                                                  rowsmith::dense(y.data(), rowsmith::dtype::f32, {4, 100}));
  if (!done) return std::fprintf(stderr, "%s\n%s\n", done.to_string().c_str(), done.detail().c_str()), 1;
  for (int row = 0; row < 4; ++row) {
    double sum = 0;
    for (int i = 0; i < 100; ++i) sum += y[static_cast<std::size_t>(row * 100 + i)];
    if (std::abs(sum - 1) > 1e-5) return std::fprintf(stderr, "row %d sums to %g\n", row, sum), 1;
  }
  return 0;
}
