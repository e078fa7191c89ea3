/* The C interface from a C99 program: softmax on the host, by every door, and what each error leaves behind. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "rowsmith/rowsmith_c.h"

static int failures = 0;

#define CHECK(condition)                                                                   \
  do {                                                                                     \
    if (!(condition)) {                                                                    \
      printf("%s:%d: %s (%s)\n", __FILE__, __LINE__, #condition, rs_last_error_message()); \
      ++failures;                                                                          \
    }                                                                                      \
  } while (0)

enum { ROWS = 5, WIDTH = 37 };

static const rs_device host = {RS_HOST, 0};
static float x[ROWS * WIDTH], y[ROWS * WIDTH];

static rs_tensor view(float* data) {
  const int64_t shape[2] = {ROWS, WIDTH};
  rs_tensor t;
  CHECK(rs_dense(data, RS_F32, host, 2, shape, &t) == RS_OK);
  return t;
}

static void fill(void) {
  int i;
  for (i = 0; i < ROWS * WIDTH; ++i) {
    x[i] = (float)((i * 7919) % 101) / 10.0f - 5.0f;
    y[i] = -1.0f;
  }
}

/* Is `result` the softmax of what fill() wrote, along the rows? */
static int is_softmax(const float* result) {
  float input[WIDTH];
  int r, i;
  for (r = 0; r < ROWS; ++r) {
    double sum = 0;
    for (i = 0; i < WIDTH; ++i) {
      input[i] = (float)(((r * WIDTH + i) * 7919) % 101) / 10.0f - 5.0f;
      sum += exp((double)input[i]);
    }
    for (i = 0; i < WIDTH; ++i) {
      if (fabs(result[r * WIDTH + i] - exp((double)input[i]) / sum) > 1e-6) return 0;
    }
  }
  return 1;
}

static void results(void) {
  rs_tensor tx = view(x), ty = view(y);
  rs_softmax_options options = RS_SOFTMAX_OPTIONS_INIT;
  rs_operand operands[2];
  rs_op op = 0;

  fill();
  CHECK(rs_softmax(&tx, &ty, NULL, NULL) == RS_OK);
  CHECK(is_softmax(y));

  fill();
  options.axis = 1;
  options.exponential = RS_EXP_FAST;
  CHECK(rs_softmax(&tx, &ty, &options, NULL) == RS_OK);
  CHECK(is_softmax(y));

  memset(operands, 0, sizeof operands);
  operands[0].role = RS_ROLE_Y;
  operands[0].view = ty;
  operands[1].role = RS_ROLE_X;
  operands[1].view = tx;
  fill();
  CHECK(rs_find_op("softmax", &op) == RS_OK && op == RS_OP_SOFTMAX);
  CHECK(rs_call(op, operands, 2, &options, NULL) == RS_OK);
  CHECK(is_softmax(y));
  fill();
  CHECK(rs_call_named("softmax", operands, 2, NULL, NULL) == RS_OK);
  CHECK(is_softmax(y));

  fill(); /* in place, by both ways to say it */
  CHECK(rs_call(RS_OP_SOFTMAX, operands + 1, 1, NULL, NULL) == RS_OK);
  CHECK(is_softmax(x));
  fill();
  CHECK(rs_softmax(&tx, &tx, NULL, NULL) == RS_OK);
  CHECK(is_softmax(x));
}

static void refusals(void) {
  rs_tensor tx = view(x), ty = view(y);
  rs_softmax_options options = RS_SOFTMAX_OPTIONS_INIT;
  rs_operand operands[2];
  rs_op op = 77;
  int i;

  fill();
  CHECK(rs_softmax(NULL, &ty, NULL, NULL) == RS_INVALID_ARGUMENT);
  CHECK(strstr(rs_last_error_message(), "x") != NULL);
  CHECK(rs_last_error() == RS_INVALID_ARGUMENT);
  CHECK(rs_last_error_vendor_code() == 0 && rs_last_error_vendor_text()[0] == 0);
  CHECK(rs_softmax(&tx, NULL, NULL, NULL) == RS_INVALID_ARGUMENT);

  ty.shape[0] = ROWS - 1;
  CHECK(rs_softmax(&tx, &ty, NULL, NULL) == RS_INVALID_ARGUMENT);
  CHECK(rs_last_error_message()[0] != 0);
  ty = view(y);
  ty.data = NULL;
  CHECK(rs_softmax(&tx, &ty, NULL, NULL) == RS_INVALID_ARGUMENT);
  ty = view(y);
  ty.dtype = 200;
  CHECK(rs_softmax(&tx, &ty, NULL, NULL) != RS_OK);
  ty = view(y);
  tx.rank = 9;
  CHECK(rs_softmax(&tx, &ty, NULL, NULL) == RS_INVALID_ARGUMENT);
  tx = view(x);
  options.axis = 2;
  CHECK(rs_softmax(&tx, &ty, &options, NULL) == RS_INVALID_ARGUMENT);
  options.axis = -1;
  options.exponential = 9;
  CHECK(rs_softmax(&tx, &ty, &options, NULL) == RS_INVALID_ARGUMENT);
  options.exponential = 0;
  options.struct_size = 0;
  CHECK(rs_softmax(&tx, &ty, &options, NULL) == RS_INVALID_ARGUMENT);

  memset(operands, 0, sizeof operands);
  operands[0].role = RS_ROLE_X;
  operands[0].view = tx;
  operands[1] = operands[0];
  CHECK(rs_call(RS_OP_SOFTMAX, operands, 2, NULL, NULL) == RS_INVALID_ARGUMENT); /* x twice */
  operands[1].role = 9;
  CHECK(rs_call(RS_OP_SOFTMAX, operands, 2, NULL, NULL) == RS_INVALID_ARGUMENT);
  CHECK(rs_call(RS_OP_SOFTMAX, operands, 0, NULL, NULL) == RS_INVALID_ARGUMENT);
  CHECK(rs_call(RS_OP_SOFTMAX, NULL, 2, NULL, NULL) == RS_INVALID_ARGUMENT);
  CHECK(rs_call(4711, operands, 1, NULL, NULL) == RS_NOT_FOUND);
  CHECK(strstr(rs_last_error_message(), "softmax") != NULL);
  CHECK(rs_call_named(NULL, operands, 1, NULL, NULL) == RS_INVALID_ARGUMENT);
  CHECK(rs_find_op("softmin", &op) == RS_NOT_FOUND && op == 77);

  for (i = 0; i < ROWS * WIDTH; ++i) CHECK(y[i] == -1.0f); /* a failed call has written nothing */
}

/* Structures of callers that are older and newer than the library. */
static void sizes(void) {
  struct {
    rs_softmax_options known;
    uint32_t more[4];
  } newer;
  struct {
    rs_counter_values known;
    uint64_t more;
  } counters;
  rs_tensor tx = view(x), ty = view(y);
  const rs_softmax_options defaults = RS_SOFTMAX_OPTIONS_INIT;

  memset(&newer, 0, sizeof newer);
  newer.known = defaults;
  newer.known.struct_size = sizeof newer;
  fill();
  CHECK(rs_softmax(&tx, &ty, &newer.known, NULL) == RS_OK);
  newer.more[3] = 1;
  CHECK(rs_softmax(&tx, &ty, &newer.known, NULL) == RS_UNSUPPORTED);
  newer.known.struct_size = 8; /* up to the axis */
  newer.known.exponential = 99;
  CHECK(rs_softmax(&tx, &ty, &newer.known, NULL) == RS_OK);

  memset(&counters, 0xff, sizeof counters);
  counters.known.struct_size = sizeof counters;
  CHECK(rs_counters(&counters.known) == RS_OK);
  CHECK(counters.known.struct_size == sizeof counters && counters.more == 0);
  CHECK(counters.known.calls_missed >= 1);
  memset(&counters, 0xff, sizeof counters);
  counters.known.struct_size = 16;
  CHECK(rs_counters(&counters.known) == RS_OK);
  CHECK(counters.known.compiled == ~(uint64_t)0);
  counters.known.struct_size = 0;
  CHECK(rs_counters(&counters.known) == RS_INVALID_ARGUMENT);
}

static void runtime(void) {
  rs_device_list* list = NULL;
  rs_device_info info;
  rs_device d;
  void* memory = NULL;
  float there[4] = {1, 2, 3, 4}, back[4] = {0, 0, 0, 0};

  CHECK(rs_abi_version() >= RS_ABI_VERSION);
  CHECK(strchr(rs_version(), '.') != NULL);
  CHECK(strcmp(rs_status_name(RS_NOT_FOUND), "not_found") == 0);
  CHECK(strcmp(rs_status_name(-5), "unknown") == 0);

  CHECK(rs_device_parse("cuda:3", &d) == RS_OK && d.kind == RS_CUDA && d.index == 3);
  CHECK(rs_device_parse("toaster", &d) == RS_INVALID_ARGUMENT);

  CHECK(rs_devices_open(&list) == RS_OK && rs_devices_count(list) >= 1);
  memset(&info, 0, sizeof info);
  info.struct_size = sizeof info;
  CHECK(rs_devices_get(list, 0, &info) == RS_OK);
  CHECK(info.device.kind == RS_HOST && info.arch[0] != 0 && info.units >= 1);
  CHECK(rs_devices_get(list, rs_devices_count(list), &info) == RS_INVALID_ARGUMENT);
  rs_devices_close(list);
  rs_devices_close(NULL);
  CHECK(rs_devices_count(NULL) == 0);

  CHECK(rs_allocate(host, sizeof there, &memory) == RS_OK && memory != NULL);
  CHECK(rs_copy(host, memory, there, sizeof there) == RS_OK);
  CHECK(rs_copy(host, back, memory, sizeof there) == RS_OK);
  CHECK(memcmp(there, back, sizeof there) == 0);
  CHECK(rs_copy(host, NULL, there, sizeof there) == RS_INVALID_ARGUMENT);
  CHECK(rs_synchronize(host, NULL) == RS_OK);
  CHECK(rs_release(host, memory) == RS_OK);
  d.kind = RS_CUDA;
  d.index = 97;
  CHECK(rs_allocate(d, 16, &memory) != RS_OK && memory == NULL);

  CHECK(rs_forget_kernels() == RS_OK);
  results(); /* down the cold path again */
  CHECK(rs_shutdown() == RS_OK);
  results(); /* and afresh */
}

int main(void) {
  results();
  refusals();
  sizes();
  runtime();
  if (failures == 0) printf("ok\n");
  return failures == 0 ? 0 : 1;
}
