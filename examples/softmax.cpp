// Softmax of a few rows on the host. On a GPU: views of device memory, `{rowsmith::device_kind::cuda, 0}` and a stream.
#include <cstdio>

#include "rowsmith/rowsmith.h"

int main() {
  float x[2][3] = {{1, 2, 3}, {0, 0, 0}}, y[2][3];
  const auto in = rowsmith::dense(x, rowsmith::dtype::f32, {2, 3});
  const auto out = rowsmith::dense(y, rowsmith::dtype::f32, {2, 3});
  if (const auto s = rowsmith::softmax(in, out); !s) {
    std::fprintf(stderr, "%s\n", s.to_string().c_str());
    return 1;
  }
  for (const auto& row : y) std::printf("%.4f %.4f %.4f\n", row[0], row[1], row[2]);
}
