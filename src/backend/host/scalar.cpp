#include "backend/host/scalar.h"

// The kernels' own text, for the CPU that the library itself is built for. This is the only file of the library that
// includes it: namespace rs means something else on every machine.
#include "model/op.h"

#include "machine/host.h"
#include "row/arguments.h"
#include "scalar/alone.h"
#include "scalar/copy.h"
#include "scalar/elementwise.h"
#include "scalar/softmax.h"

namespace rowsmith::host {
namespace {

using std::int64_t;

// Of an op that takes expressions, with Operands operands.
template <int Operands>
using expression_args = rs::word_args<Operands, max_outer, max_inner>;

void softmax(const void* arguments, int64_t begin, int64_t end) {
  const auto& args = *static_cast<const expression_args<10>*>(arguments);
  rs::alone team;
  for (rs::i64 row = begin; row < end; ++row) rs::scalar_softmax(args, row, 0, 1, team);
}

void copy(const void* arguments, int64_t begin, int64_t end) {
  const auto& args = *static_cast<const rs::row_args<2, max_outer, max_inner>*>(arguments);
  for (rs::i64 at = begin; at < end; ++at) rs::scalar_copy(args, at);
}

void elementwise(const void* arguments, int64_t begin, int64_t end) {
  const auto& args = *static_cast<const expression_args<12>*>(arguments);
  for (rs::i64 at = begin; at < end; ++at) rs::scalar_elementwise(args, at);
}

}  // namespace

row_function compiled_in(std::string_view entry) noexcept {
  if (entry == "rs_softmax_scalar") return softmax;
  if (entry == "rs_copy_scalar") return copy;
  if (entry == "rs_elementwise_scalar") return elementwise;
  return nullptr;
}

}  // namespace rowsmith::host
