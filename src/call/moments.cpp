// The front door of moments.
#include "rowsmith/moments.h"

#include "base/failure.h"
#include "call/common_options.h"
#include "call/dispatch.h"

namespace rowsmith {

namespace {

status set_of(const axis_list& axes, int rank, int* set) noexcept {
  *set = 0;
  if (axes.count > static_cast<std::size_t>(rank)) {
    return failure(code::invalid_argument, "axes: {} are named, x has {}", axes.count, rank);
  }
  for (std::size_t i = 0; i < axes.count; ++i) {
    const int given = axes.axis[i], axis = given < 0 ? given + rank : given;
    if (axis < 0 || axis >= rank) {
      return failure(code::invalid_argument, "axes[{}]: is {}, allowed is {} to {}", i, given, -rank, rank - 1);
    }
    if ((*set >> axis & 1) != 0) {
      return failure(code::invalid_argument, "axes[{}]: is {}, which is there already", i, given);
    }
    *set |= 1 << axis;
  }
  return {};
}

status run(const const_tensor_view& x, const axis_list& axes, const tensor_view& mean, const tensor_view* variance,
           const moments_options& options, stream on) noexcept {
  if (status s = check_size(options); !s.ok()) return s;
  request r;
  r.op = op_id::moments;
  if (x.rank >= 1 && x.rank <= max_rank) {  // any other rank is refused with the rest
    if (status s = set_of(axes, x.rank, &r.axis); !s.ok()) return s;
  }
  take_common(options, on, &r);
  r.add(role::x, x);
  r.add(role::mean, mean);
  if (variance != nullptr) r.add(role::variance, *variance);
  return dispatch(r);
}

}  // namespace

status moments(const const_tensor_view& x, const axis_list& axes, const tensor_view& mean, const tensor_view& variance,
               const moments_options& options, stream on) {
  return run(x, axes, mean, &variance, options, on);
}

status moments(const const_tensor_view& x, const axis_list& axes, const tensor_view& mean,
               const moments_options& options, stream on) {
  return run(x, axes, mean, nullptr, options, on);
}

}  // namespace rowsmith
