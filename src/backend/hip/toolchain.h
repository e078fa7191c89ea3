// toolchain: the compilers of this machine in the order of preference; for each architecture, the first that is there
// and knows it.
#pragma once

#include <memory>
#include <vector>

#include "backend/hip/compiler.h"

namespace rowsmith::hip {

class toolchain {
 public:
  // hipRTC, then comgr by itself, then hipcc. Nothing is looked for yet.
  toolchain();
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
