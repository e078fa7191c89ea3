#include "backend/host/scalar.h"

// The kernels' own text, for the CPU that the library itself is built for. This is the only file of the library that
// includes it: namespace rs means something else on every machine.
#include "model/op.h"

#include "machine/host.h"
#include "row/arguments.h"
#include "scalar/alone.h"
#include "scalar/softmax.h"

namespace rowsmith::host {
namespace {

void softmax(const void* arguments, std::int64_t begin, std::int64_t end) {
  const auto& args = *static_cast<const rs::row_args<10, max_outer, max_inner>*>(arguments);
  rs::alone team;
  for (rs::i64 row = begin; row < end; ++row) rs::scalar_softmax(args, row, 0, 1, team);
}

}  // namespace

row_function compiled_in(std::string_view entry) noexcept {
  if (entry == "rs_softmax_scalar") return softmax;
  return nullptr;
}

}  // namespace rowsmith::host
