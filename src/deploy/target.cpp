#include "deploy/target.h"

#include <fmt/format.h>

namespace rowsmith {

result<target> find_target(const std::string& name) {
  std::string reasons;
  for (const device_kind kind : {device_kind::host, device_kind::cuda, device_kind::hip, device_kind::null}) {
    backend* b = backend_for(kind);
    if (b == nullptr) continue;
    result<traits> t = b->traits_of(name);
    if (t) return target{b, std::move(*t)};
    reasons += fmt::format("{}: {}\n", name_of(kind), t.status().message());
  }
  return status(code::unsupported,
                fmt::format("target: \"{}\" is none that a backend knows (host, sm_90, gfx906, …)", name))
      .with_detail(reasons);
}

}  // namespace rowsmith
