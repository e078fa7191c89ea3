#include "cli/op_check.h"

#include <array>
#include <mutex>

#include "cli/parallel.h"
#include "cli/row_checks.h"

namespace rowsmith::cli {

namespace {

struct op_checks {
  std::string_view op;
  void (*row)(const call_tensors&, std::int64_t row, verdict*) = nullptr;
  void (*sums)(const call_tensors&, verdict*) = nullptr;  // what is made of all rows at once
};

constexpr std::array k_checks = {
    op_checks{"softmax", check_softmax},
    op_checks{"log_softmax", check_log_softmax},
    op_checks{"softmax_backward", check_softmax_backward},
    op_checks{"log_softmax_backward", check_log_softmax_backward},
    op_checks{"layer_norm", check_layer_norm},
    op_checks{"rms_norm", check_rms_norm},
    op_checks{"add_layer_norm", check_layer_norm},
    op_checks{"add_rms_norm", check_rms_norm},
    op_checks{"layer_norm_backward", check_layer_norm_backward, sum_layer_norm_backward},
    op_checks{"rms_norm_backward", check_rms_norm_backward, sum_rms_norm_backward},
    op_checks{"moments", check_moments},
    op_checks{"gather_rows", check_gather_rows},
    op_checks{"gather_rows_backward", nullptr, sum_gather_rows_backward},
    op_checks{"copy", check_copy},
    op_checks{"elementwise", check_elementwise},
};

const op_checks* find(std::string_view op) {
  for (const op_checks& one : k_checks) {
    if (one.op == op) return &one;
  }
  return nullptr;
}

// Evenly spread, the first and the last among them; in 128 bits since both factors may be large.
std::int64_t spread(std::int64_t i, std::int64_t checked, std::int64_t rows) {
  return checked == 1 ? 0 : static_cast<std::int64_t>(static_cast<__int128>(i) * (rows - 1) / (checked - 1));
}

void check_rows(const call_tensors& c, const op_checks& op, verdict* all) {
  std::mutex joining;
  const std::int64_t rows = c.rows(), checked = all->found().rows_checked;
  parallel(checked, std::max<std::int64_t>(1, 16384 / c.width()), [&](std::int64_t begin, std::int64_t end) {
    verdict part(c);
    for (std::int64_t i = begin; i < end; ++i) op.row(c, spread(i, checked, rows), &part);
    const std::lock_guard lock(joining);
    all->take_worse(part);
  });
}

void name_what_was_left_out(comparison* found) {
  for (const output_comparison& o : found->outputs) {
    if (!o.compared) found->not_compared += (found->not_compared.empty() ? "not compared: " : ", ") + o.role;
  }
}

}  // namespace

comparison compare(const call_tensors& c, std::int64_t most) {
  verdict all(c);
  comparison& found = all.found();
  found.rows = c.width() == 0 ? 0 : c.rows();
  const op_checks* op = find(c.setup().op.name);
  if (op == nullptr || c.setup().pre) {
    found.not_compared = op == nullptr ? "no reference of this op" : "no reference of an op behind --pre";
    return found;
  }
  if (found.rows == 0) return found;
  found.rows_checked = std::min(found.rows, std::max<std::int64_t>(1, most / c.width()));
  if (op->row != nullptr) check_rows(c, *op, &all);
  if (op->sums != nullptr && c.rows() * c.width() <= most_elements_summed) op->sums(c, &all);
  name_what_was_left_out(&found);
  return found;
}

}  // namespace rowsmith::cli
