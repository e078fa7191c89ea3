#include "call/dispatch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/failure.h"
#include "call/runtime_state.h"
#include "deploy/record.h"
#include "inspect/expressions.h"
#include "inspect/inspect.h"
#include "model/any_width.h"

namespace rowsmith {

namespace {

void trace(const shape_class& c, const executable& e) {
  call_trace& t = this_threads_trace();
  t.strategy = name_of(e.how());
  t.source = name_of(e.from());
  t.backend = name_of(c.vendor);
  std::memset(t.digest, 0, sizeof t.digest);
  std::memcpy(t.digest, e.digest().data(), std::min(e.digest().size(), sizeof t.digest - 1));
}

// A loaded kernel of a class that promises less (alignment, density) is right for this class too, if not as fast.
const executable* nearer(const kernel_table& table, const shape_class& c) noexcept {
  const std::uint8_t promises = c.flags & (fact_dense | fact_same_phase);
  for (const std::uint8_t align : {16, 8, 4, 2, 1}) {
    for (const std::uint8_t without : {0, int{fact_same_phase}, int{fact_dense}, fact_dense | fact_same_phase}) {
      if ((without & ~promises) != 0) continue;
      shape_class weaker = c;
      weaker.flags = static_cast<std::uint8_t>(c.flags & ~without);
      for (int k = 0; k < c.operand_count; ++k) weaker.operands[k].align = std::min(c.operands[k].align, align);
      const kernel_table::entry* e = table.find(weaker);
      if (e == nullptr || e->provisional.load(std::memory_order_acquire)) continue;
      const executable* kernel = e->current.load(std::memory_order_acquire);
      if (kernel->from() != origin::fallback) return kernel;
    }
  }
  return nullptr;
}

// What can answer at once, now in the table; the kernel itself is built in the background. Null where nothing can.
const executable* stand_in(runtime_state& run, const shape_class& c) {
  const kernel_table::entry* e = nullptr;
  std::vector<cache::key> in_use;
  if (result<builder::found> found = run.cold.find(c)) {
    in_use = std::move(found->keys);
    e = run.table.put(c, std::move(found->kernel));  // a kernel like any other; at most another compiler's
  } else if (const executable* lent = nearer(run.table, c); lent != nullptr) {
    e = run.table.lend(c, *lent);
  } else if (run.cold.fallback_at_hand(c)) {
    builder::answer scalar = run.cold.build_fallback(c);
    if (!scalar) return nullptr;
    e = run.table.put(c, std::move(*scalar), true);
  }
  if (e == nullptr) return nullptr;
  run.cold.build_later(c, std::move(in_use));
  return e->current.load(std::memory_order_acquire);
}

result<const executable*> build(runtime_state& run, const shape_class& c) {
  builder::answer built = run.cold.build(c);
  if (!built) return built.status();
  return run.table.put(c, std::move(*built))->current.load(std::memory_order_acquire);
}

// In a capture nothing is compiled: only what is loaded can be used, or the fallback where the call asks for it.
result<const executable*> answer_in_capture(runtime_state& run, const shape_class& c, std::uint8_t flags,
                                            const kernel_table::entry* known) {
  if ((flags & request_capture_fallback) == 0) {
    return status(code::would_compile,
                  fmt::format("{} is {} and its stream is being captured: prepare it, or call it once, before the "
                              "capture",
                              to_string(c), known == nullptr ? "not loaded" : "still being built"));
  }
  if (known != nullptr) return known->current.load(std::memory_order_acquire);
  builder::answer scalar = run.cold.build_fallback(c);
  if (!scalar) return scalar.status();
  return run.table.put(c, std::move(*scalar), true)->current.load(std::memory_order_acquire);
}

status no_such_device(const shape_class& c) {
  backend* b = backend_for(c.vendor);
  if (b == nullptr) {
    return status(code::invalid_argument,
                  fmt::format("x: device kind {} is none of host, cuda, hip, null", static_cast<int>(c.vendor)));
  }
  return b->describe(static_cast<int>(c.device_index)).status();
}

// May the kernel of this call's width be its bucket's? What promises the same bits at every call, or has measured its
// workspace, does not change kernels.
bool leaves_width_open(const runtime_state& run, const request& r, const shape_class& c) noexcept {
  if (run.env.force_scalar || (r.flags & (request_exact_width | request_any_width)) != 0 || !has_bucket(c))
    return false;
  const bool settled = (r.flags & (request_deterministic | request_batch_invariant)) != 0 || r.workspace != nullptr;
  return run.widths.automatic() == width_mode::any || !settled;
}

// A kernel of this very width that lies ready, on a disk: it is as good as one of the first.
bool found_exact(runtime_state& run, const shape_class& c) {
  result<builder::found> found = run.cold.find(c);
  if (!found) return false;
  run.table.put(c, std::move(found->kernel));
  run.widths.settle(c, width_mode::exact);
  return true;
}

// Is the call answered by its bucket's kernel? In a capture nothing is decided.
bool goes_by_bucket(runtime_state& run, const request& r, const shape_class& c, bool capturing) {
  if (!leaves_width_open(run, r, c)) return false;
  if (capturing) return run.widths.is_by_any(c);
  bool first = false;
  const width_mode m = run.widths.ask(c, &first);
  if (!first || run.widths.automatic() != width_mode::automatic) return m == width_mode::any;
  if (m == width_mode::any) return !found_exact(run, c);
  if (run.env.compile != compile_policy::never || found_exact(run, c)) return false;
  // Nothing is compiled, and there is none of this width: one of its bucket will do.
  const shape_class any = any_width_class(c);
  if (run.table.find(any) == nullptr) {
    result<builder::found> found = run.cold.find(any);
    if (!found) return false;
    run.table.put(any, std::move(found->kernel));
  }
  run.widths.settle(c, width_mode::any);
  return true;
}

struct bucket_call {
  request r;
  facts f;
};

// The same call, asking for its bucket's kernel.
bucket_call by_bucket(const request& r, const facts& f) noexcept {
  bucket_call b{r, f};
  b.r.flags |= request_any_width;
  b.f.fixed = any_width_class(f.fixed);
  return b;
}

status call_cold(runtime_state& run, const facts& f, const request& r, const kernel_table::entry* known) noexcept;

// The class stays one that is looked at twice, until it has a kernel of its own: so its calls are counted.
status call_by_bucket(runtime_state& run, const facts& f, const request& r, bool known, bool capturing) {
  const bucket_call b = by_bucket(r, f);
  const kernel_table::entry* e = run.table.find(b.f.fixed);
  const bool loaded = e != nullptr && !e->provisional.load(std::memory_order_acquire);
  status built = loaded ? status() : call_cold(run, b.f, b.r, e);
  if (!loaded) e = run.table.find(b.f.fixed);
  if (!built.ok() || e == nullptr) return built;
  const executable& kernel = *e->current.load(std::memory_order_acquire);
  if (!known && !e->provisional.load(std::memory_order_acquire)) {
    run.table.lend(f.fixed, kernel);
    trace(f.fixed, kernel);
  }
  if (!loaded) return built;
  const bool builds = !capturing && run.env.compile != compile_policy::never;
  if (builds && run.widths.count(f.fixed)) run.cold.build_later(f.fixed);
  return kernel.run(b.f, r.on);
}

// A class that the table does not hold, or for which something only stands in. Compiling and loading are illegal while
// a stream is captured into a graph, and would break the capture; that is asked before anything is touched.
[[gnu::cold, gnu::noinline]] status call_cold(runtime_state& run, const facts& f, const request& r,
                                              const kernel_table::entry* known) noexcept try {
  const shape_class& c = f.fixed;
  const bool fresh = known == nullptr;
  if (fresh) {
    ++run.misses;
    status refused = check_expressions(c);
    if (refused.ok()) refused = no_such_device(c);
    if (!refused.ok()) return record(run.env.record, r, f), refused;
  }
  const result<bool> capturing = backend_for(c.vendor)->capturing(static_cast<int>(c.device_index), r.on);
  if (!capturing) {
    if (fresh) record(run.env.record, r, f);
    return capturing.status();
  }

  if (goes_by_bucket(run, r, c, *capturing)) return call_by_bucket(run, f, r, known != nullptr, *capturing);
  if (known == nullptr) {
    record(run.env.record, r, f);
    known = run.table.find(c);  // it may have lain ready on a disk
  }
  const executable* kernel = nullptr;
  if (known != nullptr && !known->provisional.load(std::memory_order_acquire)) {
    kernel = known->current.load(std::memory_order_acquire);
  } else if (*capturing) {
    const result<const executable*> loaded = answer_in_capture(run, c, r.flags, known);
    if (!loaded) return loaded.status();
    kernel = *loaded;
  } else if (run.env.compile == compile_policy::background && !run.env.force_scalar &&
             (r.flags & (request_deterministic | request_batch_invariant)) == 0) {
    if (known == nullptr) {
      kernel = stand_in(run, c);
    } else {
      run.cold.build_later(c);  // as a rule it has been asked for
      kernel = known->current.load(std::memory_order_acquire);
    }
  }
  if (kernel == nullptr) {
    const result<const executable*> built = build(run, c);
    if (!built) return built.status();
    kernel = *built;
  }
  if (fresh) trace(c, *kernel);
  return kernel->run(f, r.on);
} catch (const std::bad_alloc&) {
  return status(code::out_of_memory, "no host memory for a cold call");
} catch (const std::exception& e) {
  return failure(code::internal, "a cold call threw: {}", e.what());
}

// A launch that failed says little; a stream of another device is the usual reason, and can be told.
[[gnu::cold, gnu::noinline]] status explain_failure(const device& where, stream on, status failed) noexcept try {
  const result<bool> capturing = backend_for(where.kind)->capturing(where.index, on);
  if (!capturing && capturing.status().error() == code::invalid_argument) return capturing.status();
  return failed;
} catch (const std::bad_alloc&) {
  return failed;
}

// What is known ahead of a call of this form, from now on. Without memory for it calls go on as before.
[[gnu::cold, gnu::noinline]] void remember(runtime_state& run, const call_form& form, const request& r, const facts& f,
                                           const kernel_table::entry& by) noexcept try {
  if (run.memo.full()) return;
  run.memo.remember(form, known_launch::of(r, f, by));
} catch (const std::bad_alloc&) {
}

// A call that is inspected. `form`: what to remember it by; null: not at all.
[[gnu::noinline]] status call_inspected(runtime_state& run, const request& r, const call_form* form) noexcept {
  facts f;
  if (status refused = inspect(r, &f); !refused.ok()) return refused;
  if (f.call.nothing) return {};
  const kernel_table::entry* known = run.table.find(f.fixed);
  if (known == nullptr || known->provisional.load(std::memory_order_acquire)) [[unlikely]] {
    return call_cold(run, f, r, known);
  }
  status launched = known->current.load(std::memory_order_acquire)->run(f, r.on);
  if (!launched.ok())
    return explain_failure({f.fixed.vendor, static_cast<int>(f.fixed.device_index)}, r.on, std::move(launched));
  if (form != nullptr) remember(run, *form, r, f, *known);
  return launched;
}

}  // namespace

[[gnu::hot]] status dispatch(const request& r) noexcept try {
  runtime_state& run = the_runtime();
  const call_form form(r);
  if (!form.usable()) return call_inspected(run, r, nullptr);
  const known_launch* known = run.memo.find(form);
  if (known == nullptr || !known->is_current()) return call_inspected(run, r, &form);
  if (!known->fits(r)) return call_inspected(run, r, nullptr);
  status launched = known->launch(r);
  if (!launched.ok()) [[unlikely]]
    return explain_failure(r.operands[0].view.device, r.on, std::move(launched));
  return launched;
} catch (const std::bad_alloc&) {  // of the first call of all, which makes the runtime
  return status(code::out_of_memory, "no host memory for a call");
}

result<std::size_t> workspace_bytes(const request& call) {
  request r = call;
  if (the_runtime().widths.automatic() != width_mode::any && (r.flags & request_any_width) == 0) {
    r.flags |= request_exact_width;  // as the call will be, that brings it
  }
  if (status s = prepare(r); !s.ok()) return s;
  facts f;
  if (status refused = inspect(r, &f); !refused.ok()) return refused;
  if (f.call.nothing) return std::size_t{0};
  const kernel_table::entry* known = the_runtime().table.find(f.fixed);
  if (known == nullptr) return status(code::internal, "a kernel that was prepared is not there");
  return known->current.load(std::memory_order_acquire)->workspace_bytes(f);
}

status prepare(const request& r) noexcept try {
  facts f;
  if (status refused = inspect(r, &f); !refused.ok()) return refused;
  if (f.call.nothing) return {};
  runtime_state& run = the_runtime();
  const kernel_table::entry* known = run.table.find(f.fixed);
  if (known != nullptr && !known->provisional.load(std::memory_order_acquire)) return {};
  if (status s = check_expressions(f.fixed); !s) return s;
  if (status none = no_such_device(f.fixed); !none) return none;
  if (goes_by_bucket(run, r, f.fixed, false)) {
    const bucket_call b = by_bucket(r, f);
    if (status s = prepare(b.r); !s.ok()) return s;
    const kernel_table::entry* e = run.table.find(b.f.fixed);
    if (e == nullptr) return status(code::internal, "a kernel that was prepared is not there");
    run.table.lend(f.fixed, *e->current.load(std::memory_order_acquire));
    return {};
  }
  if (const kernel_table::entry* ready = run.table.find(f.fixed);
      ready != nullptr && !ready->provisional.load(std::memory_order_acquire)) {
    return {};
  }
  const result<const executable*> built = build(run, f.fixed);
  if (!built) return built.status();
  trace(f.fixed, **built);
  return {};
} catch (const std::bad_alloc&) {
  return status(code::out_of_memory, "no host memory to prepare a call");
} catch (const std::exception& e) {
  return failure(code::internal, "preparing a call threw: {}", e.what());
}

}  // namespace rowsmith
