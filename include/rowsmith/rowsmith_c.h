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
enum { RS_OP_SOFTMAX = 1 };

typedef uint8_t rs_role;
enum { RS_ROLE_X = 1, RS_ROLE_Y = 2 };

typedef struct rs_operand {
  rs_role role;
  rs_tensor view;
} rs_operand;

typedef uint8_t rs_exp_mode;
enum { RS_EXP_BY_OUTPUT = 0, RS_EXP_FAST = 1, RS_EXP_ACCURATE = 2 };

typedef struct rs_softmax_options {
  uint32_t struct_size;
  int32_t axis; /* negative counts from the last */
  rs_exp_mode exponential;
  uint8_t deterministic;    /* 1: the same bits at every call, as softmax_options::deterministic() */
  uint8_t capture_fallback; /* 1: a capture may freeze the fallback, as softmax_options::capture_fallback() */
  uint8_t reserved;         /* 0 */
} rs_softmax_options;

/* axis -1, exponential by output, neither flag. */
#define RS_SOFTMAX_OPTIONS_INIT \
  { (uint32_t)sizeof(rs_softmax_options), -1, RS_EXP_BY_OUTPUT, 0, 0, 0 }

/* y = softmax of x along one axis, as rowsmith::softmax of ops.h. In place when y is x (or an equal view).
 * options may be NULL: the defaults. */
ROWSMITH_EXPORT rs_status rs_softmax(const rs_tensor* x, const rs_tensor* y, const rs_softmax_options* options,
                                     rs_stream stream);

/* Any op by its number, with operands in any order and each role at most once. `options` is the op's own structure or
 * NULL. softmax takes x and y; without y it works in place. */
ROWSMITH_EXPORT rs_status rs_call(rs_op op, const rs_operand* operands, size_t operand_count, const void* options,
                                  rs_stream stream);
/* The same by name: "softmax". */
ROWSMITH_EXPORT rs_status rs_call_named(const char* op, const rs_operand* operands, size_t operand_count,
                                        const void* options, rs_stream stream);
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
  int32_t jobs;          /* compiles at a time; 0: one a hardware thread */
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
