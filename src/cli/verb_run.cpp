// rowsmith run OP: draws inputs, calls the op cold, reloaded and warm, and compares the result with float64.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <utility>

#include "cli/run_report.h"
#include "cli/tensor_maker.h"
#include "cli/verbs.h"
#include "rowsmith/explain.h"

namespace rowsmith::cli {

namespace {

struct run_arguments {
  std::string op, shape, type, out_type, device, exp = "by_output", dist = "normal:0:1";
  int axis = -1, repeat = 11;
  std::uint64_t seed = 0;
  bool in_place = false, check = true, as_json = false;
};

// The arguments as values.
struct run_plan {
  cli::shape shape;
  dtype in, out;
  distribution dist;
  exp_mode mode;
  device_description where;
  softmax_options options;

  std::int64_t count() const { return elements(shape); }
  std::size_t in_bytes() const { return static_cast<std::size_t>(count()) * size_of(in); }
  std::size_t out_bytes() const { return static_cast<std::size_t>(count()) * size_of(out); }
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

result<run_plan> plan_run(const run_arguments& a) {
  run_plan p;
  if (status s = check_op(a.op); !s) return s;
  const auto take = [](auto parsed, auto* into) -> status {
    if (!parsed) return parsed.status();
    *into = std::move(*parsed);
    return {};
  };
  if (status s = take(parse_shape(a.shape), &p.shape); !s) return s;
  if (status s = take(parse_float("--dtype", a.type), &p.in); !s) return s;
  if (status s = take(parse_float("--out-dtype", a.out_type.empty() ? a.type : a.out_type), &p.out); !s) return s;
  if (status s = take(parse_distribution(a.dist), &p.dist); !s) return s;
  if (status s = take(parse_exp(a.exp), &p.mode); !s) return s;
  if (a.in_place && p.in != p.out) {
    return status(code::invalid_argument,
                  fmt::format("--out-dtype: found \"{}\", in place {} is allowed", a.out_type, a.type));
  }
  if (a.repeat < 1)
    return status(code::invalid_argument, fmt::format("--repeat: found {}, 1 or more is allowed", a.repeat));
  if (status s = take(choose_device(a.device), &p.where); !s) return s;
  p.options.axis(a.axis).exp(p.mode);
  return p;
}

// Which exponential "by output" means.
exp_mode resolved(const run_plan& p) {
  if (p.mode != exp_mode::by_output) return p.mode;
  return p.out == dtype::f32 ? exp_mode::accurate : exp_mode::fast;
}

run_report describe(const run_arguments& a, const run_plan& p) {
  run_report r;
  r.op = a.op;
  r.device = to_string(p.where.device);
  r.device_name = p.where.name;
  r.dtype = name_of(p.in);
  r.out_dtype = name_of(p.out);
  r.dist = to_string(p.dist);
  r.shape = p.shape;
  r.axis = a.axis;
  r.seed = a.seed;
  return r;
}

result<run_report> measure(const run_arguments& a, const run_plan& p) {
  const device where = p.where.device;
  auto x = device_memory::make(where, p.in_bytes());
  if (!x) return x.status();
  auto y = device_memory::make(where, a.in_place ? 0 : p.out_bytes());
  if (!y) return y.status();
  const tensor_view input = view_of(x->data(), p.in, p.shape, where);
  const tensor_view output = a.in_place ? input : view_of(y->data(), p.out, p.shape, where);
  const auto call = [&] { return a.in_place ? softmax(input, p.options) : softmax(input, output, p.options); };
  const auto wait = [&] { return synchronize(where); };
  const auto timed = [&](double* milliseconds) -> status {
    const stopwatch watch;
    if (status s = call(); !s) return s;
    if (status s = wait(); !s) return s;
    *milliseconds = watch.seconds() * 1e3;
    return {};
  };

  const host_memory drawn = make_tensor(p.in, p.count(), p.dist, a.seed);
  if (status s = copy(where, x->data(), drawn.data(), p.in_bytes()); !s) return s;
  if (status s = wait(); !s) return s;

  run_report r = describe(a, p);
  if (status s = timed(&r.cold_ms); !s) return s;
  const call_trace first = last_cold_call();
  r.strategy = first.strategy;
  r.source = first.source;
  r.key = first.digest;

  // Now, since in place later calls eat their own results. The null device computes nothing.
  if (a.check && where.kind != device_kind::null) {
    const host_memory found(p.out_bytes());
    if (status s = copy(where, found.data(), output.data, p.out_bytes()); !s) return s;
    const int axis = a.axis < 0 ? a.axis + static_cast<int>(p.shape.size()) : a.axis;  // legal, or the call had failed
    r.checked = compare_softmax(drawn.data(), p.in, found.data(), p.out, p.shape, axis, resolved(p));
  }

  forget_kernels();
  if (status s = timed(&r.reload_ms); !s) return s;
  r.reload_source = last_cold_call().source;

  const auto warm = time_warm(call, wait, a.repeat);
  if (!warm) return warm.status();
  r.warm = *warm;
  r.gb_per_s = static_cast<double>(p.in_bytes() + p.out_bytes()) / r.warm.done_seconds * 1e-9;
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
                                  report->checked->worst_of_bound)});
}

}  // namespace

void add_run(CLI::App& app, int* exit) {
  auto a = std::make_shared<run_arguments>();
  CLI::App* verb = app.add_subcommand(
      "run",
      "Calls an op on drawn inputs: first call, reloaded, warm; bandwidth, and error against float64 (of evenly "
      "spread rows above 64 Mi elements). Ends with 7 when the result is out of tolerance");
  verb->add_option("OP", a->op, "softmax")->required();
  verb->add_option("--shape", a->shape, "4x32x512x512")->required();
  verb->add_option("--dtype", a->type, "f32, f16 or bf16")->required();
  verb->add_option("--out-dtype", a->out_type, "The output's, where it differs");
  verb->add_option("--device", a->device,
                   "host, cuda:N or hip:N; the first accelerator, else the host, when not given");
  verb->add_option("--axis", a->axis, "Negative counts from the last")->capture_default_str();
  verb->add_option("--exp", a->exp, "by_output, fast or accurate")->capture_default_str();
  verb->add_flag("--in-place", a->in_place, "Write over the input");
  verb->add_option("--dist", a->dist, "normal:MEAN:STD or uniform:LO:HI")->capture_default_str();
  verb->add_option("--seed", a->seed, "The same on every machine")->capture_default_str();
  verb->add_option("--repeat", a->repeat, "Timed batches of warm calls")->capture_default_str();
  verb->add_flag("--check,!--no-check", a->check, "Compare with float64 (the default)");
  verb->add_flag("--json", a->as_json, "Print one JSON object");
  verb->callback([a, exit] { *exit = run(*a); });
}

}  // namespace rowsmith::cli
