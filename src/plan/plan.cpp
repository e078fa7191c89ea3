#include "plan/plan.h"

#include <fmt/format.h>

#include "model/op_table.h"
#include "plan/chains.h"
#include "plan/elementwise.h"
#include "plan/gpu.h"
#include "plan/host.h"
#include "plan/layout.h"

namespace rowsmith {

result<plan> make_plan(const shape_class& c, const traits& t) {
  if (describe(c.op).along == reduces::nothing) return plan_for_elements(c, t);
  if (c.width == 0) return status(code::unsupported, "rows of no elements: nothing to specialize on");
  if (sums_over_rows(c) && (c.inner_rank != 1 || c.pre || c.post)) {
    return status(code::unsupported, "sums over rows: neither of axes that do not merge nor of expressions");
  }
  return t.vendor == device_kind::host ? plan_for_host(c, t) : plan_for_gpu(c, t);
}

}  // namespace rowsmith
