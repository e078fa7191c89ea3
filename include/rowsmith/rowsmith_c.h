/* The stable C interface (C99), for other languages and for programs that must outlive a C++ compiler.
 *
 * Every fallible function returns an rs_status. On a failure the calling thread keeps the story:
 * rs_last_error_message() and its siblings tell it until that thread's next failure. No exception crosses this
 * interface.
 *
 * Structures that may grow begin with struct_size: set it to sizeof of the structure you were compiled with. A library
 * that is older refuses what it does not know (unless it is all zero); a newer one gives the fields you lack their
 * defaults. Values of enumerations are frozen.
 *
 * Threads: every function may be called from any thread, but for rs_shutdown and rs_forget_kernels, which want no calls
 * running. */
#ifndef ROWSMITH_ROWSMITH_C_H_
#define ROWSMITH_ROWSMITH_C_H_

#include <stddef.h>
#include <stdint.h>

#include "rowsmith/export.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Grows with every addition; a removal or a change of meaning is a new library name. */
#define RS_ABI_VERSION 1

/* ---- Status ---- */

typedef int32_t rs_status;
enum {
  RS_OK = 0,
  RS_INVALID_ARGUMENT = 1, /* a view, option or combination the op does not take */
  RS_UNSUPPORTED = 2,      /* legal, but this build, device or op cannot do it */
  RS_NOT_FOUND = 3,        /* a device, library, file or cache entry that is not there */
  RS_COMPILE_FAILED = 4,   /* a compiler refused a kernel; its log is in the detail */
  RS_WOULD_COMPILE = 5,    /* policy or graph capture forbids the compile that this call needs */
  RS_DEVICE_ERROR = 6,     /* the vendor's runtime refused; see the vendor code */
  RS_IO_ERROR = 7,
  RS_CORRUPT = 8, /* bytes that fail their checks */
  RS_OUT_OF_MEMORY = 9,
  RS_INTERNAL = 10 /* a fault of Rowsmith itself */
};

/* "invalid_argument", …; "unknown" for other numbers. Static. */
ROWSMITH_EXPORT const char* rs_status_name(rs_status s);

/* This thread's last failure. A success does not clear it. The strings live until this thread's next failure; they are
 * empty, never null. */
ROWSMITH_EXPORT rs_status rs_last_error(void);
ROWSMITH_EXPORT const char* rs_last_error_message(void); /* one sentence */
ROWSMITH_EXPORT const char* rs_last_error_detail(void);  /* a compiler's log, paths tried */
ROWSMITH_EXPORT int64_t rs_last_error_vendor_code(void); /* 0: no vendor library was involved */
ROWSMITH_EXPORT const char* rs_last_error_vendor_text(void);

/* ---- Tensors ---- */

typedef uint8_t rs_dtype;
enum {
  RS_F32 = 1,
  RS_F16 = 2,  /* IEEE binary16 */
  RS_BF16 = 3, /* upper half of an IEEE binary32 */
  RS_F64 = 4,  /* reserved */
  RS_B8 = 5,   /* bool: one byte, 0 or 1 */
  RS_I32 = 6,
  RS_I64 = 7,
  RS_I8 = 8,       /* reserved */
  RS_U8 = 9,       /* reserved */
  RS_F8_E4M3 = 10, /* reserved */
  RS_F8_E5M2 = 11  /* reserved */
};

typedef uint8_t rs_device_kind;
enum { RS_HOST = 1, RS_CUDA = 2, RS_HIP = 3, RS_NULL = 4 };

typedef struct rs_device {
  rs_device_kind kind;
  int32_t index;
} rs_device;

/* "host", "cuda:1", "hip" (index 0). */
ROWSMITH_EXPORT rs_status rs_device_parse(const char* text, rs_device* out);

/* A CUstream or hipStream_t. NULL is the device's default stream. */
typedef void* rs_stream;

enum { RS_MAX_RANK = 8 };

/* A typed, strided window on memory that the caller owns: shape[i] elements along axis i, stride[i] elements (not
 * bytes) from one to the next; strides may be negative or 0. The layout is rowsmith::tensor_view's. */
typedef struct rs_tensor {
  void* data;
  rs_dtype dtype;
  rs_device device;
  int32_t rank;
  int64_t shape[RS_MAX_RANK];
  int64_t stride[RS_MAX_RANK];
} rs_tensor;

/* Fills *out with a dense row-major view. */
ROWSMITH_EXPORT rs_status rs_dense(void* data, rs_dtype dtype, rs_device device, int32_t rank, const int64_t* shape,
                                   rs_tensor* out);

/* ---- Ops ---- */

typedef uint16_t rs_op;
enum {
  RS_OP_SOFTMAX = 1,
  RS_OP_LOG_SOFTMAX = 2,
  RS_OP_SOFTMAX_BACKWARD = 3,
  RS_OP_LOG_SOFTMAX_BACKWARD = 4,
  RS_OP_LAYER_NORM = 5,
  RS_OP_RMS_NORM = 6,
  RS_OP_ADD_LAYER_NORM = 7,
  RS_OP_ADD_RMS_NORM = 8,
  RS_OP_LAYER_NORM_BACKWARD = 9,
  RS_OP_RMS_NORM_BACKWARD = 10,
  RS_OP_MOMENTS = 11,
  RS_OP_GATHER_ROWS = 12,
  RS_OP_GATHER_ROWS_BACKWARD = 13,
  RS_OP_COPY = 14,
  RS_OP_ELEMENTWISE = 15,
  /* y[r] = norm(x[index[r]]), +0 where index[r] names no row: RS_OP_LAYER_NORM and RS_OP_RMS_NORM with an index, which
   * x's rows are picked by without rows_from. */
  RS_OP_NORM_GATHER = 1001,
  RS_OP_RMS_NORM_GATHER = 1002
};

/* What an operand is to its op. RS_ROLE_IN1 + k: an expression's argument k + 1; RS_ROLE_OUT1 + k: its output k + 1. */
typedef uint8_t rs_role;
enum {
  RS_ROLE_X = 1,
  RS_ROLE_Y = 2,
  RS_ROLE_MASK = 3,
  RS_ROLE_BIAS = 4,
  RS_ROLE_WEIGHT = 5,
  RS_ROLE_RESIDUAL = 6,
  RS_ROLE_SUM = 7,
  RS_ROLE_LSE = 8,
  RS_ROLE_MEAN = 9,
  RS_ROLE_RSTD = 10,
  RS_ROLE_VARIANCE = 11,
  RS_ROLE_DY = 12,
  RS_ROLE_DX = 13,
  RS_ROLE_DWEIGHT = 14,
  RS_ROLE_DBIAS = 15,
  RS_ROLE_INDEX = 16,
  RS_ROLE_INDEX2 = 18,
  RS_ROLE_IN1 = 21, /* to 27 */
  RS_ROLE_OUT1 = 31 /* to 33 */
};

typedef struct rs_operand {
  rs_role role;
  rs_role rows_from;   /* RS_ROLE_INDEX or RS_ROLE_INDEX2: a table, whose rows that operand picks; 0: its own rows */
  uint8_t reserved[6]; /* 0 */
  rs_tensor view;
} rs_operand;

typedef uint8_t rs_exp_mode;
enum { RS_EXP_BY_OUTPUT = 0, RS_EXP_FAST = 1, RS_EXP_ACCURATE = 2 };

/* How a kernel stands to the width of its rows: one of its own, or one that learns it at run time; as
 * rowsmith::width_mode of row_options.h. */
typedef uint8_t rs_width_mode;
enum { RS_WIDTH_AUTOMATIC = 0, RS_WIDTH_EXACT = 1, RS_WIDTH_ANY = 2 };

typedef struct rs_softmax_options {
  uint32_t struct_size;
  int32_t axis; /* negative counts from the last */
  rs_exp_mode exponential;
  uint8_t deterministic;    /* 1: the same bits at every call, as softmax_options::deterministic() */
  uint8_t capture_fallback; /* 1: a capture may freeze the fallback, as softmax_options::capture_fallback() */
  uint8_t reserved;         /* 0 */
  rs_width_mode width;
  uint8_t batch_invariant; /* 1: a row's bits depend on nothing beside it, as softmax_options::batch_invariant() */
  uint8_t reserved2[2];    /* 0 */
} rs_softmax_options;

/* axis -1, exponential by output, no flag. */
#define RS_SOFTMAX_OPTIONS_INIT                                                                          \
  {                                                                                                      \
    (uint32_t)sizeof(rs_softmax_options), -1, RS_EXP_BY_OUTPUT, 0, 0, 0, RS_WIDTH_AUTOMATIC, 0, { 0, 0 } \
  }

/* y = softmax of x along one axis, as rowsmith::softmax of ops.h. In place when y is x (or an equal view).
 * options may be NULL: the defaults. */
ROWSMITH_EXPORT rs_status rs_softmax(const rs_tensor* x, const rs_tensor* y, const rs_softmax_options* options,
                                     rs_stream stream);

/* The same of log_softmax. */
ROWSMITH_EXPORT rs_status rs_log_softmax(const rs_tensor* x, const rs_tensor* y, const rs_softmax_options* options,
                                         rs_stream stream);

typedef struct rs_setting {
  const char* name;   /* "mask" */
  const char* choice; /* "keep"; as rowsmith::op_call::set of call.h */
} rs_setting;

typedef struct rs_scalar {
  const char* name; /* "eps" */
  float value;
} rs_scalar;

/* An expression: the words of rowsmith::expression (expr.h), which a program in C++ may print or store. NULL: none. */
typedef struct rs_expression {
  const uint64_t* words;
  size_t count;
} rs_expression;

/* What any op can be told. */
typedef struct rs_op_options {
  uint32_t struct_size;
  /* What the op runs along: of the softmaxes an axis, negative from the last; of norms and gathers how many trailing
   * axes; of moments the sum of 2^axis over the axes. As op_call::axis of call.h. */
  int32_t axis;
  uint8_t axis_is_given; /* 0: axis is not looked at, and the op's own default holds */
  uint8_t deterministic;
  uint8_t capture_fallback;
  uint8_t checked; /* 1: row indices are looked at before the launch; waits for the stream */
  uint8_t causal;  /* 1: key j takes part for query i where j <= i + causal_offset */
  rs_width_mode width;
  uint8_t batch_invariant; /* 1: a row's bits depend on nothing beside it: see row_options.h */
  uint8_t reserved[1];     /* 0 */
  int64_t causal_offset;
  const rs_setting* settings;
  size_t setting_count;
  const rs_scalar* scalars;
  size_t scalar_count;
  void* workspace; /* on the operands' device; NULL: the library finds its own */
  size_t workspace_bytes;
  rs_expression pre;     /* of a row op: what it sees instead of its first operand */
  rs_expression post;    /* of a row op: what is stored instead of its result */
  rs_expression compute; /* of elementwise: what is computed */
  float params[4];       /* param(k) of the expressions */
} rs_op_options;

/* Nothing but defaults. */
#define RS_OP_OPTIONS_INIT                                                                                       \
  {                                                                                                              \
    (uint32_t)sizeof(rs_op_options), 0, 0, 0, 0, 0, 0, RS_WIDTH_AUTOMATIC, 0, {0}, 0, NULL, 0, NULL, 0, NULL, 0, \
        {NULL, 0}, {NULL, 0}, {NULL, 0}, {                                                                       \
      0, 0, 0, 0                                                                                                 \
    }                                                                                                            \
  }

/* Any op by its number, with operands in any order and each role at most once. `options` is an rs_op_options or NULL;
 * of softmax and log_softmax, it is an rs_softmax_options or NULL, and without y they work in place. rs_run is for all
 * that they do not say: masks, scale, expressions. */
ROWSMITH_EXPORT rs_status rs_call(rs_op op, const rs_operand* operands, size_t operand_count, const void* options,
                                  rs_stream stream);
/* The same by name: "softmax". */
ROWSMITH_EXPORT rs_status rs_call_named(const char* op, const rs_operand* operands, size_t operand_count,
                                        const void* options, rs_stream stream);
/* Any op by its number. options may be NULL. */
ROWSMITH_EXPORT rs_status rs_run(rs_op op, const rs_operand* operands, size_t operand_count,
                                 const rs_op_options* options, rs_stream stream);
/* Builds and loads what rs_run would launch, and launches nothing. */
ROWSMITH_EXPORT rs_status rs_prepare(rs_op op, const rs_operand* operands, size_t operand_count,
                                     const rs_op_options* options);
/* *bytes: the workspace that rs_run needs, 0 for none; the kernel is built for it. */
ROWSMITH_EXPORT rs_status rs_workspace_bytes(rs_op op, const rs_operand* operands, size_t operand_count,
                                             const rs_op_options* options, size_t* bytes);
/* What rs_run would do, as lines of text: what was found out, the plan and its reasons. target: "sm_90", "gfx906",
 * "host"; NULL: the operands' device. The operands' data may be NULL, and nothing is compiled. At most `size` bytes are
 * written, a 0 at their end among them; *needed, which may be NULL, is what all of it takes. */
ROWSMITH_EXPORT rs_status rs_explain(rs_op op, const rs_operand* operands, size_t operand_count,
                                     const rs_op_options* options, const char* target, char* text, size_t size,
                                     size_t* needed);

/* The common ops without structures. Tensors that may be NULL: weight, bias, sum, mean, rstd. Rows are the last `axes`
 * axes; eps is above 0. Formulas and errors are those of ops.h. */
ROWSMITH_EXPORT rs_status rs_layer_norm(const rs_tensor* x, const rs_tensor* weight, const rs_tensor* bias,
                                        const rs_tensor* y, const rs_tensor* mean, const rs_tensor* rstd, int32_t axes,
                                        float eps, rs_stream stream);
ROWSMITH_EXPORT rs_status rs_rms_norm(const rs_tensor* x, const rs_tensor* weight, const rs_tensor* bias,
                                      const rs_tensor* y, const rs_tensor* rstd, int32_t axes, float eps,
                                      rs_stream stream);
/* y = norm(x + residual); sum = x + residual. */
ROWSMITH_EXPORT rs_status rs_add_layer_norm(const rs_tensor* x, const rs_tensor* residual, const rs_tensor* weight,
                                            const rs_tensor* bias, const rs_tensor* y, const rs_tensor* sum,
                                            int32_t axes, float eps, rs_stream stream);
ROWSMITH_EXPORT rs_status rs_add_rms_norm(const rs_tensor* x, const rs_tensor* residual, const rs_tensor* weight,
                                          const rs_tensor* bias, const rs_tensor* y, const rs_tensor* sum, int32_t axes,
                                          float eps, rs_stream stream);
/* y[r] = x[index[r]], 0 where index[r] is -1; a row is x without its first axis. */
ROWSMITH_EXPORT rs_status rs_gather_rows(const rs_tensor* x, const rs_tensor* index, const rs_tensor* y,
                                         rs_stream stream);
/* y = x, whatever the strides; rounded where the dtypes differ. */
ROWSMITH_EXPORT rs_status rs_copy_tensor(const rs_tensor* x, const rs_tensor* y, rs_stream stream);

/* The number that belongs to a name. */
ROWSMITH_EXPORT rs_status rs_find_op(const char* name, rs_op* out);

/* ---- Runtime ---- */

ROWSMITH_EXPORT const char* rs_version(void); /* "0.1.0" */
ROWSMITH_EXPORT uint32_t rs_abi_version(void);

typedef struct rs_counter_values {
  uint32_t struct_size;
  uint32_t reserved;
  uint64_t calls_missed; /* calls that found no kernel in the table */
  uint64_t compiled;     /* kernels compiled by this process */
  uint64_t compile_failures;
  uint64_t loaded_from_disk;
  uint64_t loaded_from_memory;
  uint64_t fallback_kernels; /* shape classes answered by the scalar fallback */
  uint64_t cache_damaged;    /* entries that failed their checks */
  uint64_t cache_store_failures;
  uint64_t answered_by_any_width; /* shape classes that a run-time-width kernel answered: see row_options.h */
  uint64_t exact_after_calls;     /* of these: got a kernel of their own */
} rs_counter_values;

/* Set out->struct_size first. */
ROWSMITH_EXPORT rs_status rs_counters(rs_counter_values* out);

/* Every device that answers, the host first: open a list, read it, close it. */
typedef struct rs_device_list rs_device_list;

typedef struct rs_device_info {
  uint32_t struct_size;
  rs_device device;
  char name[128]; /* cut short where longer; always ends in 0 */
  char arch[64];  /* the target kernels are built for: "sm_90" */
  int32_t wave;   /* lanes of a wave */
  int32_t units;  /* multiprocessors, compute units, host threads */
  int64_t memory_bytes;
  int64_t l2_bytes;
} rs_device_info;

ROWSMITH_EXPORT rs_status rs_devices_open(rs_device_list** out);
ROWSMITH_EXPORT size_t rs_devices_count(const rs_device_list* list); /* 0 for NULL */
/* Set out->struct_size first. */
ROWSMITH_EXPORT rs_status rs_devices_get(const rs_device_list* list, size_t index, rs_device_info* out);
ROWSMITH_EXPORT void rs_devices_close(rs_device_list* list); /* NULL is fine */

/* Forgets every loaded kernel of this process (not the disk). */
ROWSMITH_EXPORT rs_status rs_forget_kernels(void);
/* Gives back what the process holds. Optional; calls after it start afresh. */
ROWSMITH_EXPORT rs_status rs_shutdown(void);

/* ---- Memory, for programs without a framework of their own ---- */

ROWSMITH_EXPORT rs_status rs_allocate(rs_device where, size_t bytes, void** out);
ROWSMITH_EXPORT rs_status rs_release(rs_device where, void* memory);
/* Between host memory and `where`, either way, or within `where`. Synchronous. */
ROWSMITH_EXPORT rs_status rs_copy(rs_device where, void* to, const void* from, size_t bytes);
/* Waits for all work enqueued on the stream. */
ROWSMITH_EXPORT rs_status rs_synchronize(rs_device where, rs_stream stream);

/* ---- Deploy ---- */

typedef uint8_t rs_alignments;
enum { RS_ALIGNMENTS_RECORDED = 0, RS_ALIGNMENTS_USUAL = 1, RS_ALIGNMENTS_EVERY = 2 };

/* From any thread, one at a time. */
typedef void (*rs_progress)(int64_t done, int64_t total, void* user);

typedef struct rs_warm_options {
  uint32_t struct_size;
  int32_t jobs;          /* compiles at a time; 0: one a hardware thread; those for AMD in forked processes above 1 */
  const char* cache_dir; /* where to; NULL: the user's own cache */
  rs_progress progress;  /* may be NULL */
  void* user;
  rs_alignments alignments;
} rs_warm_options;

#define RS_WARM_OPTIONS_INIT \
  { (uint32_t)sizeof(rs_warm_options), 0, NULL, NULL, NULL, RS_ALIGNMENTS_USUAL }

typedef struct rs_warm_report {
  uint32_t struct_size;
  uint32_t reserved;
  int64_t requests;       /* classes in the manifest */
  int64_t refused_lines;  /* of the manifest */
  int64_t failed_targets; /* for which nothing could be built */
  int64_t kernels;        /* wanted, on all targets */
  int64_t present;        /* already there */
  int64_t built;
  int64_t failed;
  double seconds;
} rs_warm_report;

/* Builds what the requests of a manifest need on each target, as rowsmith::warm of deploy.h. RS_OK when all of it is
 * there. RS_COMPILE_FAILED when something was left out: *report has the numbers, rs_last_error_detail() the reasons,
 * and the rest was built. Set report->struct_size first; options and report may be NULL. */
ROWSMITH_EXPORT rs_status rs_warm(const char* manifest, const char* const* targets, size_t target_count,
                                  const rs_warm_options* options, rs_warm_report* report);

/* Takes a bundle's kernels into `directory` (NULL: the user's own cache), as rowsmith::import_bundle of deploy.h;
 * `key_file` may be NULL. *added may be NULL. RS_CORRUPT when the bundle or one of its kernels fails its checks. */
ROWSMITH_EXPORT rs_status rs_import_bundle(const char* file, const char* directory, const char* key_file,
                                           int64_t* added);

#ifdef __cplusplus
}
#endif

#endif /* ROWSMITH_ROWSMITH_C_H_ */
