/* warm and import_bundle from C99: c_deploy_test MANIFEST-TO-WRITE CACHE-DIR */
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

static void count(int64_t done, int64_t total, void* user) {
  (void)total;
  *(int64_t*)user = done;
}

int main(int argc, char** argv) {
  const char* good[] = {"null", "null:wave64"};
  const char* bad[] = {"null", "tpu9"};
  rs_warm_options options = RS_WARM_OPTIONS_INIT;
  rs_warm_report report;
  int64_t seen = 0;
  FILE* f;
  if (argc != 3 || (f = fopen(argv[1], "w")) == NULL) return 2;
  fputs(
      "{\"rowsmith\":1,\"op\":\"softmax\",\"options\":0,\"operands\":[{\"role\":\"x\",\"dtype\":\"f16\",\"shape\":[8,"
      "512]},"
      "{\"role\":\"y\",\"dtype\":\"f16\",\"shape\":[8,512]}]}\n",
      f);
  fclose(f);

  memset(&report, 0, sizeof report);
  report.struct_size = sizeof report;
  options.cache_dir = argv[2];
  options.progress = count;
  options.user = &seen;
  options.alignments = RS_ALIGNMENTS_RECORDED;
  CHECK(rs_warm(argv[1], good, 2, &options, &report) == RS_OK);
  CHECK(report.requests == 1 && report.kernels == 2 && report.built + report.present == 2 && report.failed == 0);
  CHECK(seen == 2);
  CHECK(rs_warm(argv[1], bad, 2, &options, &report) == RS_COMPILE_FAILED);
  CHECK(report.failed_targets == 1 && report.present == 1);
  CHECK(strstr(rs_last_error_detail(), "tpu9") != NULL);
  CHECK(rs_warm(NULL, good, 2, NULL, NULL) == RS_INVALID_ARGUMENT);
  CHECK(rs_warm(argv[1], NULL, 1, NULL, NULL) == RS_INVALID_ARGUMENT);
  CHECK(rs_warm("no/such/file", good, 2, NULL, NULL) == RS_NOT_FOUND);
  CHECK(rs_import_bundle("no/such/file", NULL, NULL, NULL) == RS_NOT_FOUND);
  CHECK(rs_import_bundle(argv[1], argv[2], NULL, NULL) == RS_CORRUPT);
  return failures == 0 ? 0 : 1;
}
