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
  newer.more[3] = 0;
  newer.known.width = 3;
  CHECK(rs_softmax(&tx, &ty, &newer.known, NULL) == RS_INVALID_ARGUMENT);
  newer.known.width = RS_WIDTH_ANY;
  newer.known.batch_invariant = 1;
  CHECK(rs_softmax(&tx, &ty, &newer.known, NULL) == RS_OK);
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

static rs_operand operand(rs_role role, rs_tensor t) {
  rs_operand o;
  memset(&o, 0, sizeof o);
  o.role = role;
  o.view = t;
  return o;
}

static rs_tensor bytes(uint8_t* data) {
  const int64_t shape[2] = {ROWS, WIDTH};
  rs_tensor t;
  CHECK(rs_dense(data, RS_B8, host, 2, shape, &t) == RS_OK);
  return t;
}

/* Any op with what its options can say: a masked softmax, whose kept keys are the first 10. */
static void general(void) {
  static uint8_t mask[ROWS * WIDTH];
  const rs_setting keep[2] = {{"mask", "keep"}, {"exp", "accurate"}};
  const rs_scalar scale = {"scale", 2.0f};
  rs_op_options options = RS_OP_OPTIONS_INIT;
  rs_operand operands[3];
  size_t needed = 0, again = 0;
  char text[4096], cut[8];
  int r, i;

  for (i = 0; i < ROWS * WIDTH; ++i) mask[i] = i % WIDTH < 10;
  operands[0] = operand(RS_ROLE_MASK, bytes(mask));
  operands[1] = operand(RS_ROLE_Y, view(y));
  operands[2] = operand(RS_ROLE_X, view(x));
  options.settings = keep;
  options.setting_count = 2;
  options.scalars = &scale;
  options.scalar_count = 1;
  fill();
  CHECK(rs_prepare(RS_OP_SOFTMAX, operands, 3, &options) == RS_OK);
  CHECK(y[0] == -1.0f); /* nothing was launched */
  CHECK(rs_run(RS_OP_SOFTMAX, operands, 3, &options, NULL) == RS_OK);
  for (r = 0; r < ROWS; ++r) {
    double sum = 0;
    for (i = 0; i < 10; ++i) sum += exp(2.0 * x[r * WIDTH + i]);
    for (i = 0; i < WIDTH; ++i) {
      const double want = i < 10 ? exp(2.0 * x[r * WIDTH + i]) / sum : 0.0;
      CHECK(fabs(y[r * WIDTH + i] - want) <= 1e-6);
    }
  }
  CHECK(rs_workspace_bytes(RS_OP_SOFTMAX, operands, 3, &options, &needed) == RS_OK && needed == 0);

  /* A causal limit, without a mask: row 0 keeps its first key alone. */
  options.setting_count = 0;
  options.settings = NULL;
  options.scalar_count = 0;
  options.causal = 1;
  fill();
  CHECK(rs_run(RS_OP_SOFTMAX, operands + 1, 2, &options, NULL) == RS_OK);
  CHECK(y[0] == 1.0f && y[1] == 0.0f && y[WIDTH] > 0.0f && y[WIDTH + 1] > 0.0f && y[WIDTH + 2] == 0.0f);
  options.causal = 0;

  CHECK(rs_explain(RS_OP_SOFTMAX, operands + 1, 2, &options, "sm_90", NULL, 0, &needed) == RS_OK && needed > 100);
  CHECK(rs_explain(RS_OP_SOFTMAX, operands + 1, 2, &options, "sm_90", text, sizeof text, &again) == RS_OK);
  CHECK(again == needed && strstr(text, "softmax") != NULL && strstr(text, "sm_90") != NULL);
  CHECK(rs_explain(RS_OP_SOFTMAX, operands + 1, 2, &options, "sm_90", cut, sizeof cut, NULL) == RS_OK);
  CHECK(strlen(cut) == sizeof cut - 1 && strncmp(cut, text, sizeof cut - 1) == 0);
  options.width = RS_WIDTH_ANY;
  options.batch_invariant = 1;
  CHECK(rs_explain(RS_OP_SOFTMAX, operands + 1, 2, &options, "sm_90", text, sizeof text, NULL) == RS_OK);
  CHECK(strstr(text, "width=any<=") != NULL && strstr(text, "batch_invariant") != NULL);
  CHECK(rs_run(RS_OP_SOFTMAX, operands + 1, 2, &options, NULL) == RS_OK);
  options.width = RS_WIDTH_EXACT;
  CHECK(rs_run(RS_OP_SOFTMAX, operands + 1, 2, &options, NULL) == RS_OK);
  CHECK(rs_explain(RS_OP_SOFTMAX, operands + 1, 2, &options, "z80", text, sizeof text, NULL) == RS_UNSUPPORTED);
}

/* What the general door refuses, with the argument's name in the message. */
static void refused(rs_op op, const rs_operand* operands, size_t count, const rs_op_options* options, rs_status want,
                    const char* word) {
  CHECK(rs_run(op, operands, count, options, NULL) == want);
  CHECK(strstr(rs_last_error_message(), word) != NULL);
  CHECK(rs_prepare(op, operands, count, options) == want);
}

static void general_refusals(void) {
  static const rs_setting sideways[1] = {{"mask", "sideways"}};
  static const rs_setting nameless[1] = {{NULL, "keep"}};
  static const rs_setting additive[1] = {{"mask", "additive"}};
  static const rs_scalar unknown = {"epsilon", 1.0f};
  static const uint64_t nonsense[2] = {~(uint64_t)0, 3};
  static uint8_t mask[ROWS * WIDTH];
  const rs_op_options defaults = RS_OP_OPTIONS_INIT;
  rs_op_options o = defaults;
  rs_operand operands[4];
  size_t needed = 77;
  int i;

  fill();
  operands[0] = operand(RS_ROLE_X, view(x));
  operands[1] = operand(RS_ROLE_Y, view(y));
  operands[2] = operand(RS_ROLE_MASK, bytes(mask));
  refused(4711, operands, 2, NULL, RS_NOT_FOUND, "softmax");
  refused(RS_OP_SOFTMAX, NULL, 2, NULL, RS_INVALID_ARGUMENT, "operands");
  refused(RS_OP_SOFTMAX, operands, 1, NULL, RS_INVALID_ARGUMENT, "softmax");
  refused(RS_OP_SOFTMAX, operands, 3, NULL, RS_INVALID_ARGUMENT, "mask"); /* it has to say what it means */
  operands[3] = operand(RS_ROLE_DWEIGHT, view(y));
  refused(RS_OP_SOFTMAX, operands, 4, NULL, RS_INVALID_ARGUMENT, "operands[3].role");
  operands[3] = operand(17, view(y)); /* causal has no memory */
  refused(RS_OP_SOFTMAX, operands, 4, NULL, RS_INVALID_ARGUMENT, "operands[3].role");
  operands[3] = operand(RS_ROLE_X, view(x));
  refused(RS_OP_SOFTMAX, operands, 4, NULL, RS_INVALID_ARGUMENT, "twice");
  operands[3] = operands[0];
  operands[3].reserved[2] = 1;
  refused(RS_OP_SOFTMAX, operands + 3, 1, NULL, RS_INVALID_ARGUMENT, "reserved");
  operands[3] = operands[0];
  operands[3].rows_from = RS_ROLE_INDEX; /* which is not there */
  refused(RS_OP_SOFTMAX, operands + 3, 1, NULL, RS_INVALID_ARGUMENT, "index");
  operands[3].rows_from = 200;
  refused(RS_OP_SOFTMAX, operands + 3, 1, NULL, RS_INVALID_ARGUMENT, "rows_from");

  o.struct_size = 2;
  refused(RS_OP_SOFTMAX, operands, 2, &o, RS_INVALID_ARGUMENT, "struct_size");
  o = defaults, o.causal = 2;
  refused(RS_OP_SOFTMAX, operands, 2, &o, RS_INVALID_ARGUMENT, "causal");
  o = defaults, o.reserved[0] = 1;
  refused(RS_OP_SOFTMAX, operands, 2, &o, RS_INVALID_ARGUMENT, "reserved");
  o = defaults, o.width = 3;
  refused(RS_OP_SOFTMAX, operands, 2, &o, RS_INVALID_ARGUMENT, "width");
  o = defaults, o.batch_invariant = 2;
  refused(RS_OP_SOFTMAX, operands, 2, &o, RS_INVALID_ARGUMENT, "batch_invariant");
  o = defaults, o.axis_is_given = 1, o.axis = 2;
  refused(RS_OP_SOFTMAX, operands, 2, &o, RS_INVALID_ARGUMENT, "axis");
  o = defaults, o.setting_count = 1;
  refused(RS_OP_SOFTMAX, operands, 2, &o, RS_INVALID_ARGUMENT, "settings");
  o.settings = sideways;
  refused(RS_OP_SOFTMAX, operands, 3, &o, RS_INVALID_ARGUMENT, "sideways");
  o.settings = nameless;
  refused(RS_OP_SOFTMAX, operands, 3, &o, RS_INVALID_ARGUMENT, "name");
  o.settings = additive;
  refused(RS_OP_SOFTMAX, operands, 3, &o, RS_INVALID_ARGUMENT, "additive"); /* of bytes */
  refused(RS_OP_SOFTMAX, operands, 2, &o, RS_INVALID_ARGUMENT, "mask");     /* of nothing */
  o = defaults, o.scalars = &unknown, o.scalar_count = 1;
  refused(RS_OP_SOFTMAX, operands, 2, &o, RS_INVALID_ARGUMENT, "epsilon");
  o = defaults, o.workspace_bytes = 8;
  refused(RS_OP_SOFTMAX, operands, 2, &o, RS_INVALID_ARGUMENT, "workspace");
  o = defaults, o.pre.count = 2;
  refused(RS_OP_SOFTMAX, operands, 2, &o, RS_INVALID_ARGUMENT, "pre");
  o.pre.words = nonsense;
  refused(RS_OP_SOFTMAX, operands, 2, &o, RS_INVALID_ARGUMENT, "pre");
  CHECK(rs_workspace_bytes(RS_OP_SOFTMAX, operands, 2, NULL, NULL) == RS_INVALID_ARGUMENT);
  CHECK(rs_workspace_bytes(4711, operands, 2, NULL, &needed) == RS_NOT_FOUND && needed == 77);
  CHECK(rs_explain(RS_OP_SOFTMAX, operands, 2, NULL, NULL, NULL, 5, NULL) == RS_INVALID_ARGUMENT);
  CHECK(rs_log_softmax(NULL, &operands[1].view, NULL, NULL) == RS_INVALID_ARGUMENT);
  CHECK(rs_layer_norm(&operands[0].view, NULL, NULL, NULL, NULL, NULL, 1, 1e-5f, NULL) == RS_INVALID_ARGUMENT);
  CHECK(rs_gather_rows(&operands[0].view, NULL, &operands[1].view, NULL) == RS_INVALID_ARGUMENT);
  CHECK(rs_copy_tensor(NULL, &operands[1].view, NULL) == RS_INVALID_ARGUMENT);
  for (i = 0; i < ROWS * WIDTH; ++i) CHECK(y[i] == -1.0f);
}

/* The thin doors of the common ops, where this library has them. */
static void common(void) {
  rs_tensor tx = view(x), ty = view(y), weight, index;
  const int64_t row[1] = {WIDTH}, picked[1] = {ROWS};
  float w[WIDTH];
  int64_t numbers[ROWS] = {3, -1, 0, 4, 3};
  rs_op op;
  int r, i;

  CHECK(rs_dense(w, RS_F32, host, 1, row, &weight) == RS_OK);
  CHECK(rs_dense(numbers, RS_I64, host, 1, picked, &index) == RS_OK);
  for (i = 0; i < WIDTH; ++i) w[i] = 1.0f + (float)i / WIDTH;

  fill();
  if (rs_find_op("log_softmax", &op) == RS_OK) {
    CHECK(rs_log_softmax(&tx, &ty, NULL, NULL) == RS_OK);
    for (i = 0; i < ROWS * WIDTH; ++i) y[i] = expf(y[i]);
    for (r = 0; r < ROWS; ++r) {
      double sum = 0;
      for (i = 0; i < WIDTH; ++i) sum += y[r * WIDTH + i];
      CHECK(fabs(sum - 1) <= 1e-5);
    }
  }
  if (rs_find_op("rms_norm", &op) == RS_OK) {
    CHECK(rs_rms_norm(&tx, &weight, NULL, &ty, NULL, 1, 1e-5f, NULL) == RS_OK);
    for (r = 0; r < ROWS; ++r) {
      double squares = 0;
      for (i = 0; i < WIDTH; ++i) squares += (double)x[r * WIDTH + i] * x[r * WIDTH + i];
      for (i = 0; i < WIDTH; ++i) {
        CHECK(fabs(y[r * WIDTH + i] - x[r * WIDTH + i] / sqrt(squares / WIDTH + 1e-5) * w[i]) <= 1e-5);
      }
    }
    CHECK(rs_rms_norm(&tx, NULL, NULL, &ty, NULL, 1, 0.0f, NULL) == RS_INVALID_ARGUMENT);
    CHECK(strstr(rs_last_error_message(), "eps") != NULL);
  }
  if (rs_find_op("layer_norm", &op) == RS_OK) {
    CHECK(rs_layer_norm(&tx, &weight, NULL, &ty, NULL, NULL, 1, 1e-5f, NULL) == RS_OK);
    CHECK(rs_layer_norm(&tx, NULL, NULL, &ty, NULL, NULL, 3, 1e-5f, NULL) == RS_INVALID_ARGUMENT);
  }
  if (rs_find_op("add_rms_norm", &op) == RS_OK) {
    CHECK(rs_add_rms_norm(&tx, &tx, &weight, NULL, &ty, NULL, 1, 1e-5f, NULL) == RS_OK);
    CHECK(rs_add_layer_norm(&tx, &tx, NULL, NULL, &ty, NULL, 1, 1e-5f, NULL) == RS_OK);
  }
  if (rs_find_op("gather_rows", &op) == RS_OK) {
    CHECK(rs_gather_rows(&tx, &index, &ty, NULL) == RS_OK);
    for (r = 0; r < ROWS; ++r) {
      for (i = 0; i < WIDTH; ++i) {
        CHECK(y[r * WIDTH + i] == (numbers[r] < 0 ? 0.0f : x[numbers[r] * WIDTH + i]));
      }
    }
  }
  CHECK(rs_find_op("norm_gather", &op) == RS_OK && op == RS_OP_NORM_GATHER);
  {
    float picked_first[ROWS * WIDTH];
    rs_operand operands[3];
    memset(operands, 0, sizeof operands);
    operands[0].role = RS_ROLE_INDEX, operands[0].view = index;
    operands[1].role = RS_ROLE_X, operands[1].view = tx;
    operands[2].role = RS_ROLE_Y, operands[2].view = ty;
    CHECK(rs_gather_rows(&tx, &index, &ty, NULL) == RS_OK);
    memcpy(picked_first, y, sizeof y);
    operands[1].view = view(picked_first);
    CHECK(rs_run(RS_OP_LAYER_NORM, operands + 1, 2, NULL, NULL) == RS_OK);
    memcpy(picked_first, y, sizeof y);
    operands[1].view = tx;
    CHECK(rs_run(RS_OP_NORM_GATHER, operands, 3, NULL, NULL) == RS_OK);
    CHECK(memcmp(picked_first, y, sizeof y) == 0); /* of no row, a gather gives 0, and the norm of 0 is 0 */
    CHECK(rs_call_named("rms_norm_gather", operands, 3, NULL, NULL) == RS_OK);
    CHECK(rs_run(RS_OP_NORM_GATHER, operands + 1, 2, NULL, NULL) == RS_INVALID_ARGUMENT);
    CHECK(strstr(rs_last_error_message(), "index") != NULL);
  }
  if (rs_find_op("copy", &op) == RS_OK) {
    CHECK(rs_copy_tensor(&tx, &ty, NULL) == RS_OK);
    CHECK(memcmp(x, y, sizeof x) == 0);
  }
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
  general();
  general_refusals();
  common();
  runtime();
  if (failures == 0) printf("ok\n");
  return failures == 0 ? 0 : 1;
}
