#include "property/run.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "property/refusal.h"
#include "property/signals.h"
#include "property/trial.h"
#include "property/verdict.h"
#include "rowsmith/explain.h"
#include "support/softmax_check.h"

namespace rowsmith::test {

property_run& the_run() {
  static property_run run;
  return run;
}

bool property_run::take(std::string_view name, const char* value) {
  if (name == "--seed") return seed = std::strtoull(value, nullptr, 10), true;
  if (name == "--kernels") return kernels = std::atoi(value), kernels > 0;
  if (name == "--draws") return draws = std::atoi(value), draws > 0;
  if (name == "--only") return std::sscanf(value, "%d:%d", &only_kernel, &only_draw) == 2;
  return false;
}

void property_run::print() const {
  std::printf(
      "seed %llu: %llu draws, %llu of them by the scalar fallback; %llu requests refused as they must be; %llu "
      "elements left open by their bounds\n",
      static_cast<unsigned long long>(seed), static_cast<unsigned long long>(done),
      static_cast<unsigned long long>(by_fallback), static_cast<unsigned long long>(refused),
      static_cast<unsigned long long>(left_open));
  if (!nearest.empty()) nearest.print();
}

namespace {

constexpr int draws_until_a_refusal = 12, draws_until_a_repetition = 6, draws_until_a_workspace = 4;

// One draw, from its numbers alone.
class drawing {
 public:
  drawing(int kernel_number, int draw) : kernel_number_(kernel_number), draw_(draw) {
    const property_run& run = the_run();
    const std::uint64_t scalar = under_test().scalar, k = static_cast<std::uint64_t>(kernel_number),
                        n = static_cast<std::uint64_t>(draw);
    dice of_kernel({run.seed, scalar, k, 1});
    kernel_ = draw_kernel(of_kernel);
    // Another layout is another kernel to compile, but for the fallback.
    dice of_layout(under_test().scalar ? std::initializer_list<std::uint64_t>{run.seed, scalar, k, 2, n}
                                       : std::initializer_list<std::uint64_t>{run.seed, scalar, k, 2});
    layout_ = draw_layout(kernel_, of_layout);
    dice_ = std::make_unique<dice>(std::initializer_list<std::uint64_t>{run.seed, scalar, k, 3, n});
    trial_ = std::make_unique<trial>(kernel_, layout_, under_test().where, *dice_);
    says_ = "seed " + std::to_string(run.seed) + " --only " + std::to_string(kernel_number) + ":" +
            std::to_string(draw) + ": " + trial_->to_string();
  }

  bool run() {
    announce(says_);
    const bool good = draw_ % draws_until_a_refusal == draws_until_a_refusal - 1 ? run_bad() : run_good();
    announce("");
    return good;
  }

 private:
  bool failed(const std::string& what) {
    ADD_FAILURE() << what << "\n  " << says_;
    return false;
  }

  bool run_bad() {
    const auto bad = spoil(*trial_, *dice_);
    if (!bad) return run_good();
    announce(says_ + "; " + bad->what);
    const status called = trial_->call(bad->change).run();
    (void)synchronize(under_test().where).ok();
    if (called.ok()) return failed("taken: " + bad->what);
    if (called.error() != code::invalid_argument || called.message().empty())
      return failed(bad->what + ": " + called.to_string());
    if (const std::string written = trial_->nothing_written(); !written.empty())
      return failed(bad->what + ", but " + written);
    ++the_run().refused;
    return true;
  }

  bool run_good() {
    op_call call = trial_->call();
    std::unique_ptr<tensor> workspace;
    if (draw_ % draws_until_a_workspace == 0) {
      const auto bytes = call.workspace_bytes();
      if (!bytes.ok()) return failed("workspace_bytes: " + bytes.status().to_string() + bytes.status().detail());
      if (*bytes != 0) {
        workspace = std::make_unique<tensor>(under_test().where, dtype::b8, dims{static_cast<std::int64_t>(*bytes)},
                                             dims{}, placement{edge::end, 0}, input_poison);
        call.workspace(workspace->view().data, *bytes);
      }
    }
    const status called = call.run();
    const status done = synchronize(under_test().where);
    if (!called.ok() || !done.ok()) return failed(called.to_string() + called.detail() + done.to_string());
    if (const std::string wrong = trial_->fetch(); !wrong.empty()) return failed(wrong);
    if (workspace != nullptr) {
      workspace->fetch();
      if (const auto ok = workspace->only_elements_changed(); !ok)
        return failed(std::string("workspace: ") + ok.message());
    }
    const verdict v = judge(*trial_);
    if (!v.passed()) return failed(v.what());
    count(v);
    return draw_ % draws_until_a_repetition != 0 || !kernel_.in_place.empty() || repeats(call);
  }

  void count(const verdict& v) const {
    property_run& run = the_run();
    ++run.done;
    run.left_open += v.left_open();
    for (const auto& [key, share] : v.nearest()) {
      run.nearest.add(key.first, key.second, share, std::to_string(kernel_number_) + ":" + std::to_string(draw_));
    }
  }

  // The same call again gives the same bits.
  bool repeats(const op_call& call) {
    std::vector<std::vector<unsigned char>> before;
    for (const kernel_operand& o : kernel_.operands) before.push_back(trial_->result_bits(o.role));
    const status called = call.run();
    if (!called.ok() || !synchronize(under_test().where).ok()) return failed("the second time: " + called.to_string());
    if (const std::string wrong = trial_->fetch(); !wrong.empty()) return failed("the second time: " + wrong);
    for (std::size_t i = 0; i < before.size(); ++i) {
      if (trial_->result_bits(kernel_.operands[i].role) != before[i]) {
        return failed(kernel_.operands[i].role + ": other bits the second time");
      }
    }
    return true;
  }

  int kernel_number_, draw_;
  kernel kernel_;
  layout layout_;
  std::unique_ptr<dice> dice_;
  std::unique_ptr<trial> trial_;
  std::string says_;
};

// Who answered the last call of this kernel: known from calls that looked for it.
bool answered_by_fallback(std::uint64_t misses_before, bool known) {
  return counters().calls_missed == misses_before ? known : last_cold_call().source == "fallback";
}

}  // namespace

bool run_kernel(int k) {
  property_run& run = the_run();
  bool fallback = under_test().scalar;
  for (int n = 0; n < run.draws_of_a_kernel(); ++n) {
    if (run.only_draw >= 0 && n != run.only_draw) continue;
    const std::uint64_t misses = counters().calls_missed, before = run.done;
    if (!drawing(k, n).run()) return false;
    fallback = answered_by_fallback(misses, fallback);
    if (run.done != before) run.by_fallback += fallback;
  }
  return true;
}

}  // namespace rowsmith::test
