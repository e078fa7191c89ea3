// compiler: whoever turns a source into a code object: hipRTC, comgr by itself, or hipcc.
#pragma once

#include <string>
#include <vector>

#include "backend/backend.h"

namespace rowsmith::hip {

class compiler {
 public:
  virtual ~compiler() = default;

  // What was looked for and found.
  virtual library_probe probe() = 0;

  // Who would compile for gfxNNN: not_found where this compiler is not there, unsupported where it does not know the
  // architecture. Everything is asked once.
  virtual result<compiler_id> identity(const std::string& arch) = 0;

  // REQUIRES: identity(arch) is OK.
  virtual result<binary> compile(const source& s, const std::string& arch) = 0;
};

// What each of them is told beside the architecture and the source's own options.
inline const std::vector<std::string>& common_options() {
  static const auto* const options = new std::vector<std::string>{"-O3", "-std=c++17", "-ffp-contract=off"};
  return *options;
}

// What every compiler that works can compile.
inline constexpr const char* probe_kernel = "extern \"C\" __attribute__((global)) void probe(int* y) { *y = 1; }\n";

// The code object inside an offload bundle, which some compilers hand out; the bytes themselves where they are none.
bytes unbundled(bytes code);

// compile_failed, with the compiler's log and the source.
status refused(const std::string& who, const source& s, const std::string& arch, const std::string& log);

}  // namespace rowsmith::hip
