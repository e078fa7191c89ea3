#include "faults.h"

#include <sys/mman.h>

#include <cmath>
#include <new>

#include "base/no_destructor.h"

// What the linker calls for rowsmith::cache::posix_file_ops(), and what it was.
rowsmith::cache::file_ops& wrapped() asm("__wrap__ZN8rowsmith5cache14posix_file_opsEv");
rowsmith::cache::file_ops& real() asm("__real__ZN8rowsmith5cache14posix_file_opsEv");
rowsmith::cache::file_ops& wrapped() { return rowsmith::test::the_disk(); }

namespace rowsmith::test {

cache::test::faulty_ops& the_disk() {
  static no_destructor<cache::test::faulty_ops> disk(real());
  return *disk;
}

status call(device_kind where, std::int64_t width) {
  const device on{where, 0};
  const std::int64_t rows = 4;
  std::vector<float> x(static_cast<std::size_t>(rows * width)), y(x.size(), -1.0f);
  for (std::size_t k = 0; k < x.size(); ++k) x[k] = static_cast<float>(k % 13) - 6.0f;
  const status s =
      softmax(dense(x.data(), dtype::f32, {rows, width}, on), dense(y.data(), dtype::f32, {rows, width}, on));
  if (!s.ok() || where != device_kind::host) return s;
  for (std::int64_t row = 0; row < rows; ++row) {
    const float* in = x.data() + row * width;
    double sum = 0;
    for (std::int64_t i = 0; i < width; ++i) sum += std::exp(static_cast<double>(in[i]));
    for (std::int64_t i = 0; i < width; ++i) {
      const double right = std::exp(static_cast<double>(in[i])) / sum;
      if (std::abs(static_cast<double>(y[static_cast<std::size_t>(row * width + i)]) - right) > 1e-6 * right + 1e-12) {
        return status(code::internal, "the result is wrong");
      }
    }
  }
  return s;
}

int faults::operations(const std::function<void()>& body, std::vector<std::string> environment) const {
  auto* counted =
      static_cast<int*>(::mmap(nullptr, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  EXPECT_EQ(scene([&] { body(), *counted = the_disk().calls(); }, std::move(environment)), 0);
  const int n = *counted;
  ::munmap(counted, sizeof(int));
  return n;
}

void faults::expect_the_next_one_works(device_kind where, std::int64_t width) const {
  for (const char* source : {"", "disk"}) {
    const int state = scene([&] {
      ASSERT_TRUE(call(where, width).ok());
      EXPECT_EQ(counters().cache_damaged, 0u);
      EXPECT_EQ(counters().fallback_kernels, 0u);
      if (*source != '\0') {
        EXPECT_EQ(last_cold_call().source, source);
      }
    });
    ASSERT_EQ(state, 0);
  }
}

}  // namespace rowsmith::test
