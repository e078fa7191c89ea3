// comgr_compiler: compiles with comgr alone, where there is no hipRTC: source to bitcode, to object code, linked.
#pragma once

#include "backend/hip/compiler.h"
#include "backend/hip/declarations.h"

namespace rowsmith::hip {

class comgr_compiler final : public compiler {
 public:
  library_probe probe() override;
  result<compiler_id> identity(const std::string& arch) override;
  result<binary> compile(const source& s, const std::string& arch) override;
};

}  // namespace rowsmith::hip
