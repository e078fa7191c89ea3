// The front doors of gather_rows and its backward.
#include "rowsmith/rows.h"

#include "call/checked_index.h"
#include "call/common_options.h"
#include "call/dispatch.h"
#include "inspect/inspect.h"

namespace rowsmith {

namespace {

constexpr int index_place = 2;  // among the operands of both ops

status run(const request& r, std::int64_t table_rows, const rows_options& options) noexcept {
  if (options.checked_index) {
    facts f;
    if (status refused = inspect(r, &f); !refused.ok()) return refused;
    if (status wrong = check_index(r, index_place, table_rows); !wrong.ok()) return wrong;
  }
  return dispatch(r);
}

}  // namespace

status gather_rows(const const_tensor_view& x, const const_tensor_view& index, const tensor_view& y,
                   const rows_options& options, stream on) {
  if (status s = check_size(options); !s.ok()) return s;
  request r;
  r.op = op_id::gather_rows;
  r.axis = x.rank - 1;
  take_common(options, on, &r);
  r.add(role::x, x, index_place);
  r.add(role::y, y);
  r.add(role::index, index);
  return run(r, x.shape[0], options);
}

status gather_rows_backward(const const_tensor_view& dy, const const_tensor_view& index, const tensor_view& dx,
                            const rows_options& options, stream on) {
  if (status s = check_size(options); !s.ok()) return s;
  request r;
  r.op = op_id::gather_rows_backward;
  r.axis = dx.rank - 1;
  take_common(options, on, &r);
  r.add(role::dy, dy);
  r.add(role::dx, dx, index_place);
  r.add(role::index, index);
  return run(r, dx.shape[0], options);
}

}  // namespace rowsmith
