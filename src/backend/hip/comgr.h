// comgr: AMD's code object manager: which architectures its compiler knows, and the reader of machine code.
#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "backend/backend.h"
#include "backend/hip/declarations.h"
#include "base/shared_object.h"

namespace rowsmith::hip {

// Held while this process compiles for AMD, whoever is asked. Clang's driver hands -mllvm options down, whose parser
// keeps strings for the whole process: two compiles at once write them together and break the heap. hipRTC holds a lock
// of its own, which does not keep others out. Visible, and so one lock in a process that holds several copies of this
// library: the loader gives such a variable of g++'s one place. Trivially destructible: nothing runs at exit.
[[gnu::visibility("default")]] inline std::mutex compiling_for_amd;

class comgr {
 public:
  // Loaded at the first call, never unloaded. Never fails: ask usable().
  static comgr& get();

  const status& usable() const noexcept { return usable_; }
  const comgr_functions& call() const noexcept { return functions_; }
  const library_probe& probe() const noexcept { return probe_; }
  const shared_object& library() const noexcept { return library_; }
  int major_version() const noexcept { return major_; }

  // "gfx900", "gfx906", …
  const std::vector<std::string>& known_archs() const noexcept { return archs_; }
  bool knows(std::string_view arch) const noexcept;
  // OK, or unsupported with the list. REQUIRES: usable().
  status check_arch(const std::string& arch) const;

  // What stands in front of an architecture in a target's full name.
  static constexpr std::string_view triple = "amdgcn-amd-amdhsa--";

 private:
  comgr();

  status usable_;
  library_probe probe_;
  shared_object library_;
  comgr_functions functions_{};
  int major_ = 0;
  std::vector<std::string> archs_;
};

}  // namespace rowsmith::hip
