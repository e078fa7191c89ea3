// environment: the whole environment in one typed table, read once per process (a test may read it again).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "rowsmith/row_options.h"
#include "rowsmith/status.h"

namespace rowsmith {

enum class compile_policy : std::uint8_t { blocking, background, never };
enum class amd_compiler : std::uint8_t { automatic, comgr, hiprtc, hipcc };

struct environment {
  bool force_scalar = false;                               // ROWSMITH_FORCE_SCALAR
  std::string cache_dir;                                   // ROWSMITH_CACHE_DIR
  std::vector<std::string> site_dirs;                      // ROWSMITH_SITE_DIRS, colon-separated
  std::uint64_t cache_max_bytes = std::uint64_t{1} << 30;  // ROWSMITH_CACHE_MAX_BYTES, suffix K, M, G
  compile_policy compile = compile_policy::blocking;       // ROWSMITH_COMPILE
  bool strict = false;                                     // ROWSMITH_STRICT
  width_mode width = width_mode::automatic;                // ROWSMITH_WIDTH: of calls that leave it open
  std::string record;                                      // ROWSMITH_RECORD
  std::string remote;                                      // ROWSMITH_REMOTE
  std::string remote_key_file;                             // ROWSMITH_REMOTE_KEY_FILE
  log_level log = log_level::off;                          // ROWSMITH_LOG: debug, info, warn, error, off
  std::string profile;                                     // ROWSMITH_PROFILE
  std::vector<std::string> cuda_libs;  // ROWSMITH_CUDA_LIBS: folders or files searched first, colon-separated
  std::vector<std::string> hip_libs;   // ROWSMITH_HIP_LIBS
  amd_compiler hip_compiler = amd_compiler::automatic;  // ROWSMITH_HIP_COMPILER: the only one asked
  std::string cxx;                                      // ROWSMITH_CXX
  std::string xdg_cache_home, home, tmpdir, system_cxx, cuda_home, rocm_path, hip_path;

  // One row a variable: where its value came from, for `doctor`.
  struct row {
    std::string name;
    std::string value;
    bool set = false;
    std::string meaning;
  };
  std::vector<row> rows;

  // A sentence for every variable whose value is not legal; the default stands in for it.
  std::vector<std::string> complaints;
};

// Reads the process environment. Pure but for getenv.
environment read_environment();

// Read once, at the first call.
const environment& the_environment();

}  // namespace rowsmith
