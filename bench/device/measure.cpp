#include "measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "case_tensors.h"
#include "naive_kernel.h"
#include "rowsmith/rowsmith.h"

namespace rowsmith::bench {

namespace {

constexpr device gpu{device_kind::cuda, 0};
constexpr int rounds = 15, fewest_calls = 24;
// The naive kernel adds up in fp32, whatever the length: it is a yardstick, not a result, but must compute the same.
constexpr double most_naive_of_bound = 200;
constexpr double even = 0.05;  // reads and writes that differ by less are copied by the driver, too

// One call on set 0, which is poisoned before, and how far off its results are.
template <class Run>
result<cli::comparison> checked(case_tensors* t, const graph_timer& timer, Run&& run) {
  if (status s = t->poison(); !s) return s;
  if (status s = run(); !s) return s;
  if (status s = synchronize(gpu, timer.work()); !s) return s;
  return t->check();
}

status measure_ours(const std::vector<op_call>& calls, case_tensors* t, const graph_timer& timer, measured* m) {
  forget_kernels();  // so that the trace tells of this case, whatever ran before
  const auto found = checked(t, timer, [&] { return calls[0].run(timer.work()); });
  if (!found) return found.status();
  m->strategy = last_cold_call().strategy;
  m->of_bound = found->worst_of_bound();
  if (m->of_bound <= 1 && found->rows_checked > 0) return {};
  return status(code::corrupt, fmt::format("an error is {:.3g} times what its element is allowed", m->of_bound));
}

status measure_yardsticks(const std::vector<op_call>& calls, const case_tensors& t, const graph_timer& timer,
                          const own_kernels& own, measured* m) {
  const auto [reads, writes] = t.moved();
  const bool both = std::fabs(static_cast<double>(reads) - static_cast<double>(writes)) <=
                    even * static_cast<double>(std::max(reads, writes));
  std::vector<enqueued> all = {
      [&](int i, stream on) { return calls[static_cast<std::size_t>(i) % calls.size()].run(on); },
      [&](int, stream on) { return own.empty(on); }};
  for (int which = 0; which < own.copies(); ++which) {
    all.push_back([&, which, r = reads, w = writes](int i, stream on) {
      return own.copy(which, t.copy_to(i), t.copy_from(i), r, w, on);
    });
  }
  if (both) {
    all.push_back(
        [&, n = (reads + writes) / 2](int i, stream on) { return timer.copy(t.copy_to(i), t.copy_from(i), n, on); });
  }
  const auto us = timer.median_us(std::max(t.sets(), fewest_calls), rounds, all);
  if (!us) return us.status();
  m->ours_us = (*us)[0];
  m->empty_us = (*us)[1];
  m->copy_us = *std::min_element(us->begin() + 2, us->end());
  m->bytes = static_cast<double>(reads + writes);
  return {};
}

status measure_naive(const bench_case& c, case_tensors* t, const graph_timer& timer, measured* m) {
  auto text = naive_text(t->setup(), c.call.expr);
  if (!text) return {};
  const auto naive = naive_kernel::build(t->setup(), std::move(*text));
  if (!naive) return naive.status();
  const auto found = checked(t, timer, [&] { return naive->run(t->pointers(0), timer.work()); });
  if (!found) return found.status();
  if (!(found->worst_of_bound() <= most_naive_of_bound)) {
    m->naive_problem = fmt::format("its error is {:.3g} times what an element is allowed", found->worst_of_bound());
    return {};
  }
  const enqueued run = [&](int i, stream on) { return naive->run(t->pointers(i), on); };
  constexpr double slow = 10e3;  // some take hundreds of milliseconds
  auto us = timer.median_us(1, 1, run);
  if (us && *us < slow) us = timer.median_us(t->sets(), 5, run);
  if (!us) return us.status();
  m->naive_us = *us;
  return {};
}

}  // namespace

result<measured> measure(const bench_case& c, const graph_timer& timer, const own_kernels& own) {
  const auto setup = cli::setup_of(c.call);
  if (!setup) return setup.status();
  auto t = case_tensors::make(c, *setup, gpu);
  if (!t) return t.status();
  std::vector<op_call> calls;
  for (int i = 0; i < t->sets(); ++i) calls.push_back(cli::call_of(*setup, gpu, t->pointers(i)));

  measured m;
  if (status s = measure_ours(calls, &*t, timer, &m); !s) return s;
  if (status s = measure_yardsticks(calls, *t, timer, own, &m); !s) return s;
  if (status s = measure_naive(c, &*t, timer, &m); !s) return s;
  return m;
}

nlohmann::json row_of(const bench_case& c, const measured& m) {
  return {{"case", c.name},
          {"op", c.call.op},
          {"dtype", dtype_text(c)},
          {"shape", c.call.shape},
          {"strategy", m.strategy},
          {"naive_us", m.naive_us},
          {"ours_us", m.ours_us},
          {"ours_gbps", m.bytes / m.ours_us / 1e3},
          {"copy_gbps", m.bytes / m.copy_us / 1e3},
          {"x_copy", m.copy_us / m.ours_us},
          {"goal", c.goal.of_copy},
          {"empty_us", m.empty_us},
          {"goal_us", c.goal.over_empty_us == 0 ? 0.0 : m.empty_us + c.goal.over_empty_us}};
}

namespace {

nlohmann::json numbers(const window_axes& w) { return std::vector<std::int64_t>(w.at, w.at + w.count); }

}  // namespace

result<nlohmann::json> description_of(const bench_case& c) {
  const auto s = cli::setup_of(c.call);
  if (!s) return s.status();
  nlohmann::json d = {{"case", c.name},   {"op", c.call.op},     {"dtype", dtype_text(c)}, {"shape", c.call.shape},
                      {"axes", s->inner}, {"expr", c.call.expr}, {"shift", c.shift}};
  d["causal"] = s->causal ? nlohmann::json(*s->causal) : nlohmann::json();
  for (const op_info::scalar& one : s->op.scalars) d["scalars"][std::string(one.name)] = s->scalar(one.name);
  for (const cli::tensor_setup& t : s->tensors) {
    d["tensors"].push_back({{"role", t.role},
                            {"dtype", name_of(t.type)},
                            {"shape", t.extents},
                            {"strides", t.strides},
                            {"output", t.output},
                            {"rows_from", t.rows_from}});
  }
  if (c.index) {
    const window_order& w = *c.index;
    d["window"] = {{"dims", numbers(w.dims)},   {"window", numbers(w.window)}, {"shift", numbers(w.shift)},
                   {"front", numbers(w.front)}, {"back", numbers(w.back)},     {"restores", w.restores}};
  }
  return d;
}

}  // namespace rowsmith::bench
