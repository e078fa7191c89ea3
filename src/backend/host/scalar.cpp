#include "backend/host/scalar.h"

#include <algorithm>
#include <array>

// The kernels' own text, for the CPU that the library itself is built for. This is the only file of the library that
// includes it: namespace rs means something else on every machine.
#include "model/op.h"

#include "machine/host.h"
#include "row/arguments.h"
#include "scalar/alone.h"
#include "scalar/norm.h"
#include "scalar/norm_backward.h"
#include "scalar/softmax.h"

namespace rowsmith::host {
namespace {

using args = rs::row_args<max_operands, max_outer, max_inner>;

// What a kernel does with one item of its launch.
using item_function = void (*)(const args&, rs::i64 item, int member, int members, rs::alone&);

template <item_function F>
void every_item(const void* arguments, std::int64_t begin, std::int64_t end) {
  const auto& a = *static_cast<const args*>(arguments);
  rs::alone team;
  for (rs::i64 item = begin; item < end; ++item) F(a, item, 0, 1, team);
}

struct kernel {
  std::string_view entry;
  row_function run;
};

constexpr std::array k_kernels = {
    kernel{"rs_softmax_scalar", every_item<rs::scalar_softmax>},
    kernel{"rs_layer_norm_scalar", every_item<rs::scalar_layer_norm>},
    kernel{"rs_rms_norm_scalar", every_item<rs::scalar_rms_norm>},
    kernel{"rs_add_layer_norm_scalar", every_item<rs::scalar_add_layer_norm>},
    kernel{"rs_add_rms_norm_scalar", every_item<rs::scalar_add_rms_norm>},
    kernel{"rs_layer_norm_backward_scalar", every_item<rs::scalar_layer_norm_backward>},
    kernel{"rs_rms_norm_backward_scalar", every_item<rs::scalar_rms_norm_backward>},
    kernel{"rs_norm_columns_scalar", every_item<rs::scalar_norm_columns>},
};

}  // namespace

row_function compiled_in(std::string_view entry) noexcept {
  const auto found =
      std::find_if(k_kernels.begin(), k_kernels.end(), [&](const kernel& k) { return k.entry == entry; });
  return found == k_kernels.end() ? nullptr : found->run;
}

}  // namespace rowsmith::host
