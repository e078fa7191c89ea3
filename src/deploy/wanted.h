// wanted: the kernels that a manifest's requests can resolve to on a target.
#pragma once

#include <vector>

#include "cache/key.h"
#include "deploy/manifest.h"
#include "deploy/target.h"
#include "model/plan.h"
#include "model/source.h"
#include "rowsmith/deploy.h"

namespace rowsmith {

// The classes that calls like `r` can be of, its own first.
std::vector<shape_class> variants(const request& r, device_kind vendor, alignments which);

// One entry of the cache that a call may look for.
struct wanted_kernel {
  shape_class fixed;
  launch_plan launch;
  cache::key key;
  std::int64_t line;      // of the manifest
  std::string same_code;  // equal where one compile serves both
};

struct unplanned {
  std::string kernel;
  std::int64_t line;
  status why;
};

struct wanted_list {
  std::vector<wanted_kernel> kernels;  // no key twice
  std::vector<unplanned> problems;     // requests that no plan can serve on this target
};

// `who`: the compiler, null where there is none.
wanted_list wanted_on(const target& t, const manifest& m, alignments which, const compiler_id* who);

}  // namespace rowsmith
