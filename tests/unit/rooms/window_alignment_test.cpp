// tests/unit/rooms/: the alignment that a plan claims holds for every pack of every row.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "backend/cuda/target.h"
#include "backend/hip/target.h"
#include "inspect/inspect.h"
#include "plan/plan.h"

namespace rowsmith {
namespace {

std::string constant_of(const launch_plan& l, std::string_view name) {
  for (const template_constant& c : l.constants) {
    if (c.name == name) return c.value;
  }
  return {};
}

// `lead` is the operand that the kernel takes a window's phase from: as share_of() does.
void expect_true_accesses(const facts& f, const traits& t, int lead) {
  const auto p = make_plan(f.fixed, t);
  ASSERT_TRUE(p.ok());
  const launch_plan& l = p->launches.front();
  if (constant_of(l, "pack").empty()) return;  // staged
  const int pack = std::stoi(constant_of(l, "pack"));
  const bool window = constant_of(l, "window") == "true";
  for (std::int64_t row = 0; row < std::min<std::int64_t>(f.call.rows, 64); ++row) {
    const auto base = [&](int k) {
      std::int64_t rest = row, offset = 0;
      for (int a = f.fixed.outer_rank; a-- > 0; rest /= f.call.extent[a])
        offset += rest % f.call.extent[a] * f.call.operands[k].stride[a];
      return reinterpret_cast<std::uintptr_t>(f.call.operands[k].data) +
             static_cast<std::uintptr_t>(offset) * size_of(f.fixed.operands[k].dtype);
    };
    const std::uintptr_t phase =
        window ? base(lead) / size_of(f.fixed.operands[lead].dtype) % static_cast<std::uintptr_t>(pack) : 0;
    for (int k = 0; k < f.fixed.operand_count; ++k) {
      if (f.fixed.operands[k].inner != inner::contiguous) continue;
      const std::uintptr_t first = base(k) - phase * size_of(f.fixed.operands[k].dtype);
      EXPECT_EQ(first % l.access[static_cast<std::size_t>(k)], 0u)
          << t.arch << " operand " << k << " row " << row << " " << to_string(f.fixed);
    }
  }
}

TEST(window_alignment, every_pack_of_every_row_is_as_aligned_as_the_plan_says) {
  std::vector<traits> targets;
  for (const char* name : {"sm_75", "sm_80", "sm_90", "sm_100", "sm_120"}) targets.push_back(*cuda::traits_of(name));
  for (const char* name : {"gfx906", "gfx90a", "gfx1030"}) targets.push_back(*hip::traits_of(name));
  for (const dtype in : {dtype::f32, dtype::f16, dtype::bf16}) {
    for (const dtype out : {dtype::f32, dtype::f16, dtype::bf16}) {
      for (const std::int64_t width : {202, 1025, 50257}) {
        for (const std::int64_t gap : {0, 4, 7}) {
          for (unsigned dx = 0; dx < 8; ++dx) {
            for (unsigned dy = 0; dy < 8; ++dy) {
              const device where{device_kind::null, 0};
              tensor_view x =
                  dense(reinterpret_cast<void*>((std::uintptr_t{1} << 40) + dx * size_of(in)), in, {9, width}, where);
              tensor_view y =
                  dense(reinterpret_cast<void*>((std::uintptr_t{1} << 44) + dy * size_of(out)), out, {9, width}, where);
              x.stride[0] = y.stride[0] = width + gap;
              request r;
              r.op = op_id::softmax;
              r.add(role::x, x);
              r.add(role::y, y);
              facts f;
              ASSERT_TRUE(inspect(r, &f).ok());
              for (const traits& t : targets) {
                f.fixed.vendor = t.vendor;
                expect_true_accesses(f, t, 0);  // 0: share_of(…, first.base). Change with the kernel.
              }
            }
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace rowsmith
