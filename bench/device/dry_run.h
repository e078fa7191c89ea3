// dry_run: how every case would be answered on a target, on a machine without one.
#pragma once

#include <set>
#include <string>

#include "bench_case.h"
#include "rowsmith/status.h"

namespace rowsmith::bench {

struct planned {
  std::string strategy;       // of its launches, joined by "+"
  std::string instantiation;  // the last lines of the first one's source
};

// Plans the case, and compiles its naive kernel unless its text is among those `compiled` already: what a run on a card
// would fail with is found here.
result<planned> plan_on(const std::string& target, const bench_case& c, std::set<std::string>* compiled);

}  // namespace rowsmith::bench
