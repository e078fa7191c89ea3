// The calls whose plans are kept in tests/golden/plans, by the files' names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "support/elementwise_cases.h"
#include "support/norm_cases.h"
#include "support/row_cases.h"
#include "support/softmax_cases.h"
#include "support/softmax_family_cases.h"

namespace rowsmith::test {

struct golden_group {
  std::string name;
  std::vector<named_request> calls;
};

inline golden_group golden_softmax() {
  golden_group g{"softmax", {}};
  for (const softmax_case& c : softmax_cases()) g.calls.push_back({c.name, request_of(c)});
  return g;
}

inline golden_group golden_rows() {
  golden_group g{"rows", {}};
  for (const row_case& c : row_cases()) g.calls.push_back({c.name, c.what});
  return g;
}

inline golden_group golden_norms() {
  golden_group g{"norm", {}};
  for (const norm_case& c : norm_cases()) g.calls.push_back({c.name, request_of(c)});
  return g;
}

inline golden_group golden_softmax_family() {
  golden_group g{"softmax_family", {}};
  for (const named_request& c : softmax_family_cases({49, 512, 50257})) {
    const bool told = c.name.starts_with("keep_per_key") || c.name.starts_with("bias_and_causal") ||
                      c.name.starts_with("rows") || c.name.starts_with("log_backward_masked");
    if (told && c.name.ends_with("f16")) g.calls.push_back(c);
  }
  return g;
}

// What does not know its width, and what knows nothing but.
inline golden_group golden_widths() {
  golden_group g{"widths", {}};
  const auto add = [&](const std::string& name, request r) {
    const auto told = [&](const char* form, int flags) {
      r.flags = static_cast<std::uint8_t>(flags);
      g.calls.push_back({name + form, r});
    };
    told("_any", request_any_width);
    told("_invariant", request_batch_invariant);
    told("_any_invariant", request_any_width | request_batch_invariant);
  };
  for (const norm_case& c : norm_cases()) {
    const bool wanted =
        c.type == dtype::bf16 && (c.width == 49 || c.width == 1000 || c.width == 8192 || c.width == 50257);
    if (wanted) add(c.name, request_of(c));
  }
  for (const named_request& c : softmax_family_cases({49, 512, 50257})) {
    const bool wanted = c.name.starts_with("keep_per_key") || c.name.starts_with("rows");
    if (wanted && c.name.ends_with("f16")) add(c.name, c.call);
  }
  for (const row_case& c : row_cases()) {
    if (c.what.op != op_id::softmax) add(c.name, c.what);
  }
  return g;
}

inline golden_group golden_elementwise() {
  golden_group g{"elementwise", {}};
  for (const elementwise_case& c : elementwise_cases()) g.calls.push_back({c.name, request_of(c)});
  return g;
}

inline std::vector<golden_group> golden_groups() {
  return {golden_softmax(),        golden_rows(),   golden_norms(),
          golden_softmax_family(), golden_widths(), golden_elementwise()};
}

}  // namespace rowsmith::test
