// comgr_library: AMD's code object manager, opened by name: the disassembler and the reader of kernel notes. Opened
// here rather than through backend/hip/comgr.h, which looks beside the HIP runtime: the runtime's test double stands on
// us.
#pragma once

#include "backend/hip/declarations.h"
#include "base/shared_object.h"
#include "rowsmith/status.h"

namespace rowsmith::gcn {

struct comgr_library {
  shared_object library;
  hip::comgr_functions call{};
  status usable;

  static const comgr_library& get();  // never unloaded
};

}  // namespace rowsmith::gcn
