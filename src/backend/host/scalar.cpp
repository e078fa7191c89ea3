#include "backend/host/scalar.h"

// The kernels' own text, for the CPU that the library itself is built for. This is the only file of the library that
// includes it: namespace rs means something else on every machine.
#include "model/op.h"

#include "machine/host.h"
#include "row/arguments.h"
#include "scalar/alone.h"
#include "scalar/gather_rows.h"
#include "scalar/gather_rows_backward.h"
#include "scalar/moments.h"
#include "scalar/softmax.h"

namespace rowsmith::host {
namespace {

void softmax(const void* arguments, std::int64_t begin, std::int64_t end) {
  const auto& args = *static_cast<const rs::row_args<10, max_outer, max_inner>*>(arguments);
  rs::alone team;
  for (rs::i64 row = begin; row < end; ++row) rs::scalar_softmax(args, row, 0, 1, team);
}

void moments(const void* arguments, std::int64_t begin, std::int64_t end) {
  const auto& args = *static_cast<const rs::row_args<4, max_outer, max_inner>*>(arguments);
  rs::alone team;
  for (rs::i64 row = begin; row < end; ++row) rs::scalar_moments(args, row, 0, 1, team);
}

void gather_rows(const void* arguments, std::int64_t begin, std::int64_t end) {
  const auto& args = *static_cast<const rs::row_args<3, max_outer, max_inner>*>(arguments);
  rs::alone team;
  for (rs::i64 row = begin; row < end; ++row) rs::scalar_gather_rows(args, row, 0, 1, team);
}

void gather_rows_backward(const void* arguments, std::int64_t begin, std::int64_t end) {
  rs::scalar_gather_rows_backward_chunk(*static_cast<const rs::row_args<3, max_outer, max_inner>*>(arguments), begin,
                                        end);
}

}  // namespace

row_function compiled_in(std::string_view entry) noexcept {
  if (entry == "rs_softmax_scalar") return softmax;
  if (entry == "rs_moments_scalar") return moments;
  if (entry == "rs_gather_rows_scalar") return gather_rows;
  if (entry == "rs_gather_rows_backward_scalar") return gather_rows_backward;
  return nullptr;
}

}  // namespace rowsmith::host
