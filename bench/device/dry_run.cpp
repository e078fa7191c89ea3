#include "dry_run.h"

#include <cstdint>
#include <vector>

#include "kernel_builder.h"
#include "naive_kernel.h"
#include "rowsmith/rowsmith.h"

namespace rowsmith::bench {

namespace {

// Addresses that nobody reads: far apart, so that nothing overlaps, and aligned as the case says.
std::vector<void*> pretended(const bench_case& c, const cli::op_setup& s) {
  std::vector<void*> pointers;
  for (const cli::tensor_setup& t : s.tensors) {
    const bool is_float = t.type == dtype::f32 || t.type == dtype::f16 || t.type == dtype::bf16;
    const std::uintptr_t base = (pointers.size() + 1) << 40;
    pointers.push_back(
        reinterpret_cast<void*>(base + (is_float ? static_cast<unsigned>(c.shift) * size_of(t.type) : 0)));
  }
  return pointers;
}

}  // namespace

result<planned> plan_on(const std::string& target, const bench_case& c, std::set<std::string>* compiled) {
  const auto setup = cli::setup_of(c.call);
  if (!setup) return setup.status();
  const op_call call = cli::call_of(*setup, {device_kind::cuda, 0}, pretended(c, *setup));
  const auto found = call.explain({.target = target, .compile = false});
  if (!found) return found.status();
  planned p;
  for (const launch_explanation& l : found->launches) {
    p.strategy += (p.strategy.empty() ? "" : "+") + l.strategy;
    if (p.instantiation.empty()) p.instantiation = l.instantiation;
  }
  if (auto text = naive_text(*setup, c.call.expr); text && compiled->insert(*text).second) {
    const auto traits = backend_for(device_kind::cuda)->traits_of(target);
    if (!traits) return traits.status();
    const auto made = compile_own(naive_entry, std::move(*text), *traits);
    if (!made) return made.status();
  }
  return p;
}

}  // namespace rowsmith::bench
