#include "base/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace rowsmith {
namespace {

class variable {
 public:
  variable(const char* name, const char* value) : name_(name) { ::setenv(name, value, 1); }
  ~variable() { ::unsetenv(name_); }

 private:
  const char* name_;
};

TEST(environment, reads_typed_values) {
  const variable a("ROWSMITH_CACHE_MAX_BYTES", "3M"), b("ROWSMITH_COMPILE", "never"),
      c("ROWSMITH_SITE_DIRS", "/a:/b c:"), d("ROWSMITH_FORCE_SCALAR", "1"), e("ROWSMITH_LOG", "warn");
  const environment env = read_environment();
  EXPECT_EQ(env.cache_max_bytes, 3u << 20);
  EXPECT_EQ(env.compile, compile_policy::never);
  EXPECT_THAT(env.site_dirs, testing::ElementsAre("/a", "/b c"));
  EXPECT_TRUE(env.force_scalar);
  EXPECT_EQ(env.log, log_level::warn);
  EXPECT_TRUE(env.complaints.empty());
}

TEST(environment, illegal_values_are_told_never_ignored) {
  const variable a("ROWSMITH_CACHE_MAX_BYTES", "many"), b("ROWSMITH_COMPILE", "sometimes"),
      c("ROWSMITH_FORCE_SCALAR", "perhaps"), d("ROWSMITH_LOG", "loud");
  const environment env = read_environment();
  EXPECT_EQ(env.cache_max_bytes, 1u << 30);
  ASSERT_EQ(env.complaints.size(), 4u);
  EXPECT_THAT(env.complaints, testing::Each(testing::HasSubstr("allowed is")));
  EXPECT_THAT(env.complaints, testing::Contains(testing::HasSubstr("ROWSMITH_COMPILE is \"sometimes\"")));
}

TEST(environment, a_size_that_overflows_is_illegal) {
  const variable a("ROWSMITH_CACHE_MAX_BYTES", "99999999999G");
  EXPECT_EQ(read_environment().complaints.size(), 1u);
}

}  // namespace
}  // namespace rowsmith
