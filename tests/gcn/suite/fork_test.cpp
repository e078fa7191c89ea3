// A process that forks: nothing of HIP is touched before it is needed, so that the child can use the device.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gcn/suite/double.h"
#include "rowsmith/rowsmith.h"
#include "support/values.h"

namespace rowsmith::test {
namespace {

constexpr device card{device_kind::hip, 0};

bool is_loaded() {
  const std::string library = std::string(std::getenv("ROWSMITH_HIP_LIBS")) + "/libamdhip64.so.6";
  return ::dlopen(library.c_str(), RTLD_NOW | RTLD_NOLOAD) != nullptr;
}

// Softmax of one row on the card, by public calls alone.
status run_on_card() {
  const auto memory = allocate(card, 1024 * sizeof(float));
  if (!memory) return memory.status();
  std::vector<float> x = normal(1024), y(1024);
  status s = copy(card, *memory, x.data(), 4096);
  if (s.ok()) s = softmax(dense(*memory, dtype::f32, {1, 1024}, card));
  if (s.ok()) s = synchronize(card);
  if (s.ok()) s = copy(card, y.data(), *memory, 4096);
  double sum = 0;
  for (const float v : y) sum += v;
  if (s.ok() && !(sum > 0.9999 && sum < 1.0001)) s = status(code::internal, "the row does not sum to 1");
  const status freed = release(card, *memory);
  return s.ok() ? freed : s;
}

// f in a forked child; its answer is the child's exit status.
template <class F>
int in_child(F f) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(f());
  int ended = 0;
  EXPECT_EQ(::waitpid(child, &ended, 0), child);
  return WIFEXITED(ended) ? WEXITSTATUS(ended) : 128 + WTERMSIG(ended);
}

class forked : public testing::Test {
 protected:
  void SetUp() override { use_double(ROWSMITH_TEST_DOUBLE, "gfx906"); }
};

TEST_F(forked, a_child_of_a_process_that_used_only_the_host_uses_the_card) {
  std::vector<float> x = normal(512);
  ASSERT_TRUE(softmax(dense(x.data(), dtype::f32, {1, 512})).ok());
  EXPECT_FALSE(is_loaded()) << "a call on the host asks HIP for nothing";
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(in_child([] {
                const status s = run_on_card();
                if (!s.ok()) std::fprintf(stderr, "%s\n", s.to_string().c_str());
                return s.ok() ? 0 : 1;
              }),
              0);
  }
  EXPECT_FALSE(is_loaded());
}

// HIP does not survive a fork; what the child gets is an error and no crash. The parent goes on.
TEST_F(forked, a_child_of_a_process_that_used_the_card_is_told_so) {
  const status before = run_on_card();
  ASSERT_TRUE(before.ok()) << before.to_string();
  EXPECT_EQ(in_child([] {
              const status s = run_on_card();
              return s.ok() ? 1 : s.error() == code::device_error || s.error() == code::not_found ? 0 : 2;
            }),
            0);
  const status after = run_on_card();
  EXPECT_TRUE(after.ok()) << after.to_string();
}

}  // namespace
}  // namespace rowsmith::test
