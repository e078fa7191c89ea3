// run_report: what `rowsmith run` found out, and its two ways to say it.
#pragma once

#include <optional>
#include <string>

#include "cli/comparison.h"
#include "cli/op_setup.h"
#include "cli/output.h"
#include "cli/stopwatch.h"

namespace rowsmith::cli {

struct run_report {
  std::string device, device_name, dist;
  op_setup call;
  bool in_place = false;
  std::uint64_t seed = 0;
  std::size_t workspace_bytes = 0;
  std::string strategy, source, key;  // of the first call
  double cold_ms = 0;                 // the first call and the wait for its end
  double reload_ms = 0;               // the same again, after every loaded kernel was forgotten
  std::string reload_source;
  warm_times warm;
  double gb_per_s = 0;  // bytes read and written, each once, by the warm time; 1 GB is 1e9 bytes
  std::optional<comparison> checked;

  // No check, or none failed.
  bool within_tolerance() const { return !checked || checked->worst_of_bound() <= 1; }
};

// The operands, settings and scalars of a call, as `run` and `explain` print them.
json operands_of(const op_setup& s);
json settings_of(const op_setup& s);

json as_object(const run_report& r);
std::string as_text(const run_report& r);

}  // namespace rowsmith::cli
