#include "backend/host/scalar.h"

// The kernels' own text, for the CPU that the library itself is built for. This is the only file of the library that
// includes it: namespace rs means something else on every machine.
#include "machine/host.h"
#include "model/op.h"
#include "row/arguments.h"
#include "scalar/alone.h"
#include "scalar/copy.h"
#include "scalar/elementwise.h"
#include "scalar/gather_rows.h"
#include "scalar/gather_rows_backward.h"
#include "scalar/moments.h"
#include "scalar/norm.h"
#include "scalar/norm_backward.h"
#include "scalar/softmax.h"
#include "scalar/softmax_backward.h"

namespace rowsmith::host {
namespace {

// An op that works on one row after the other: Operands as the op table lists them.
template <int Operands, auto Row>
void rows(const void* arguments, std::int64_t begin, std::int64_t end) {
  const auto& args = *static_cast<const rs::row_args<Operands, max_outer, max_inner>*>(arguments);
  rs::alone team;
  for (rs::i64 row = begin; row < end; ++row) Row(args, row, team);
}

void copy(const void* arguments, std::int64_t begin, std::int64_t end) {
  const auto& args = *static_cast<const rs::row_args<2, max_outer, max_inner>*>(arguments);
  for (rs::i64 at = begin; at < end; ++at) rs::scalar_copy(args, at);
}

void elementwise(const void* arguments, std::int64_t begin, std::int64_t end) {
  const auto& args = *static_cast<const rs::word_args<13, max_outer, max_inner>*>(arguments);
  for (rs::i64 at = begin; at < end; ++at) rs::scalar_elementwise(args, at);
}

void gather_rows_backward(const void* arguments, std::int64_t begin, std::int64_t end) {
  rs::scalar_gather_rows_backward_chunk(*static_cast<const rs::row_args<3, max_outer, max_inner>*>(arguments), begin,
                                        end);
}

struct fallback {
  std::string_view entry;
  row_function run;
};

constexpr fallback k_fallbacks[] = {
    {"rs_softmax_scalar", rows<10, [](auto& a, auto row, auto& team) { rs::scalar_softmax(a, row, 0, 1, team); }>},
    {"rs_log_softmax_scalar",
     rows<10, [](auto& a, auto row, auto& team) { rs::scalar_log_softmax(a, row, 0, 1, team); }>},
    {"rs_softmax_backward_scalar",
     rows<4, [](auto& a, auto row, auto& team) { rs::scalar_softmax_backward(a, row, 0, 1, team); }>},
    {"rs_log_softmax_backward_scalar",
     rows<4, [](auto& a, auto row, auto& team) { rs::scalar_log_softmax_backward(a, row, 0, 1, team); }>},
    {"rs_copy_scalar", copy},
    {"rs_elementwise_scalar", elementwise},
    {"rs_moments_scalar", rows<4, [](auto& a, auto row, auto& team) { rs::scalar_moments(a, row, 0, 1, team); }>},
    {"rs_gather_rows_scalar",
     rows<3, [](auto& a, auto row, auto& team) { rs::scalar_gather_rows(a, row, 0, 1, team); }>},
    {"rs_gather_rows_backward_scalar", gather_rows_backward},
    {"rs_layer_norm_scalar",
     rows<10, [](auto& a, auto row, auto& team) { rs::scalar_layer_norm(a, row, 0, 1, team); }>},
    {"rs_rms_norm_scalar", rows<10, [](auto& a, auto row, auto& team) { rs::scalar_rms_norm(a, row, 0, 1, team); }>},
    {"rs_add_layer_norm_scalar",
     rows<12, [](auto& a, auto row, auto& team) { rs::scalar_add_layer_norm(a, row, 0, 1, team); }>},
    {"rs_add_rms_norm_scalar",
     rows<12, [](auto& a, auto row, auto& team) { rs::scalar_add_rms_norm(a, row, 0, 1, team); }>},
    {"rs_layer_norm_backward_scalar",
     rows<7, [](auto& a, auto row, auto& team) { rs::scalar_layer_norm_backward(a, row, 0, 1, team); }>},
    {"rs_rms_norm_backward_scalar",
     rows<7, [](auto& a, auto row, auto& team) { rs::scalar_rms_norm_backward(a, row, 0, 1, team); }>},
    {"rs_norm_columns_scalar",
     rows<7, [](auto& a, auto row, auto& team) { rs::scalar_norm_columns(a, row, 0, 1, team); }>},
};

}  // namespace

row_function compiled_in(std::string_view entry) noexcept {
  for (const fallback& f : k_fallbacks) {
    if (f.entry == entry) return f.run;
  }
  return nullptr;
}

}  // namespace rowsmith::host
