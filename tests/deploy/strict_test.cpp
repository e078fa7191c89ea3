// Recorded with one number of rows, warmed, met with another where nothing may compile: calls of every kind hit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flow/in_child.h"
#include "rowsmith/deploy.h"
#include "rowsmith/rowsmith.h"
#include "support/private_folder.h"

namespace rowsmith::test {
namespace {

// Tensors of the null device, which reads and writes nothing.
class maker {
 public:
  tensor_view operator()(dtype t, const std::vector<std::int64_t>& shape) {
    next_ += std::uintptr_t{1} << 32;
    return dense(reinterpret_cast<void*>(next_), t, shape.data(), static_cast<int>(shape.size()),
                 {device_kind::null, 0});
  }

 private:
  std::uintptr_t next_ = 0;
};

struct named_call {
  const char* name;
  std::function<status(std::int64_t rows)> make;
};

std::vector<named_call> calls() {
  const auto t = [](dtype d, std::vector<std::int64_t> shape) {
    static maker make;
    return make(d, shape);
  };
  constexpr dtype f16 = dtype::f16, f32 = dtype::f32;
  return {
      {"softmax",
       [=](std::int64_t n) {
         return softmax(t(f16, {n, 512}), t(f16, {n, 512}));
       }},
      {"long softmax",
       [=](std::int64_t n) {
         return softmax(t(f16, {n, 32768}), t(f16, {n, 32768}));
       }},
      {"very long softmax",
       [=](std::int64_t n) {
         return softmax(t(f16, {n, 262144}), t(f16, {n, 262144}));
       }},
      {"along the first axis",
       [=](std::int64_t n) {
         return softmax(t(f32, {64, n * 2}), t(f32, {64, n * 2}), softmax_options{}.axis(0));
       }},
      {"of any width",
       [=](std::int64_t n) {
         return softmax(t(f16, {n, 20000}), t(f16, {n, 20000}), softmax_options{}.width(width_mode::any));
       }},
      {"batch invariant",
       [=](std::int64_t n) {
         return softmax(t(f16, {n, 32768}), t(f16, {n, 32768}), softmax_options{}.batch_invariant());
       }},
      {"with what is masked",
       [=](std::int64_t n) {
         return softmax(t(f16, {n, 16, 32768}),
                        softmax_inputs{}.keep(t(dtype::b8, {n, 16, 32768})).lse(t(f32, {n, 16})),
                        t(f16, {n, 16, 32768}));
       }},
      {"layer norm",
       [=](std::int64_t n) {
         return layer_norm(t(f16, {n, 32768}), t(f16, {n, 32768}),
                           norm_inputs{}.weight(t(f16, {32768})).bias(t(f16, {32768})));
       }},
      {"rms norm backward",
       [=](std::int64_t n) {
         return rms_norm_backward(
             t(f16, {n, 4096}), t(f16, {n, 4096}),
             norm_gradients{}.dx(t(f16, {n, 4096})).dweight(t(f32, {4096})).weight(t(f16, {4096})));
       }},
      {"moments",
       [=](std::int64_t n) {
         return moments(t(f32, {n, 32768}), {1}, t(f32, {n}), t(f32, {n}));
       }},
      {"gather",
       [=](std::int64_t n) {
         return gather_rows(t(f16, {5000, 4096}), t(dtype::i32, {n}), t(f16, {n, 4096}));
       }},
      {"copy",
       [=](std::int64_t n) {
         return copy(t(f16, {n, 4096}), t(f32, {n, 4096}));
       }},
      {"elementwise",
       [=](std::int64_t n) {
         return silu_mul(t(f16, {n, 4096}), t(f16, {n, 4096}), t(f16, {n, 4096}));
       }},
      {"of an odd width",
       [=](std::int64_t n) {
         return bias_gelu(t(f16, {n, 4095}), t(f16, {4095}), t(f16, {n, 4095}), gelu_form::tanh);
       }},
      {"fused",
       [=](std::int64_t n) {
         const expression e = *expression::make(arg(0) * param(0) + arg(1));
         op_call c("softmax");
         c.operand("x", t(f16, {n, 32768})).operand("y", t(f16, {n, 32768}));
         return c.fuse(fusion{}.post(e).with(t(f16, {32768})).param(0, static_cast<float>(n))).run();
       }},
  };
}

class strict : public testing::Test {
 protected:
  void all(std::int64_t rows, const char* cache, std::vector<std::string> environment, bool must_hit) {
    const int state = in_child(home_.path() / cache, environment, [=] {
      for (const named_call& c : calls()) {
        const status s = c.make(rows);
        EXPECT_TRUE(s.ok()) << c.name << ", " << rows << " rows: " << s.to_string() << "\n" << s.detail();
        if (must_hit) {
          EXPECT_EQ(last_cold_call().source, "disk") << c.name << ", " << rows << " rows";
        }
      }
      if (must_hit) {
        EXPECT_EQ(counters().compiled, 0u);
      }
    });
    EXPECT_EQ(state, 0);
  }
  private_folder home_;
};

TEST_F(strict, what_was_recorded_with_few_rows_is_met_with_many_and_the_other_way_round) {
  const std::string manifest = (home_.path() / "requests.jsonl").string();
  for (const std::int64_t recorded : {4, 3000}) {
    const std::string cache = "cache" + std::to_string(recorded);
    std::filesystem::remove(manifest);
    all(recorded, "recording", {"ROWSMITH_RECORD=" + manifest, "ROWSMITH_FORCE_SCALAR=1"}, false);
    const int warmed = in_child(home_.path() / "unused", {}, [&] {
      warm_options o;
      o.cache_dir = (home_.path() / cache).string();
      const result<warm_report> r = warm(manifest, {"null"}, o);
      ASSERT_TRUE(r.ok()) << r.status().to_string();
      EXPECT_EQ(r->targets.front().failed, 0);
      EXPECT_TRUE(r->refused.empty());
    });
    ASSERT_EQ(warmed, 0);
    for (const std::int64_t met : {2, 4, 33, 3000}) {
      all(met, cache.c_str(), {"ROWSMITH_COMPILE=never", "ROWSMITH_STRICT=1"}, true);
    }
  }
}

}  // namespace
}  // namespace rowsmith::test
