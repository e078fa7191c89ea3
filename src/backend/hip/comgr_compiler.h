// comgr_compiler: compiles with comgr alone: source to bitcode, to object code, linked.
#pragma once

#include "backend/hip/compiler.h"
#include "backend/hip/declarations.h"

namespace rowsmith::hip {

// Whose comgr is asked: `amd` means one that is known to do as it should, on a machine of AMD's: on one of Hygon's a
// stock comgr may lie about as well.
enum class comgr_of { amd, anybody };

class comgr_compiler final : public compiler {
 public:
  explicit comgr_compiler(comgr_of whose = comgr_of::anybody) : whose_(whose) {}

  library_probe probe() override;
  result<compiler_id> identity(const std::string& arch) override;
  result<binary> compile(const source& s, const std::string& arch) override;

 private:
  bool stands_back() const;

  comgr_of whose_;
};

}  // namespace rowsmith::hip
