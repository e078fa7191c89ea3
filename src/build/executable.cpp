#include "build/executable.h"

#include <algorithm>

#include "model/arguments.h"

namespace rowsmith {

std::string_view name_of(origin o) noexcept {
  switch (o) {
    case origin::memory:
      return "memory";
    case origin::disk:
      return "disk";
    case origin::compiled:
      return "compiled";
    case origin::fallback:
      return "fallback";
  }
  return "unknown";
}

status executable::run(const facts& f, stream on) const noexcept {
  if (workspace_bytes_ != 0 && f.call.workspace == nullptr) [[unlikely]] {
    return status(code::invalid_argument, "workspace: none given, but the plan needs one");
  }
  for (const step& s : steps_) {
    const std::int64_t wanted = (f.call.rows - 1) / s.rows_per_block + 1;
    const std::int64_t blocks = std::min(wanted, s.most_blocks);
    const arguments args(f, s.arg_operands, s.arg_outer, blocks, f.call.workspace);
    if (status failed = s.kernel->launch(blocks, args.data(), args.size(), on); !failed.ok()) return failed;
  }
  return {};
}

}  // namespace rowsmith
