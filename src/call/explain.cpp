#include "rowsmith/explain.h"

#include <fmt/format.h>

#include "backend/backend.h"
#include "build/kernel_key.h"
#include "call/explain_request.h"
#include "call/runtime_state.h"
#include "call/softmax_request.h"
#include "inspect/expressions.h"
#include "inspect/inspect.h"
#include "model/any_width.h"
#include "plan/plan.h"
#include "render/render.h"

namespace rowsmith {

namespace {

constexpr std::uintptr_t pretended_base = std::uintptr_t{1} << 40;  // stands in for a null pointer: aligned to anything
constexpr std::uintptr_t pretended_step = std::uintptr_t{1} << 44;  // and far from the other operands

struct target_of_call {
  backend* vendor = nullptr;
  rowsmith::traits traits;
};

// A target by name is asked of every backend; without a name, the views' device is.
result<target_of_call> find_target(const std::string& name, device where) {
  if (name.empty()) {
    backend* b = backend_for(where.kind);
    if (b == nullptr) return status(code::unsupported, fmt::format("no {} backend in this build", name_of(where.kind)));
    result<device_info> info = b->describe(where.index);
    if (!info) return info.status();
    return target_of_call{b, std::move(info->traits)};
  }
  std::string reasons;
  for (const device_kind kind : {device_kind::host, device_kind::cuda, device_kind::hip, device_kind::null}) {
    backend* b = backend_for(kind);
    if (b == nullptr) continue;
    if (result<traits> t = b->traits_of(name); t)
      return target_of_call{b, std::move(*t)};
    else
      reasons += fmt::format("{}: {}\n", name_of(kind), t.status().message());
  }
  return status(code::unsupported,
                fmt::format("target: \"{}\" is none that a backend knows (host, sm_90, gfx906, …)", name))
      .with_detail(reasons);
}

void read_machine_code(const source& s, const target_of_call& target, launch_explanation* out) {
  const result<binary> made = target.vendor->compile(s, target.traits);
  if (!made) {
    out->compile_error = made.status().to_string();
    if (!made.status().detail().empty()) out->compile_error += "\n" + made.status().detail();
    return;
  }
  out->compiled = true;
  out->compile_ms = made->compile_ms;
  const result<code_report> read = target.vendor->report(made->code, target.traits, s.entry);
  if (!read) {
    out->compile_error = read.status().to_string();
    return;
  }
  out->registers = read->registers;
  out->spills = read->spills;
  out->local_bytes = read->local_bytes;
  out->shared_bytes = read->shared_bytes;
  out->wide_loads = read->wide_loads;
  out->wide_stores = read->wide_stores;
  out->narrow_loads = read->narrow_loads;
  out->narrow_stores = read->narrow_stores;
  out->barriers = read->barriers;
  out->instructions = read->instructions;
}

// Which width the call's kernel is for, and why; a class of any width where the process would answer by one now. Empty
// for ops whose kernels know no width.
std::string settle_width(const request& r, shape_class* c) {
  if (c->asks_for(ask_any_width)) return "width any, as the call says: its kernel learns the width at run time";
  if (!has_bucket(*c)) return {};
  if ((r.flags & request_exact_width) != 0) return "width exact, as the call says";
  const width_book& widths = the_runtime().widths;
  const bool settled = (r.flags & (request_deterministic | request_batch_invariant)) != 0 || r.workspace != nullptr;
  if (settled && widths.automatic() == width_mode::automatic) {
    return "width exact: calls that are deterministic, batch-invariant or bring a workspace do not change kernels";
  }
  std::string why;
  if (widths.tell(*c, &why) == width_mode::any) *c = any_width_class(*c);
  return why;
}

}  // namespace

result<explanation> explain_request(request r, const explain_options& how) {
  for (int k = 0; k < r.operand_count; ++k) {
    if (r.operands[k].what == role::causal) continue;  // its data is a number
    if (void*& data = r.operands[k].view.data; data == nullptr) {
      data = reinterpret_cast<void*>(pretended_base + static_cast<std::uintptr_t>(k) * pretended_step);
    }
  }
  facts f;
  if (status refused = inspect(r, &f); !refused.ok()) return refused;
  const result<target_of_call> target = find_target(how.target, r.operands[0].view.device);
  if (!target) return target.status();
  f.fixed.vendor = target->vendor->kind();

  explanation e;
  if (f.call.nothing) {
    e.target = target->traits.arch;
    e.why.emplace_back("no elements: nothing is launched");
    return e;
  }
  if (status s = check_expressions(f.fixed); !s) return s;
  std::string width = settle_width(r, &f.fixed);
  const result<plan> p = make_plan(f.fixed, target->traits);
  if (!p) return p.status();
  e.facts = to_string(f.fixed);
  e.target = target->traits.arch;
  e.plan = to_string(*p);
  e.why = p->why;
  if (!width.empty()) e.why.push_back(std::move(width));
  for (const rejection& no : p->rejected) e.rejected.emplace_back(no.what, no.why);
  e.workspace_bytes = p->workspace_bytes;
  const result<compiler_id> who = target->vendor->compiler(target->traits);
  for (const launch_plan& l : p->launches) {
    const result<source> s = render(l, f.fixed, target->traits);
    if (!s) return s.status();
    const cache::key key = key_of(*s, f.fixed, target->traits, who ? &*who : nullptr);
    launch_explanation out;
    out.strategy = name_of(l.how);
    out.entry = l.entry;
    out.source = s->text;
    out.instantiation = s->instantiation;
    out.key = key.text();
    out.digest = key.what_digest();
    if (how.compile) read_machine_code(*s, *target, &out);
    e.launches.push_back(std::move(out));
  }
  return e;
}

result<explanation> explain_softmax(const const_tensor_view& x, const tensor_view& y, const softmax_options& options,
                                    const explain_options& how) {
  if (status s = check(options); !s.ok()) return s;
  return explain_request(softmax_request(x, y, options, {}), how);
}

}  // namespace rowsmith
