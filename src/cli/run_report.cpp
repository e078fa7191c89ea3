#include "cli/run_report.h"

#include <fmt/format.h>

#include <cmath>

namespace rowsmith::cli {

namespace {

// JSON knows no infinity: a mismatch of NaNs comes out as text.
json finite(double value) { return std::isfinite(value) ? json(value) : json("inf"); }

}  // namespace

json as_object(const run_report& r) {
  json o = {{"op", r.op},
            {"device", r.device},
            {"device_name", r.device_name},
            {"shape", r.shape},
            {"dtype", r.dtype},
            {"out_dtype", r.out_dtype},
            {"axis", r.axis},
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
            {"gb_per_s", r.gb_per_s}};
  o["max_abs_err"] = r.checked ? finite(r.checked->max_abs_err) : json();
  o["max_row_sum_err"] = r.checked ? finite(r.checked->max_row_sum_err) : json();
  o["worst_of_bound"] = r.checked ? finite(r.checked->worst_of_bound) : json();
  o["within_tolerance"] = r.checked ? json(r.within_tolerance()) : json();
  o["rows"] = r.checked ? json(r.checked->rows) : json();
  o["rows_checked"] = r.checked ? json(r.checked->rows_checked) : json();
  o["key"] = r.key;
  return o;
}

std::string as_text(const run_report& r) {
  const std::string types = r.dtype == r.out_dtype ? r.dtype : r.dtype + " -> " + r.out_dtype;
  std::vector<std::pair<std::string, std::string>> rows = {
      {"op", fmt::format("{} of {} {}, axis {}", r.op, to_string(r.shape), types, r.axis)},
      {"input", fmt::format("{}, seed {}", r.dist, r.seed)},
      {"device", r.device + "  " + r.device_name},
      {"kernel", fmt::format("{}  {}", r.strategy, r.key)},
      {"first call", fmt::format("{:.3f} ms  {}", r.cold_ms, r.source)},
      {"reloaded", fmt::format("{:.3f} ms  {}", r.reload_ms, r.reload_source)},
      {"warm call",
       fmt::format("{:.3f} us  (returns after {:.3f} us; median of {} batches of {})", r.warm.done_seconds * 1e6,
                   r.warm.call_seconds * 1e6, r.warm.batches, r.warm.calls_per_batch)},
      {"bandwidth", fmt::format("{:.1f} GB/s read and written", r.gb_per_s)}};
  if (r.checked) {
    const comparison& c = *r.checked;
    rows.push_back(
        {"max error", fmt::format("{:.3g}  ({:.2f} of the allowed error at worst)", c.max_abs_err, c.worst_of_bound)});
    rows.push_back({"row sums", fmt::format("within {:.3g} of 1", c.max_row_sum_err)});
    rows.push_back({"compared", c.rows == c.rows_checked
                                    ? fmt::format("all {} rows with float64", c.rows)
                                    : fmt::format("{} of {} rows with float64", c.rows_checked, c.rows)});
  } else {
    rows.push_back({"compared", "no"});
  }
  return aligned(rows);
}

}  // namespace rowsmith::cli
