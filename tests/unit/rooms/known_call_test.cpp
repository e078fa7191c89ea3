// What is known ahead of a call: it must be launched with what an inspection would have found, or not so at all.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <set>

#include "backend/backend.h"
#include "call/call_form.h"
#include "call/call_memo.h"
#include "call/causal_view.h"
#include "call/known_launch.h"
#include "inspect/inspect.h"
#include "plan/plan.h"
#include "requests.h"

namespace rowsmith {
namespace {

using test::at;
using test::softmax_of;
using test::x_base;
using test::y_base;

constexpr device nothing{device_kind::null, 0};

bool same_form(const request& a, const request& b) {
  const call_form first(a), second(b);
  const auto v = first.words(), w = second.words();
  return first.usable() && second.usable() && std::equal(v.begin(), v.end(), w.begin(), w.end());
}

struct launched {
  std::int64_t blocks = 0;
  std::vector<std::uint64_t> words;
  bool operator==(const launched&) const = default;
};

class recorder final : public loaded_kernel {
 public:
  explicit recorder(launched* to) : to_(to) {}
  status launch(std::int64_t blocks, const void* arguments, std::size_t size, stream) const noexcept override {
    const auto* words = static_cast<const std::uint64_t*>(arguments);
    *to_ = {blocks, {words, words + size / sizeof *words}};
    return {};
  }

 private:
  launched* to_;
};

// A request, its class, and an executable whose kernel notes what it is launched with.
struct known_call {
  explicit known_call(const request& r) {
    EXPECT_TRUE(inspect(r, &found).ok());
    const auto traits = backend_for(device_kind::null)->traits_of("null");
    const auto p = make_plan(found.fixed, *traits);
    if (!p || p->launches.size() != 1) {
      ADD_FAILURE() << to_string(found.fixed) << " has no single launch";
      return;
    }
    const launch_plan& l = p->launches.front();
    std::vector<executable::step> steps;
    steps.push_back({std::make_unique<recorder>(&noted), l.rows_per_block, 132, l.repeating, l.cluster, l.items,
                     l.parts, l.layout});
    entry = table.put(found.fixed, std::make_shared<const executable>(std::move(steps), executable::workspace_need{},
                                                                      l.how, origin::compiled, ""));
    launch = known_launch::of(r, found, *entry);
  }

  // Is the call, of the same form, launched as known, and if so with what an inspection would say?
  bool goes_through(const request& r) {
    if (!launch->fits(r)) return false;
    facts f;
    const status inspected = inspect(r, &f);
    EXPECT_TRUE(inspected.ok()) << inspected.to_string();
    EXPECT_EQ(f.fixed, found.fixed) << to_string(f.fixed) << "\n" << to_string(found.fixed);
    EXPECT_TRUE(entry->current.load()->run(f, r.on).ok());
    const launched expected = noted;
    noted = {};
    EXPECT_TRUE(launch->launch(r).ok());
    EXPECT_EQ(noted, expected);
    return true;
  }

  facts found;
  launched noted;
  kernel_table table;
  const kernel_table::entry* entry = nullptr;
  std::unique_ptr<const known_launch> launch;
};

request masked_softmax(std::int64_t offset = 3) {
  const tensor_view y = dense(at(y_base), dtype::f16, {6, 40, 72}, nothing);
  tensor_view x = dense(at(x_base), dtype::f32, {6, 40, 80}, nothing);
  x.shape[2] = 72;
  request r;
  r.op = op_id::softmax;
  r.options = 1u << option_mask_form;
  r.add(role::x, x);
  r.add(role::mask, dense(at(x_base + (1 << 30)), dtype::b8, {40, 72}, nothing));
  r.add(role::causal, causal_view(y, -1, offset));
  r.add(role::y, y);
  return r;
}

request normed_rows() {
  request r;
  r.op = op_id::layer_norm;
  r.axis = 1;
  r.param[first_op_param] = 1e-5f;
  r.add(role::x, dense(at(x_base), dtype::bf16, {100, 192}, nothing), 4);
  r.add(role::weight, dense(at(x_base + (1 << 30)), dtype::bf16, {192}, nothing));
  r.add(role::y, dense(at(y_base), dtype::bf16, {160, 192}, nothing));
  r.add(role::mean, dense(at(y_base + (1 << 30)), dtype::f32, {160}, nothing));
  r.add(role::index, dense(at(x_base + (1 << 20)), dtype::i32, {160}, nothing));
  return r;
}

request backwards() {  // rows from the last to the first
  request r =
      softmax_of(dense(at(x_base), dtype::f16, {64, 128}, nothing), dense(at(y_base), dtype::f16, {64, 128}, nothing));
  for (int k = 0; k < 2; ++k) r.operands[k].view.stride[0] = -128;
  return r;
}

request plain() {
  return softmax_of(dense(at(x_base), dtype::f16, {64, 128}, nothing),
                    dense(at(y_base), dtype::f16, {64, 128}, nothing));
}

TEST(known_launch, is_launched_with_what_an_inspection_finds) {
  for (const request& first : {plain(), backwards(), masked_softmax(), normed_rows()}) {
    known_call known(first);
    ASSERT_NE(known.launch, nullptr);
    EXPECT_TRUE(known.goes_through(first));
    request moved = first;
    for (int k = 0; k < moved.operand_count; ++k) {
      if (moved.operands[k].what == role::causal) continue;
      auto* bytes = static_cast<std::byte*>(moved.operands[k].view.data);
      moved.operands[k].view.data = bytes + 4096 * (k + 1);
    }
    moved.param[first_op_param] = 2.5f;
    moved.param[0] = -1;
    EXPECT_TRUE(known.goes_through(moved));
  }
  known_call causal(masked_softmax(3));
  EXPECT_TRUE(causal.goes_through(masked_softmax(-17))) << "an offset is a number of the call";
}

// Addresses at random, near to one another: what is launched so must be what an inspection allows.
TEST(known_launch, never_launches_what_an_inspection_refuses) {
  int through = 0, refused = 0;
  std::uint64_t random = 1;
  const auto draw = [&](std::uint64_t below) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    return (random >> 33) % below;
  };
  for (const request& first : {plain(), backwards(), masked_softmax(), normed_rows()}) {
    known_call known(first);
    for (int i = 0; i < 2000; ++i) {
      request r = first;
      for (int k = 0; k < r.operand_count; ++k) {
        if (r.operands[k].what != role::causal) r.operands[k].view.data = at(x_base + 4096 * draw(64));
      }
      if (same_form(r, first)) ++(known.goes_through(r) ? through : refused);
    }
  }
  EXPECT_GT(through, 500);
  EXPECT_GT(refused, 500);
}

TEST(known_launch, in_place_stays_in_place) {
  request r = plain();
  r.operands[1].view.data = r.operands[0].view.data;
  known_call known(r);
  ASSERT_NE(known.launch, nullptr);
  EXPECT_TRUE(known.found.fixed.has(fact_in_place));
  request elsewhere = r;
  for (int k = 0; k < 2; ++k) elsewhere.operands[k].view.data = at(y_base);
  EXPECT_TRUE(known.goes_through(elsewhere));
  EXPECT_FALSE(known.goes_through(plain()));
}

TEST(known_launch, no_memory_and_wrapping_memory_are_looked_at_again) {
  known_call known(plain());
  for (int k = 0; k < 2; ++k) {
    for (const std::uintptr_t wrong : {std::uintptr_t{0}, std::uintptr_t{0x7ffffffffffffff0}}) {
      request r = plain();
      r.operands[k].view.data = at(wrong);
      facts f;
      EXPECT_FALSE(inspect(r, &f).ok());
      EXPECT_FALSE(known.launch->fits(r)) << k << " " << wrong;
    }
  }
  request r = plain();
  r.workspace = at(y_base + (1 << 30));
  EXPECT_FALSE(known.launch->fits(r));
}

TEST(known_launch, nothing_is_known_of_operands_that_lie_within_one_another) {
  request r = softmax_of(dense(at(x_base), dtype::f16, {64, 256}, nothing),
                         dense(at(x_base + 256), dtype::f16, {64, 256}, nothing));
  for (int k = 0; k < 2; ++k) r.operands[k].view.shape[1] = 128;  // halves of one tensor's rows
  const known_call known(r);
  EXPECT_FALSE(known.launch->fits(r));
  EXPECT_TRUE(known.launch->is_current());  // and so nobody asks again
}

TEST(known_launch, a_replaced_kernel_is_no_longer_known) {
  known_call known(plain());
  EXPECT_TRUE(known.launch->is_current());
  known.table.put(known.found.fixed,
                  std::make_shared<const executable>(std::vector<executable::step>{}, executable::workspace_need{},
                                                     mechanism::lanes, origin::compiled, "another"));
  EXPECT_FALSE(known.launch->is_current());
}

TEST(call_form, everything_but_addresses_and_scalars_tells) {
  const std::vector<std::function<void(request&)>> changes = {
      [](request& r) { r.op = op_id::log_softmax; },
      [](request& r) { --r.operand_count; },
      [](request& r) { r.axis = 0; },
      [](request& r) { r.options ^= std::uint64_t{1} << 63; },
      [](request& r) { r.flags ^= 0x80; },
      [](request& r) { r.pre.word[0] = 1; },
      [](request& r) { r.post.word[1] = 1; },
      [](request& r) { r.operands[1].what = role::dx; },
      [](request& r) { r.operands[1].rows_from = 0; },
      [](request& r) { r.operands[1].view.dtype = dtype::bf16; },
      [](request& r) { r.operands[1].view.device.kind = device_kind::cuda; },
      [](request& r) { r.operands[1].view.device.index = 1; },
      [](request& r) { r.operands[1].view.rank = 1; },
      [](request& r) { r.operands[1].view.shape[1] = 127; },
      [](request& r) { r.operands[0].view.stride[0] = -128; },
      [](request& r) { r.operands[1].view.data = at(y_base + 2); },
      [](request& r) { r.operands[1].view.data = r.operands[0].view.data; },
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    request changed = plain();
    changes[i](changed);
    EXPECT_FALSE(same_form(plain(), changed)) << i;
  }
  request moved = plain();
  moved.operands[0].view.data = at(x_base + 64);
  moved.param[3] = 4;
  moved.operands[0].view.shape[2] = 99;  // behind its rank: not read
  moved.on.handle = at(7);
  EXPECT_TRUE(same_form(plain(), moved));
}

// Wherever operands of mixed widths lie: what has one form is of one class.
TEST(call_form, of_a_class_each) {
  const auto two = [](op_id op, dtype in, dtype out) {
    request r = softmax_of(dense(at(x_base), in, {24, 33}, nothing), dense(at(y_base), out, {24, 33}, nothing));
    r.op = op;
    return r;
  };
  int classes = 0;
  for (const request& first :
       {two(op_id::copy, dtype::f32, dtype::f16), two(op_id::copy, dtype::bf16, dtype::f32),
        two(op_id::copy, dtype::i64, dtype::i64), two(op_id::softmax, dtype::f32, dtype::f16),
        two(op_id::softmax, dtype::f16, dtype::f32), two(op_id::elementwise, dtype::f32, dtype::bf16), normed_rows()}) {
    std::map<std::vector<std::uint64_t>, facts> known;
    std::set<std::string> seen;
    const auto lay = [&](int k, std::uintptr_t from) { return at(k == 0 ? x_base + from : y_base + from); };
    const int last = first.operand_count - (first.operands[first.operand_count - 1].what == role::index ? 3 : 1);
    for (std::uintptr_t a = 0; a < 256; a += size_of(first.operands[0].view.dtype)) {
      for (std::uintptr_t b = 0; b < 256; b += size_of(first.operands[last].view.dtype)) {
        request r = first;
        r.operands[0].view.data = lay(0, a);
        r.operands[last].view.data = lay(1, b);
        facts f;
        ASSERT_TRUE(inspect(r, &f).ok());
        const call_form form(r);
        const auto [it, fresh] = known.try_emplace({form.words().begin(), form.words().end()}, f);
        ASSERT_EQ(it->second.fixed, f.fixed) << a << " " << b << ": " << to_string(f.fixed) << "\n"
                                             << to_string(it->second.fixed);
        seen.insert(to_string(f.fixed));
      }
    }
    classes += static_cast<int>(seen.size());
  }
  EXPECT_GT(classes, 30);
}

TEST(call_form, numbers_out_of_bounds_have_none) {
  request r = plain();
  r.operands[1].view.rank = max_rank + 1;
  EXPECT_FALSE(call_form(r).usable());
  r.operands[1].view.rank = -1;
  EXPECT_FALSE(call_form(r).usable());
  r = plain();
  r.operands[0].view.device.index = std::numeric_limits<std::int32_t>::min();
  EXPECT_FALSE(call_form(r).usable());
  r.operand_count = 0;
  EXPECT_FALSE(call_form(r).usable());
}

TEST(call_memo, keeps_the_newest_of_a_form_and_takes_only_so_many) {
  known_call known(plain());
  call_memo memo;
  const call_form form(plain());
  EXPECT_EQ(memo.find(form), nullptr);
  for (int again = 0; again < 2; ++again) {
    auto launch = known_launch::of(plain(), known.found, *known.entry);
    const known_launch* newest = launch.get();
    memo.remember(form, std::move(launch));
    EXPECT_EQ(memo.find(form), newest);
  }
  request r = plain();
  for (std::size_t i = 0; i < 2 * call_memo::most_forms; ++i) {
    r.operands[0].view.stride[0] = static_cast<std::int64_t>(1000 + i);
    memo.remember(call_form(r), known_launch::of(plain(), known.found, *known.entry));
  }
  EXPECT_TRUE(memo.full());
  EXPECT_EQ(memo.find(call_form(r)), nullptr);
  EXPECT_NE(memo.find(form), nullptr);
  memo.clear();
  EXPECT_FALSE(memo.full());
  EXPECT_EQ(memo.find(form), nullptr);
}

}  // namespace
}  // namespace rowsmith
