// No memory, at every allocation of a call: an answer, never the end of the process.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "policies.h"

namespace {

thread_local long g_left = -1;  // allocations of this thread until all fail; negative: none do

void* take(std::size_t bytes) {
  if (g_left == 0) return nullptr;
  if (g_left > 0) --g_left;
  return std::malloc(bytes == 0 ? 1 : bytes);
}

}  // namespace

void* operator new(std::size_t bytes) {
  if (void* memory = take(bytes); memory != nullptr) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return take(bytes); }
// Not inlined: g++ sees free() beside new then, and takes them for a mismatch.
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace rowsmith::test {
namespace {

class no_memory : public policies {
 protected:
  // Runs `f` with memory for 0, 1, 2, … allocations, until it needs no more. How many it needs.
  static long starve(const std::function<code()>& f, const std::vector<code>& allowed) {
    for (long n = 0;; ++n) {
      g_left = n;
      const code c = f();
      const bool enough = g_left > 0;
      g_left = -1;
      EXPECT_NE(std::find(allowed.begin(), allowed.end(), c), allowed.end()) << name_of(c) << " at " << n;
      if (enough || n > 5000) return n;
    }
  }
};

TEST_F(no_memory, a_refusal_keeps_its_code) {
  in_child({}, [] {
    ASSERT_TRUE(call(64).ok());
    const device null{device_kind::null, 0}, host{device_kind::host, 0};
    float* const at = reinterpret_cast<float*>(1 << 20);
    const tensor_view good = dense(at, dtype::f32, {8, 64}, null);
    tensor_view stretched = good;
    stretched.stride[0] = std::int64_t{1} << 60;
    softmax_options old;
    old.struct_size = 1;
    const std::vector<std::function<status()>> refused = {
        [&] {
          return softmax(good, dense(at, dtype::f32, {8, 65}, null));
        },
        [&] {
          return softmax(good, dense(at, dtype::i64, {8, 64}, null));
        },
        [&] {
          return softmax(good, dense(at, dtype::f32, {8, 64}, host));
        },
        [&] { return softmax(good, good, softmax_options{}.axis(9)); },
        [&] { return softmax(good, good, old); },
        [&] { return softmax(stretched, stretched); },
    };
    for (std::size_t i = 0; i < refused.size(); ++i) {
      const long needed = starve([&] { return refused[i]().error(); }, {code::invalid_argument});
      EXPECT_GT(needed, 1) << i << ": it says why";
    }
  });
}

TEST_F(no_memory, a_cold_call_says_so_and_the_next_one_works) {
  in_child({}, [] {
    const long first = starve([] { return call(64).error(); }, {code::ok, code::out_of_memory});
    std::int64_t width = 512;
    const long cold = starve([&] { return call(width += 8, softmax_options{}.width(width_mode::exact)).error(); },
                             {code::ok, code::out_of_memory});
    EXPECT_GT(first, 10);
    EXPECT_GT(cold, 10);
    for (std::int64_t w = 512; w <= width; w += 8)
      ASSERT_TRUE(call(w, softmax_options{}.width(width_mode::exact)).ok());
    EXPECT_GT(starve([] { return call(64).error(); }, {code::ok}), 1) << "the second call is remembered, or not";
    EXPECT_EQ(starve([] { return call(64).error(); }, {code::ok}), 1) << "a warm call needs none";
  });
}

}  // namespace
}  // namespace rowsmith::test
