// rowsmith run OP: draws inputs, calls the op cold, reloaded and warm, and compares the result with float64.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <utility>

#include "cli/call_memory.h"
#include "cli/op_check.h"
#include "cli/run_report.h"
#include "cli/verbs.h"
#include "rowsmith/explain.h"

namespace rowsmith::cli {

namespace {

struct run_arguments {
  op_words call;
  std::string device, dist = "normal:0:1";
  int repeat = 11;
  std::uint64_t seed = 0;
  bool in_place = false, check = true, as_json = false;
};

// The arguments as values.
struct run_plan {
  op_setup call;
  distribution dist;
  device_description where;
};

// The device that was asked for, else the first accelerator, else the host. One that does not answer keeps its number:
// the library then says why.
result<device_description> choose_device(const std::string& text) {
  device_description chosen;
  if (!text.empty()) {
    const auto d = parse_device(text);
    if (!d) return d.status();
    chosen.device = *d;
  }
  for (const device_description& d : devices()) {
    if (text.empty() ? d.device.kind != device_kind::host : d.device == chosen.device) return d;
    if (text.empty() && d.device == chosen.device) chosen = d;
  }
  return chosen;
}

status check_in_place(const run_arguments& a, const op_setup& s) {
  if (!a.in_place) return {};
  const tensor_setup &x = s.main_input(), &y = s.main_output();
  if (x.type != y.type) {
    return status(code::invalid_argument,
                  fmt::format("--out-dtype: found \"{}\", in place {} is allowed", name_of(y.type), name_of(x.type)));
  }
  if (x.extents == y.extents && x.strides == y.strides && !x.output) return {};
  return status(code::invalid_argument, fmt::format("--in-place: {} has another shape than {}", y.role, x.role));
}

result<run_plan> plan_run(const run_arguments& a) {
  run_plan p;
  const auto take = [](auto parsed, auto* into) -> status {
    if (!parsed) return parsed.status();
    *into = std::move(*parsed);
    return {};
  };
  if (status s = take(setup_of(a.call), &p.call); !s) return s;
  if (status s = take(parse_distribution(a.dist), &p.dist); !s) return s;
  if (status s = check_in_place(a, p.call); !s) return s;
  if (a.repeat < 1)
    return status(code::invalid_argument, fmt::format("--repeat: found {}, 1 or more is allowed", a.repeat));
  if (status s = take(choose_device(a.device), &p.where); !s) return s;
  return p;
}

run_report describe(const run_arguments& a, const run_plan& p) {
  run_report r;
  r.call = p.call;
  r.device = to_string(p.where.device);
  r.device_name = p.where.name;
  r.dist = to_string(p.dist);
  r.in_place = a.in_place;
  r.seed = a.seed;
  return r;
}

result<run_report> measure(const run_arguments& a, const run_plan& p) {
  const device where = p.where.device;
  const auto memory = call_memory::make(p.call, where, a.in_place);
  if (!memory) return memory.status();
  const op_call op = call_of(p.call, where, memory->data());
  const auto call = [&] { return op.run(); };
  const auto wait = [&] { return synchronize(where); };
  const auto timed = [&](double* milliseconds) -> status {
    const stopwatch watch;
    if (status s = call(); !s) return s;
    if (status s = wait(); !s) return s;
    *milliseconds = watch.seconds() * 1e3;
    return {};
  };

  std::vector<host_memory> tensors = draw_operands(p.call, p.dist, a.seed);
  if (status s = memory->write(p.call, tensors); !s) return s;

  run_report r = describe(a, p);
  if (status s = timed(&r.cold_ms); !s) return s;
  const call_trace first = last_cold_call();
  r.strategy = first.strategy;
  r.source = first.source;
  r.key = first.digest;

  // Now, since in place later calls eat their own results. The null device computes nothing.
  if (a.check && where.kind != device_kind::null) {
    if (status s = memory->read(p.call, &tensors); !s) return s;
    r.checked = compare(call_tensors(p.call, tensors));
  }

  forget_kernels();
  if (status s = timed(&r.reload_ms); !s) return s;
  r.reload_source = last_cold_call().source;
  const auto workspace = op.workspace_bytes();
  if (!workspace) return workspace.status();
  r.workspace_bytes = *workspace;

  const auto warm = time_warm(call, wait, a.repeat);
  if (!warm) return warm.status();
  r.warm = *warm;
  r.gb_per_s = bytes_moved(p.call) / r.warm.done_seconds * 1e-9;
  return r;
}

int run(const run_arguments& a) {
  const auto plan = plan_run(a);
  if (!plan) return fail(plan.status());
  const auto report = measure(a, *plan);
  if (!report) return fail(report.status());
  if (a.as_json) {
    print_json(as_object(*report));
  } else {
    print_text(as_text(*report));
  }
  if (report->within_tolerance()) return exit_ok;
  return fail(
      {code::corrupt, fmt::format("the result is out of tolerance: an error is {:.3g} times what its element is "
                                  "allowed",
                                  report->checked->worst_of_bound())});
}

}  // namespace

void add_run(CLI::App& app, int* exit) {
  auto a = std::make_shared<run_arguments>();
  CLI::App* verb = app.add_subcommand(
      "run",
      "Calls an op on drawn inputs: first call, reloaded, warm; bandwidth, and error against float64 (of evenly "
      "spread rows above 64 Mi elements). Ends with 7 when the result is out of tolerance");
  add_op_words(verb, &a->call);
  verb->add_option("--device", a->device,
                   "host, cuda:N or hip:N; the first accelerator, else the host, when not given");
  verb->add_flag("--in-place", a->in_place, "Write over the first input");
  verb->add_option("--dist", a->dist, "normal:MEAN:STD or uniform:LO:HI")->capture_default_str();
  verb->add_option("--seed", a->seed, "The same on every machine")->capture_default_str();
  verb->add_option("--repeat", a->repeat, "Timed batches of warm calls")->capture_default_str();
  verb->add_flag("--check,!--no-check", a->check, "Compare with float64 (the default)");
  verb->add_flag("--json", a->as_json, "Print one JSON object");
  verb->callback([a, exit] { *exit = run(*a); });
}

}  // namespace rowsmith::cli
