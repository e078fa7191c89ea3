/* A program of somebody else, in C99. */
#include <rowsmith/rowsmith_c.h>
#include <stdio.h>

int main(void) {
  float x[2 * 49];
  const int64_t shape[2] = {2, 49};
  const rs_device host = {RS_HOST, 0};
  rs_tensor view;
  double sum = 0;
  int i;
  for (i = 0; i < 2 * 49; ++i) x[i] = (float)(i % 5);
  if (rs_dense(x, RS_F32, host, 2, shape, &view) != RS_OK || rs_softmax(&view, &view, NULL, NULL) != RS_OK) {
    fprintf(stderr, "%s\n", rs_last_error_message());
    return 1;
  }
  for (i = 0; i < 49; ++i) sum += x[i];
  return sum > 0.99999 && sum < 1.00001 ? 0 : 1;
}
