/* Softmax of a few rows on the host, from C; softmax.cpp is the same from C++. */
#include <stdio.h>

#include "rowsmith/rowsmith_c.h"

int main(void) {
  float x[2][3] = {{1, 2, 3}, {0, 0, 0}}, y[2][3];
  const int64_t shape[2] = {2, 3};
  const rs_device host = {RS_HOST, 0};
  rs_tensor in, out;
  rs_dense(x, RS_F32, host, 2, shape, &in);
  rs_dense(y, RS_F32, host, 2, shape, &out);
  if (rs_softmax(&in, &out, NULL, NULL) != RS_OK) {
    fprintf(stderr, "%s: %s\n", rs_status_name(rs_last_error()), rs_last_error_message());
    return 1;
  }
  for (int i = 0; i < 2; ++i) printf("%.4f %.4f %.4f\n", y[i][0], y[i][1], y[i][2]);
  return 0;
}
