// What the machine code of every golden plan must be on 64 lanes, read from hipRTC's code objects instruction by
// instruction. Nothing runs here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "backend/backend.h"
#include "image.h"
#include "inspect/inspect.h"
#include "plan/plan.h"
#include "render/render.h"
#include "support/golden_cases.h"

namespace rowsmith::test {
namespace {

bool holds(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// One kernel as the compiler made it: its notes, and how many of its instructions are of a kind.
struct kernel_code {
  gcn::kernel_facts facts;
  std::vector<std::string> text;

  template <class Is>
  std::vector<std::string> those(Is is) const {
    std::vector<std::string> found;
    std::copy_if(text.begin(), text.end(), std::back_inserter(found), is);
    return found;
  }
  std::vector<std::string> that_hold(std::string_view part) const {
    return those([&](const std::string& i) { return holds(i, part); });
  }
};

bool streams(const std::string& i) { return holds(i, " slc"); }
// By a base that is the same for the whole wave, and an offset.
bool has_scalar_base(const std::string& i) { return !holds(i, ", off"); }

std::string constant_of(const launch_plan& l, std::string_view name) {
  for (const template_constant& c : l.constants) {
    if (c.name == name) return c.value;
  }
  return "";
}

// Does every lane of a wave hold packs that are inside the row whatever its number, within reach of an access's offset?
bool is_within_reach(const launch_plan& l, const facts& f) {
  if (l.how != mechanism::lanes || constant_of(l, "lanes") != "64" || constant_of(l, "window") != "false") return false;
  if (op_id::softmax != f.fixed.op)
    return false;  // others read weights behind a branch, and there the compiler forgets
  const std::int64_t width = f.fixed.width, packs = 64 * std::atoll(constant_of(l, "pack").c_str());
  return width % packs == 0 && width * 4 <= 4096;
}

// Have all lanes of a wave one row?
bool is_of_whole_waves(const launch_plan& l) {
  if (l.how == mechanism::lanes) return constant_of(l, "lanes") == "64";
  return l.how == mechanism::block || l.how == mechanism::streamed;
}

bool reduces(op_id op) {
  return op != op_id::copy && op != op_id::elementwise && op != op_id::gather_rows && op != op_id::gather_rows_backward;
}

template <class Is>
bool has_operand(const facts& f, Is is) {
  return std::any_of(f.fixed.operands, f.fixed.operands + f.fixed.operand_count, is);
}
bool has_index(const facts& f) {
  return has_operand(f, [](const operand_facts& o) { return o.has(operand_indexed); });
}

// Rows of one axis, side by side in memory, each for itself: whatever is multiplied is where a row begins.
bool has_plain_rows(const facts& f) {
  const op_id op = f.fixed.op;
  return f.fixed.outer_rank == 1 && f.fixed.inner_rank == 1 && !has_index(f) && op != op_id::moments &&
         op != op_id::layer_norm_backward && op != op_id::rms_norm_backward &&
         !has_operand(f, [](const operand_facts& o) { return o.inner == inner::strided; });
}

void expect_good_code(const launch_plan& l, const facts& f, const kernel_code& k) {
  const op_id op = f.fixed.op;
  EXPECT_EQ(k.facts.max_threads, static_cast<std::uint32_t>(l.threads)) << "the flat work-group size";
  EXPECT_EQ(k.facts.scratch_bytes, 0u);
  EXPECT_THAT(k.that_hold("scratch_"), testing::IsEmpty());
  EXPECT_THAT(k.that_hold("buffer_"), testing::IsEmpty());
  EXPECT_THAT(k.that_hold("v_accvgpr"), testing::IsEmpty()) << "spilled to matrix registers";
  if (l.register_budget != 0) {
    EXPECT_LE(k.facts.vgprs, static_cast<std::uint32_t>(l.register_budget));
  }
  EXPECT_GE(static_cast<int>(k.that_hold("s_barrier").size()), l.barriers);
  // No exchange between lanes goes by the LDS.
  EXPECT_THAT(k.that_hold("permute_b32"), testing::IsEmpty());
  EXPECT_THAT(k.that_hold("ds_swizzle"), testing::IsEmpty());
  if (l.how == mechanism::lanes && l.barriers == 0 && l.dynamic_shared == 0 && k.that_hold("s_barrier").empty()) {
    EXPECT_EQ(k.facts.lds_bytes, 0u);
    EXPECT_THAT(k.that_hold("ds_"), testing::IsEmpty());
  }
  if (reduces(op) && is_of_whole_waves(l)) {
    EXPECT_FALSE(k.that_hold("_dpp").empty());
  }
  if (l.wide_access) {
    EXPECT_FALSE(k.that_hold("global_load_dwordx4").empty());
    if (op != op_id::moments) {
      EXPECT_FALSE(k.that_hold("global_store_dwordx4").empty());
    }
    // What is read twice, as neighbours' words of shifted packs are, is to stay in the caches.
    if (l.how != mechanism::streamed && l.how != mechanism::any_width && l.shifted == 0) {
      EXPECT_TRUE(std::ranges::any_of(k.that_hold("global_load_dwordx4"), streams)) << "no load streams";
    }
  }
  EXPECT_TRUE(std::ranges::all_of(k.that_hold("global_store_dwordx4"), streams)) << "a store does not stream";
  // Where a row begins is computed once a wave, by scalar instructions.
  if (is_of_whole_waves(l) && has_plain_rows(f)) {
    for (const char* multiply : {"v_mul_hi_u32", "v_mad_u64_u32", "v_mad_i64_i32"}) {
      EXPECT_THAT(k.that_hold(multiply), testing::IsEmpty());
    }
  }
  if (is_within_reach(l, f)) {
    for (const std::string& i : k.that_hold("global_load_dwordx4")) EXPECT_TRUE(has_scalar_base(i)) << i;
  }
}

class machine_code : public testing::TestWithParam<std::tuple<const char*, int>> {
 protected:
  result<kernel_code> compile(backend& b, const traits& t, const source& s) {
    const auto made = b.compile(s, t);
    if (!made) return made.status();
    const auto image = gcn::image::load(made->code, t.arch, std::make_shared<gcn::memory_map>());
    if (!image) return image.status();
    const gcn::kernel_facts* facts = (*image)->find(s.entry);
    if (facts == nullptr) return status(code::not_found, s.entry);
    kernel_code k{*facts, {}};
    for (const gcn::instruction& i : (*image)->instructions()) k.text.push_back(i.text);
    return k;
  }
};

TEST_P(machine_code, of_every_golden_plan) {
  backend& b = *backend_for(device_kind::hip);
  const auto t = b.traits_of(std::get<0>(GetParam()));
  ASSERT_TRUE(t.ok()) << t.status().to_string();
  if (const auto who = b.compiler(*t); !who) GTEST_SKIP() << who.status().to_string();
  const golden_group group = golden_groups().at(static_cast<std::size_t>(std::get<1>(GetParam())));
  std::set<std::string> seen;  // calls whose kernels are the same
  for (const named_request& c : group.calls) {
    facts f;
    ASSERT_TRUE(inspect(c.call, &f).ok()) << c.name;
    f.fixed.vendor = device_kind::hip;
    const auto p = make_plan(f.fixed, *t);
    ASSERT_TRUE(p.ok()) << c.name << p.status().to_string();
    for (const launch_plan& l : p->launches) {
      SCOPED_TRACE(c.name + " " + l.entry);
      const auto s = render(l, f.fixed, *t);
      ASSERT_TRUE(s.ok()) << s.status().to_string();
      if (!seen.insert(s->text).second) continue;
      const auto k = compile(b, *t, *s);
      ASSERT_TRUE(k.ok()) << k.status().to_string() << k.status().detail();
      expect_good_code(l, f, *k);
    }
  }
  EXPECT_FALSE(seen.empty());
}

INSTANTIATE_TEST_SUITE_P(cards, machine_code,
                         testing::Combine(testing::Values("gfx906", "gfx90a"), testing::Range(0, 6)),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param)) + "_" +
                                  golden_groups().at(static_cast<std::size_t>(std::get<1>(info.param))).name;
                         });

}  // namespace
}  // namespace rowsmith::test
