#include "cli/run_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

namespace rowsmith::cli {

namespace {

// JSON knows no infinity: a mismatch of NaNs comes out as text. A NaN is what was not found out.
json finite(double value) {
  if (std::isnan(value)) return {};
  return std::isfinite(value) ? json(value) : json("inf");
}

json compared(const comparison& c) {
  json outputs = json::object();
  for (const output_comparison& o : c.outputs) {
    if (!o.compared) continue;
    outputs[o.role] = {{"max_abs_err", finite(o.max_abs_err)}, {"worst_of_bound", finite(o.worst_of_bound)}};
  }
  return outputs;
}

bool any_compared(const run_report& r) {
  if (!r.checked) return false;
  for (const output_comparison& o : r.checked->outputs) {
    if (o.compared) return true;
  }
  return r.checked->not_compared.empty();
}

std::string types_of(const op_setup& s) {
  const std::string in(name_of(s.in)), out(name_of(s.out));
  return in == out ? in : in + " -> " + out;
}

std::string axes_of(const op_setup& s) {
  if (s.op.along == "axis") return fmt::format(", axis {}", s.axis);
  if (s.op.along == "trailing") return fmt::format(", {} trailing ax{}s", s.axis, s.axis == 1 ? "i" : "e");
  if (s.op.along == "set") return fmt::format(", axes {}", fmt::join(s.inner, ","));
  return {};
}

// "x mask:b8 weight[512]": what there is, and what is not as one would think.
std::string operand_text(const op_setup& s) {
  std::string text;
  for (const tensor_setup& t : s.tensors) {
    text += (text.empty() ? "" : " ") + t.role;
    if (t.type != (t.output ? s.out : s.in)) text += fmt::format(":{}", name_of(t.type));
    if (t.extents != s.shape) text += fmt::format("[{}]", to_string(t.extents));
  }
  if (s.causal) text += fmt::format(" causal{:+}", *s.causal);
  return text;
}

}  // namespace

json operands_of(const op_setup& s) {
  json all = json::array();
  for (const tensor_setup& t : s.tensors) {
    json o = {{"role", t.role}, {"dtype", name_of(t.type)}, {"shape", t.extents}, {"output", t.output}};
    if (!t.rows_from.empty()) o["rows_from"] = t.rows_from;
    all.push_back(std::move(o));
  }
  return all;
}

json settings_of(const op_setup& s) {
  json all = json::object();
  for (const op_info::setting& known : s.op.settings) all[std::string(known.name)] = s.setting(known.name);
  for (const op_info::scalar& known : s.op.scalars) all[std::string(known.name)] = s.scalar(known.name);
  if (s.causal) all["causal"] = *s.causal;
  for (const auto& [name, e] : {std::pair{"expr", &s.compute}, std::pair{"pre", &s.pre}, std::pair{"post", &s.post}}) {
    if (*e) all[name] = (*e)->to_string();
  }
  return all;
}

json as_object(const run_report& r) {
  json o = {{"op", r.call.op.name},
            {"device", r.device},
            {"device_name", r.device_name},
            {"shape", r.call.shape},
            {"dtype", name_of(r.call.in)},
            {"out_dtype", name_of(r.call.out)},
            {"axis", r.call.axis},
            {"operands", operands_of(r.call)},
            {"settings", settings_of(r.call)},
            {"in_place", r.in_place},
            {"dist", r.dist},
            {"seed", r.seed},
            {"strategy", r.strategy},
            {"source", r.source},
            {"cold_ms", r.cold_ms},
            {"reload_ms", r.reload_ms},
            {"reload_source", r.reload_source},
            {"warm_us", r.warm.done_seconds * 1e6},
            {"call_us", r.warm.call_seconds * 1e6},
            {"batches", r.warm.batches},
            {"calls_per_batch", r.warm.calls_per_batch},
            {"gb_per_s", r.gb_per_s},
            {"workspace_bytes", r.workspace_bytes}};
  const bool told = any_compared(r);
  o["max_abs_err"] = told ? finite(r.checked->max_abs_err()) : json();
  o["max_row_sum_err"] = told ? finite(r.checked->max_row_sum_err) : json();
  o["worst_of_bound"] = told ? finite(r.checked->worst_of_bound()) : json();
  o["within_tolerance"] = told ? json(r.within_tolerance()) : json();
  o["outputs"] = r.checked ? compared(*r.checked) : json();
  o["not_compared"] = r.checked && !r.checked->not_compared.empty() ? json(r.checked->not_compared) : json();
  o["rows"] = r.checked ? json(r.checked->rows) : json();
  o["rows_checked"] = r.checked ? json(r.checked->rows_checked) : json();
  o["key"] = r.key;
  return o;
}

std::string as_text(const run_report& r) {
  std::vector<std::pair<std::string, std::string>> rows = {
      {"op", fmt::format("{} of {} {}{}", r.call.op.name, to_string(r.call.shape), types_of(r.call), axes_of(r.call))}};
  if (r.call.tensors.size() != 2 || r.call.causal) rows.push_back({"operands", operand_text(r.call)});
  const std::vector<std::pair<std::string, std::string>> measured = {
      {"input", fmt::format("{}, seed {}", r.dist, r.seed)},
      {"device", r.device + "  " + r.device_name},
      {"kernel", fmt::format("{}  {}", r.strategy, r.key)},
      {"first call", fmt::format("{:.3f} ms  {}", r.cold_ms, r.source)},
      {"reloaded", fmt::format("{:.3f} ms  {}", r.reload_ms, r.reload_source)},
      {"warm call",
       fmt::format("{:.3f} us  (returns after {:.3f} us; median of {} batches of {})", r.warm.done_seconds * 1e6,
                   r.warm.call_seconds * 1e6, r.warm.batches, r.warm.calls_per_batch)},
      {"bandwidth", fmt::format("{:.1f} GB/s read and written", r.gb_per_s)}};
  rows.insert(rows.end(), measured.begin(), measured.end());
  if (r.workspace_bytes != 0) rows.push_back({"workspace", fmt::format("{} bytes", r.workspace_bytes)});
  if (!any_compared(r)) {
    rows.push_back({"compared", r.checked ? "no: " + r.checked->not_compared : "no"});
    return aligned(rows);
  }
  const comparison& c = *r.checked;
  rows.push_back({"max error",
                  fmt::format("{:.3g}  ({:.2f} of the allowed error at worst)", c.max_abs_err(), c.worst_of_bound())});
  if (!std::isnan(c.max_row_sum_err))
    rows.push_back({"row sums", fmt::format("within {:.3g} of 1", c.max_row_sum_err)});
  std::string how = c.rows == c.rows_checked ? fmt::format("all {} rows with float64", c.rows)
                                             : fmt::format("{} of {} rows with float64", c.rows_checked, c.rows);
  if (!c.not_compared.empty()) how += "; " + c.not_compared;
  rows.push_back({"compared", how});
  return aligned(rows);
}

}  // namespace rowsmith::cli
