// toolchain: the compilers of this machine in the order of preference; for each architecture, the first that is there
// and knows it.
#pragma once

#include <memory>
#include <vector>

#include "backend/hip/compiler.h"
#include "base/environment.h"

namespace rowsmith::hip {

class toolchain {
 public:
  // AMD's comgr by itself, then hipRTC, then comgr whose ever it is, then hipcc; or the one that ROWSMITH_HIP_COMPILER
  // names. hipRTC is comgr, too, with libraries to link that no kernel here needs, and everything optimized twice:
  // three quarters of its time do, for code as good. Hygon's own hipRTC goes first on Hygon's machines. Nothing is
  // looked for yet.
  toolchain();
  explicit toolchain(amd_compiler wanted);
  explicit toolchain(std::vector<std::unique_ptr<compiler>> members) : members_(std::move(members)) {}

  // Of the first that is there, or one that tells what all of them tried. Programs are only run where no library is
  // found.
  library_probe probe();

  result<compiler_id> identity(const std::string& arch);
  result<binary> compile(const source& s, const std::string& arch);

 private:
  result<compiler*> for_arch(const std::string& arch);

  std::vector<std::unique_ptr<compiler>> members_;
};

}  // namespace rowsmith::hip
