#include "plan/plan.h"

#include <fmt/format.h>

#include "model/op_table.h"
#include "plan/gpu.h"
#include "plan/host.h"

namespace rowsmith {

result<plan> make_plan(const shape_class& c, const traits& t) {
  return t.vendor == device_kind::host ? plan_for_host(c, t) : plan_for_gpu(c, t);
}

plan make_scalar_plan(op_id id, const traits& t) {
  const op_row& op = describe(id);
  launch_plan l;
  l.how = mechanism::scalar;
  l.entry = op.scalar_entry;
  l.header = op.scalar_header;
  l.algorithm = fmt::format("scalar_{}", op.name);
  l.threads = t.vendor == device_kind::host ? 1 : 256;
  l.rows_per_block = t.vendor == device_kind::host ? 16 : 1;
  plan p;
  p.op = id;
  p.why.push_back("scalar fallback: a block (on the host a thread) a row, any width, dtype and stride");
  p.launches.push_back(std::move(l));
  return p;
}

}  // namespace rowsmith
