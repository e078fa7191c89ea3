#include "compile/promises.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <utility>

#include "backend/backend.h"
#include "inspect/inspect.h"
#include "plan/plan.h"
#include "render/render.h"

namespace rowsmith::test {
namespace {

// One launch of one call.
struct kernel {
  std::string of;  // the call, its class and its plan, for people
  launch_plan how;
  op_id op;
  source text;
};

void add_kernels(const named_request& what, const target_name& target, const traits& t, std::vector<kernel>* all) {
  SCOPED_TRACE(what.name);
  facts f;
  const status fits = inspect(what.call, &f);
  ASSERT_TRUE(fits.ok()) << fits.to_string();
  f.fixed.vendor = target.vendor;
  const auto p = make_plan(f.fixed, t);
  ASSERT_TRUE(p.ok()) << p.status().to_string();
  for (const launch_plan& l : p->launches) {
    const auto s = render(l, f.fixed, t);
    ASSERT_TRUE(s.ok()) << s.status().to_string();
    all->push_back({what.name + "\n" + to_string(f.fixed) + "\n" + to_string(*p), l, f.fixed.op, *s});
  }
}

std::vector<kernel> kernels_of(std::span<const named_request> calls, const target_name& target) {
  std::vector<kernel> all;
  const auto t = backend_for(target.vendor)->traits_of(target.arch);
  EXPECT_TRUE(t.ok()) << t.status().to_string();
  if (!t) return all;
  for (const named_request& c : calls) add_kernels(c, target, *t, &all);
  return all;
}

// What a kernel is made of, but for the wave size that its plan counted on.
std::string form_of(const kernel& k) {
  const std::string& text = k.text.instantiation;
  const std::size_t from = text.find("static_assert(wave_size");
  return from == std::string::npos ? text : text.substr(0, from) + text.substr(text.find('\n', from));
}

// Of the kernels: those of another form than the known ones, and of each entry the first and the last one, which holds
// most.
std::vector<kernel> chosen(std::vector<kernel> all, const std::vector<kernel>& known_ones) {
  std::set<std::string> known;
  for (const kernel& k : known_ones) known.insert(form_of(k));
  std::map<std::string, std::pair<std::size_t, std::size_t>> ends;  // of an entry: its first and its last kernel
  for (std::size_t i = 0; i < all.size(); ++i) ends.try_emplace(all[i].text.entry, i, i).first->second.second = i;
  std::vector<kernel> some;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto [first, last] = ends[all[i].text.entry];
    if (i == first || i == last || known.count(form_of(all[i])) == 0) some.push_back(std::move(all[i]));
  }
  return some;
}

// What of a target's kernels is compiled where not all of them are.
std::vector<kernel> some_of(std::vector<kernel> all, std::span<const named_request> calls, const target_name& target) {
  if (target.vendor == device_kind::cuda) {
    constexpr target_name leader{device_kind::cuda, "sm_90"};
    if (std::string_view(leader.arch) == target.arch) return all;
    return chosen(std::move(all), kernels_of(calls, leader));
  }
  const std::vector<kernel> known_ones = all;
  return chosen(std::move(all), known_ones);
}

void expect_kept(const launch_plan& l, op_id op, const code_report& code, bool scalar_spills_count) {
  // A block that holds two tensors side by side may spill, and its plan then bounds no register.
  const bool may_spill = l.how == mechanism::block && l.register_budget == 0;
  if (!may_spill) {
    EXPECT_EQ(code.local_bytes, 0);
    if (scalar_spills_count) {
      EXPECT_EQ(code.spills, 0);
    }
  }
  if (l.register_budget != 0) {
    EXPECT_LE(code.registers, l.register_budget);
  }
  EXPECT_GE(code.barriers, l.barriers);
  if (l.wide_access) {
    EXPECT_GT(code.wide_loads, 0);
  }
  if (l.wide_access && op != op_id::moments) {
    EXPECT_GT(code.wide_stores, 0);
  }
}

}  // namespace

void expect_promises_kept(std::span<const named_request> calls, const target_name& target, scalar_spills spills) {
  backend& b = *backend_for(target.vendor);
  const auto t = b.traits_of(target.arch);
  ASSERT_TRUE(t.ok()) << t.status().to_string();
  if (const auto who = b.compiler(*t); !who) GTEST_SKIP() << who.status().to_string();
  std::vector<kernel> kernels = kernels_of(calls, target);
  ASSERT_GE(kernels.size(), calls.size());
  if (!compiles_all()) kernels = some_of(std::move(kernels), calls, target);
  for (const kernel& k : kernels) {
    SCOPED_TRACE(k.of);
    const auto made = b.compile(k.text, *t);
    ASSERT_TRUE(made.ok()) << made.status().to_string() << "\n" << made.status().detail();
    const auto report = b.report(made->code, *t, k.text.entry);
    ASSERT_TRUE(report.ok()) << report.status().to_string();
    expect_kept(k.how, k.op, *report, spills == scalar_spills::counted);
  }
}

void expect_no_local_memory(const launch_explanation& l, const target_name& target) {
  if (!l.compiled && l.compile_error.rfind("not_found", 0) == 0) GTEST_SKIP() << l.compile_error;
  ASSERT_TRUE(l.compiled) << l.strategy << ": " << l.compile_error;
  EXPECT_EQ(l.local_bytes, 0) << l.strategy;
  if (target.vendor == device_kind::cuda) {
    EXPECT_EQ(l.spills, 0) << l.strategy;
  }
}

}  // namespace rowsmith::test
