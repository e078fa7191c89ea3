// Mutants: the rendered text of right kernels with one fault put in, compiled by the real compiler and run. Each must
// be caught: by wrong numbers, or by the machine.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "gcn/suite/launcher.h"
#include "inspect/inspect.h"
#include "model/arguments.h"
#include "model/op_table.h"
#include "plan/plan.h"
#include "render/render.h"
#include "support/element.h"
#include "support/tolerance.h"
#include "support/values.h"

namespace rowsmith::test {
namespace {

struct fault {
  const char* name;
  const char* right;  // in the rendered text
  const char* wrong;
  std::int64_t width;  // of a row that shows it

  friend void PrintTo(const fault& f, std::ostream* to) { *to << f.name; }
};

constexpr fault faults[] = {
    {"a_dropped_step_of_two", "v = combine<Op>(v, dpp<0xb1>(v));", "", 1024},
    {"a_dropped_step_of_sixteen", "v = combine<Op>(v, dpp<0x140>(v));", "", 1024},
    {"a_dropped_step_of_the_wave", "v = combine<Op>(v, dpp<0x143>(v));", "", 1024},
    {"a_dropped_step_of_four_lanes", "v = combine<Op>(v, dpp<0x4e>(v));", "", 64},
    {"the_wrong_lane", "v = __builtin_amdgcn_readlane(v, 63)", "v = __builtin_amdgcn_readlane(v, 31)", 1024},
    {"the_other_half_of_the_wave", "? upper : lower", "? lower : upper", 512},
    {"half_of_a_word_twice", "v_fma_mixhi_f16 %0, %1, %2, neg(0)\" : \"+v\"(word) : \"v\"(high)",
     "v_fma_mixhi_f16 %0, %1, %2, neg(0)\" : \"+v\"(word) : \"v\"(low)", 1024},
    {"the_wrong_neighbour", "dpp<0x4e>", "dpp<0xb1>", 1024},
    {"one_waves_slot_for_all", "mine[slot()]", "mine[0]", 4096},
    {"a_missing_barrier_in_a_block", "barrier();\n      v = has_slot()", "v = has_slot()", 4096},
    {"a_missing_barrier_in_a_merge", "barrier();\n      of_wave = State", "of_wave = State", 16384},
    {"a_missing_barrier_before_a_tile_is_read", "barrier();\n      compute(t, tile, 0, 0", "compute(t, tile, 0, 0", 49},
    {"a_missing_barrier_before_a_tile_is_written", "barrier();\n      (store_by_all", "(store_by_all", 49},
    {"a_missing_bound_of_rows", "row < args.rows;\n           row = wave_uniform(",
     "row < args.rows + 3;\n           row = wave_uniform(", 1024},
    {"a_missing_bound_of_groups",
     "const bool mine = group + member < args.rows;\n        const i64 row = mine ? group + member : args.rows - 1;",
     "const bool mine = true; const i64 row = group + member;", 64},
    {"no_maximum_subtracted", "vexp2((x - max) * log2e)", "vexp2(x * log2e)", 1024},
};

// Softmax of `rows` rows of f16, run from a text that may have been changed.
class softmax_text {
 public:
  softmax_text(std::int64_t rows, std::int64_t width) : rows_(rows), width_(width) {
    request r;
    r.op = op_id::softmax;
    const auto view = [&](std::uintptr_t at) {
      return dense(reinterpret_cast<void*>(at), dtype::f16, {rows, width}, {device_kind::hip, 0});
    };
    r.add(role::x, view(std::uintptr_t{1} << 40));
    r.add(role::y, view(std::uintptr_t{1} << 41));
    EXPECT_TRUE(inspect(r, &facts_).ok());
    const traits target = backend_for(device_kind::hip)->traits_of(card_arch()).value();
    const auto p = make_plan(facts_.fixed, target);
    EXPECT_TRUE(p) << p.status().to_string();
    launch_ = p->launches.at(0);
    source_ = render(launch_, facts_.fixed, target).value();
  }

  bool replace(std::string_view right, std::string_view wrong) {
    const std::size_t at = source_.text.find(right);
    if (at == std::string::npos) return false;
    source_.text.replace(at, right.size(), wrong);
    return true;
  }

  // OK where the kernel ran and every row is within the contract's bound.
  testing::AssertionResult run() {
    simulated_hip::get().recover();
    auto kernel = launcher::build(source_, launch_);
    if (!kernel) return testing::AssertionFailure() << kernel.status().to_string() << kernel.status().detail();
    const auto n = static_cast<std::size_t>(rows_ * width_);
    // Large enough that a maximum must be subtracted, and no row like another.
    std::vector<float> x = normal(rows_ * width_, 40);
    std::vector<std::uint16_t> stored(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = half_to_float(stored[i] = float_to_half(x[i]));
    card_memory in(2 * n), out(2 * n);
    in.write(stored.data());
    std::vector<std::uint16_t> unlike(n, 0xc7c7);
    out.write(unlike.data());
    facts_.call.operands[0].data = in.data();
    facts_.call.operands[1].data = out.data();
    const std::int64_t blocks = (rows_ + launch_.rows_per_block - 1) / launch_.rows_per_block;
    const arguments args(facts_, launch_.layout, rows_, blocks, nullptr);
    status s = (*kernel)->launch(blocks, args.data(), args.size(), {});
    if (s.ok()) s = backend_for(device_kind::hip)->synchronize(0, {});
    if (!s.ok()) {
      const std::string report = simulated_hip::get().report();
      simulated_hip::get().recover();
      return testing::AssertionFailure() << s.to_string() << "\n" << report;
    }
    out.read(stored.data());
    const auto width = static_cast<std::size_t>(width_);
    std::vector<float> got(width);
    for (std::size_t r = 0; r < static_cast<std::size_t>(rows_); ++r) {
      for (std::size_t i = 0; i < width; ++i) got[i] = half_to_float(stored[r * width + i]);
      const softmax_reference want({&x[r * width], width}, dtype::f16, false);
      if (const auto right = within(want, got); !right) return right;
    }
    return testing::AssertionSuccess();
  }

 private:
  std::int64_t rows_, width_;
  facts facts_;
  launch_plan launch_;
  source source_;
};

class mutants : public testing::TestWithParam<fault> {};

TEST_P(mutants, are_caught) {
  const fault& f = GetParam();
  softmax_text text(std::max<std::int64_t>(7, 20000 / f.width), f.width);
  ASSERT_TRUE(text.run()) << "the kernel without the fault";
  ASSERT_TRUE(text.replace(f.right, f.wrong)) << "this text is not there any more: " << f.right;
  const testing::AssertionResult passed = text.run();
  EXPECT_FALSE(passed) << "the fault was not seen";
  std::printf("%s: %.200s\n", f.name, passed.message());
}

INSTANTIATE_TEST_SUITE_P(softmax, mutants, testing::ValuesIn(faults),
                         [](const auto& p) { return std::string(p.param.name); });

}  // namespace
}  // namespace rowsmith::test
