// Which classes a recorded request can resolve to.
#include "deploy/wanted.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "call/causal_view.h"
#include "inspect/inspect.h"
#include "model/op_table.h"
#include "unit/rooms/requests.h"

namespace rowsmith {
namespace {

using test::softmax_of;
using test::x_base;
using test::y_base;

bool holds(const std::vector<shape_class>& all, const request& r, device_kind vendor) {
  facts f;
  EXPECT_TRUE(inspect(r, &f).ok());
  f.fixed.vendor = vendor;
  return std::find(all.begin(), all.end(), f.fixed) != all.end();
}

TEST(variants, recorded_is_the_class_itself) {
  const request r = softmax_of({12, 512}, dtype::f16, dtype::f16, x_base + 2, y_base + 8);
  const auto all = variants(r, device_kind::cuda, alignments::recorded);
  EXPECT_EQ(all.size(), 1u);
  EXPECT_TRUE(holds(all, r, device_kind::cuda));
}

TEST(variants, usual_holds_aligned_calls_and_views_from_any_element) {
  const auto all = variants(softmax_of({12, 512}, dtype::f16, dtype::f16, x_base + 8, y_base + 4), device_kind::hip,
                            alignments::usual);
  EXPECT_TRUE(holds(all, softmax_of({99, 512}), device_kind::hip));
  EXPECT_TRUE(holds(all, softmax_of({99, 512}, dtype::f16, dtype::f16, x_base + 2, y_base + 2), device_kind::hip));
  EXPECT_TRUE(holds(all, softmax_of({99, 512}, dtype::f16, dtype::f16, x_base + 14, y_base), device_kind::hip));
  EXPECT_TRUE(holds(all, softmax_of({99, 512}, dtype::f16, dtype::f16, x_base + 8, y_base + 4), device_kind::hip));
}

TEST(variants, the_host_gets_what_was_recorded) {
  EXPECT_EQ(variants(softmax_of({12, 512}), device_kind::host, alignments::usual).size(), 1u);
}

// "every" leaves no base address out.
TEST(variants, every_holds_every_pair_of_bases) {
  for (const std::int64_t width : {512, 49}) {
    const auto all = variants(softmax_of({12, width}), device_kind::cuda, alignments::every);
    for (std::uintptr_t x = 0; x < 32; x += 2) {
      for (std::uintptr_t y = 0; y < 32; y += 2) {
        EXPECT_TRUE(
            holds(all, softmax_of({7, width}, dtype::f16, dtype::f16, x_base + x, y_base + y), device_kind::cuda));
      }
    }
  }
}

TEST(variants, in_place_stays_in_place) {
  const request r = softmax_of({12, 512}, dtype::f16, dtype::f16, x_base, x_base);
  for (const shape_class& c : variants(r, device_kind::cuda, alignments::every)) EXPECT_TRUE(c.has(fact_in_place));
}

// Few rows where many were recorded, and the other way round.
TEST(variants, rows_may_be_few_or_many) {
  for (const device_kind vendor : {device_kind::cuda, device_kind::hip, device_kind::null, device_kind::host}) {
    for (const std::int64_t recorded : {8, 100}) {
      const auto all = variants(softmax_of({recorded, 32768}), vendor, alignments::recorded);
      EXPECT_EQ(all.size(), 2u);
      for (const std::int64_t met : {2, 32, 33, 5000}) EXPECT_TRUE(holds(all, softmax_of({met, 32768}), vendor)) << met;
    }
  }
}

// The target decides what is few, not the device of the recording.
TEST(variants, of_what_reduces_nothing_as_well) {
  const auto copy_of = [](std::int64_t rows, device_kind where) {
    request r;
    r.op = op_id::copy;
    r.add(role::x, dense(test::at(x_base), dtype::f16, {rows, 512}, {where, 0}));
    r.add(role::y, dense(test::at(y_base), dtype::f32, {rows, 512}, {where, 0}));
    return r;
  };
  for (const device_kind recorded_on : {device_kind::host, device_kind::cuda}) {
    for (const std::int64_t recorded : {8, 100'000}) {
      const auto all = variants(copy_of(recorded, recorded_on), device_kind::cuda, alignments::recorded);
      for (const std::int64_t met : {8, 100'000}) {
        EXPECT_TRUE(holds(all, copy_of(met, device_kind::cuda), device_kind::cuda)) << recorded << " " << met;
      }
    }
  }
}

TEST(variants, who_asks_for_one_kernel_gets_one) {
  for (const std::uint8_t flag : {request_any_width, request_batch_invariant}) {
    request r = softmax_of({8, 32768});
    r.flags |= flag;
    EXPECT_EQ(variants(r, device_kind::cuda, alignments::recorded).size(), 1u);
  }
}

request masked_softmax(std::uintptr_t x_off, std::uintptr_t mask_off, std::uintptr_t y_off, std::int64_t offset) {
  const tensor_view y = dense(test::at(y_base + y_off), dtype::f16, {12, 512});
  request r;
  r.op = op_id::softmax;
  r.options = 1 << option_mask_form;
  r.add(role::x, dense(test::at(x_base + x_off), dtype::f16, {12, 512}));
  r.add(role::mask, dense(test::at(3 * x_base + mask_off), dtype::b8, {1, 512}));
  r.add(role::causal, causal_view(y, -1, offset));
  r.add(role::y, y);
  return r;
}

// The offset of a causal limit is no address, even where it is one of an operand's.
TEST(variants, numbers_stay_where_they_are) {
  const auto offset = static_cast<std::int64_t>(x_base);
  const auto all = variants(masked_softmax(0, 0, 0, offset), device_kind::cuda, alignments::every);
  for (const std::uintptr_t x : {0, 2, 6, 8}) {
    for (const std::uintptr_t mask : {0, 1, 4, 8}) {
      for (const std::uintptr_t y : {0, 2, 4, 14}) {
        EXPECT_TRUE(holds(all, masked_softmax(x, mask, y, 7), device_kind::cuda)) << x << " " << mask << " " << y;
      }
    }
  }
}

TEST(variants, many_tensors_are_not_all_combined) {
  request r = masked_softmax(0, 0, 0, 0);
  request many;
  many.op = r.op;
  many.options = r.options;
  many.add(role::x, r.operands[0].view);
  many.add(role::mask, r.operands[1].view);
  many.add(role::bias, dense(test::at(4 * x_base), dtype::f16, {12, 512}));
  many.add(role::y, r.operands[3].view);
  many.add(role::lse, dense(test::at(5 * x_base), dtype::f32, {12}));
  for (int k = 1; k <= 3; ++k) {
    many.add(argument_role(k), dense(test::at(static_cast<std::uintptr_t>(5 + k) * x_base), dtype::f32, {512}));
  }
  const auto all = variants(many, device_kind::cuda, alignments::every);
  EXPECT_LT(all.size(), 100u);
  EXPECT_TRUE(holds(all, many, device_kind::cuda));
  many.operands[2].view.data = test::at(4 * x_base + 8);
  EXPECT_TRUE(holds(all, many, device_kind::cuda));
}

TEST(wanted, no_key_twice_and_shared_code_is_seen) {
  manifest m = parse_manifest(to_line(softmax_of({12, 512})) + to_line(softmax_of({12, 49})));
  const auto t = find_target("sm_90");
  ASSERT_TRUE(t.ok());
  const wanted_list list = wanted_on(*t, m, alignments::every, nullptr);
  EXPECT_TRUE(list.problems.empty());
  std::vector<std::string> digests, codes;
  for (const wanted_kernel& k : list.kernels) {
    digests.push_back(k.key.what_digest());
    codes.push_back(k.same_code);
  }
  std::ranges::sort(digests);
  EXPECT_EQ(std::ranges::adjacent_find(digests), digests.end());
  std::ranges::sort(codes);
  EXPECT_NE(std::ranges::adjacent_find(codes), codes.end());
}

TEST(target, what_nobody_knows_is_refused_with_reasons) {
  EXPECT_EQ(find_target("tpu9").status().error(), code::unsupported);
  EXPECT_NE(find_target("tpu9").status().detail(), "");
  EXPECT_EQ(find_target("gfx936:sramecc+:xnack-")->traits.arch, "gfx936");
}

}  // namespace
}  // namespace rowsmith
