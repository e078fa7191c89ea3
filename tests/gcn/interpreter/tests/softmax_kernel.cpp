#include "softmax_kernel.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "backend/backend.h"
#include "inspect/inspect.h"
#include "model/arguments.h"
#include "plan/plan.h"
#include "render/render.h"
#include "support/tolerance.h"
#include "support/values.h"

namespace rowsmith::gcn::test {
namespace {

using rowsmith::test::softmax_case;

constexpr std::size_t k_base = 256;  // where element 0 lies, before the case's shift
constexpr unsigned char k_poison = 0xff;

// Rows in memory, poison between and beside them.
struct rows_in_memory {
  std::vector<unsigned char> bytes;
  dtype type;
  std::int64_t rows, width, row_stride, step;
  std::size_t first;

  rows_in_memory(const softmax_case& c, dtype t, int shift, int step_)
      : type(t),
        rows(c.rows),
        width(c.width),
        row_stride((c.width + c.gap) * step_),
        step(step_),
        first(static_cast<std::size_t>(shift) * size_of(t)) {
    bytes.assign(k_base + first + static_cast<std::size_t>(rows * row_stride) * size_of(t) + 64, k_poison);
    first += k_base - reinterpret_cast<std::uintptr_t>(bytes.data()) % 64;
  }
  std::size_t offset(std::int64_t row, std::int64_t column) const {
    return first + static_cast<std::size_t>(row * row_stride + column * step) * size_of(type);
  }
  tensor_view view() {
    tensor_view v = dense(bytes.data() + first, type, {rows, width}, {device_kind::hip, 0});
    v.stride[0] = row_stride;
    v.stride[1] = step;
    return v;
  }
  // From the first to the last element, and nothing beside them.
  void* begin() { return bytes.data() + first; }
  std::size_t size() const { return offset(rows - 1, width - 1) + size_of(type) - first; }
};

std::string compare(const softmax_case& c, const rows_in_memory& x, rows_in_memory& y, bool accurate) {
  std::vector<float> in(static_cast<std::size_t>(c.width)), out(in.size());
  for (std::int64_t r = 0; r < c.rows; ++r) {
    for (std::int64_t i = 0; i < c.width; ++i) {
      in[i] = rowsmith::test::get(x.bytes.data() + x.offset(r, i), x.type);
      out[i] = rowsmith::test::get(y.bytes.data() + y.offset(r, i), y.type);
      std::memset(y.bytes.data() + y.offset(r, i), k_poison, size_of(y.type));
    }
    const rowsmith::test::softmax_reference want(in, c.out, accurate);
    if (const testing::AssertionResult ok = within(want, out); !ok) {
      return "row " + std::to_string(r) + ": " + ok.message();
    }
  }
  const bool quiet = std::all_of(y.bytes.begin(), y.bytes.end(), [](unsigned char b) { return b == k_poison; });
  return quiet ? "" : "bytes beside the output were written";
}

}  // namespace

kernel_outcome run_softmax(const kernel_run& run) {
  kernel_outcome outcome;
  const softmax_case& c = run.of;
  backend& b = *backend_for(device_kind::hip);
  const auto traits = b.traits_of(run.arch);
  if (!traits) return outcome.failure = traits.status().to_string(), outcome;
  if (!b.compiler(*traits)) return outcome.skipped = true, outcome;

  rows_in_memory x(c, c.in, c.shift + c.x_shift, c.step), y(c, c.out, c.shift, 1);
  const std::vector<float> values =
      rowsmith::test::normal(c.rows * c.width, run.spread, static_cast<unsigned>(run.seed));
  for (std::int64_t r = 0; r < c.rows; ++r) {
    for (std::int64_t i = 0; i < c.width; ++i) {
      rowsmith::test::put(x.bytes.data() + x.offset(r, i), x.type, values[static_cast<std::size_t>(r * c.width + i)]);
    }
  }
  request q;
  q.op = op_id::softmax;
  q.options = c.out == dtype::f32 ? option_accurate_exp : 0;
  q.add(role::x, x.view());
  q.add(role::y, y.view());
  facts f;
  if (const status s = inspect(q, &f); !s.ok()) return outcome.failure = s.to_string(), outcome;
  const auto plan = make_plan(f.fixed, *traits);
  if (!plan) return outcome.failure = plan.status().to_string(), outcome;
  outcome.plan = to_string(*plan);
  std::vector<std::uint64_t> workspace(plan->workspace_bytes / 8 + 1);

  machine m(run.arch);
  m.map(x.begin(), x.size(), access::read);
  m.map(y.begin(), y.size());
  m.map(workspace.data(), workspace.size() * 8);
  for (const launch_plan& l : plan->launches) {
    const auto source = render(l, f.fixed, *traits);
    if (!source) return outcome.failure = source.status().to_string(), outcome;
    const auto made = b.compile(*source, *traits);
    if (!made) return outcome.failure = made.status().to_string() + made.status().detail(), outcome;
    const auto program = m.load(made->code);
    if (!program) return outcome.failure = program.status().to_string(), outcome;
    std::int64_t blocks = (c.rows + l.rows_per_block - 1) / l.rows_per_block;
    if (l.blocks_per_unit != 0) blocks = std::min<std::int64_t>(blocks, std::int64_t{l.blocks_per_unit} * run.units);
    const arguments packed(f, l.layout, c.rows, blocks, workspace.data());
    dispatch d;
    d.program = program->get();
    d.kernel = l.entry;
    d.grid[0] = static_cast<std::uint32_t>(blocks);
    d.block[0] = static_cast<std::uint32_t>(l.threads);
    d.dynamic_lds = static_cast<std::uint32_t>(l.dynamic_shared);
    d.kernarg = {static_cast<const std::byte*>(packed.data()), packed.size()};
    d.threads = run.threads;
    d.perturb_transcendentals = run.perturb;
    d.seed = run.seed;
    const auto counted = m.run(d);
    if (!counted) return outcome.failure = counted.status().to_string(), outcome;
    outcome.executed += *counted;
  }
  outcome.failure = compare(c, x, y, q.options != 0);
  return outcome;
}

}  // namespace rowsmith::gcn::test
