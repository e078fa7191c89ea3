// Compiles in processes of their own: what they answer, that they run beside each other, and what is left when the
// compiler ends its process.
#include "backend/hip/compile_apart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <stdexcept>
#include <thread>

#include "backend/hip/comgr.h"
#include "base/forked.h"

namespace rowsmith {
namespace {

using testing::HasSubstr;

TEST(forked, answers_whatever_it_is_asked) {
  for (const std::size_t length : {0, 1, 5'000'000}) {
    auto copy = forked::start([&] { return std::string(length, 'x'); });
    ASSERT_TRUE(copy) << copy.status().to_string();
    const auto answer = copy->answer();
    ASSERT_TRUE(answer) << answer.status().to_string();
    EXPECT_EQ(*answer, std::string(length, 'x'));
  }
}

TEST(forked, one_that_throws_has_no_answer) {
  const auto answer = forked::start([]() -> std::string { throw std::runtime_error("no"); }).value().answer();
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.status().error(), code::internal);
}

TEST(forked, one_that_is_killed_says_by_what) {
  const auto answer = forked::start([]() -> std::string { return ::raise(SIGKILL), ""; }).value().answer();
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.status().message(), HasSubstr("signal 9"));
}

TEST(forked, one_that_nobody_asks_is_gone_with_its_handle) {
  EXPECT_TRUE(forked::start([] { return std::string(1 << 20, 'x'); }).ok());
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a process is left";
}

// A compiler whose compile() is given.
class scripted final : public hip::compiler {
 public:
  using script = std::function<result<binary>(const source& s)>;
  explicit scripted(script s) : script_(std::move(s)) {}
  library_probe probe() override { return {"compiler", "here", "1", {}}; }
  result<compiler_id> identity(const std::string&) override { return compiler_id{"scripted", "1", "0123456789abcdef"}; }
  result<binary> compile(const source& s, const std::string&) override { return script_(s); }

 private:
  script script_;
};

hip::toolchain chain_of(scripted::script s) {
  std::vector<std::unique_ptr<hip::compiler>> all;
  all.push_back(std::make_unique<scripted>(std::move(s)));
  return hip::toolchain(std::move(all));
}

source named(const char* name) {
  source s;
  s.name = name;
  return s;
}

TEST(compile_apart, gives_what_the_compiler_gives) {
  hip::toolchain t = chain_of([](const source&) {
    binary made;
    for (int i = 0; i < 300; ++i) made.code.push_back(static_cast<std::byte>(i));
    made.log = "a remark\n";
    made.compile_ms = 12.5;
    return made;
  });
  const auto made = hip::compile_apart(t, named("k"), "gfx906");
  ASSERT_TRUE(made) << made.status().to_string();
  ASSERT_EQ(made->code.size(), 300u);
  EXPECT_EQ(made->code[299], static_cast<std::byte>(299));
  EXPECT_EQ(made->log, "a remark\n");
  EXPECT_EQ(made->compile_ms, 12.5);
}

TEST(compile_apart, gives_a_refusal_with_all_of_it) {
  hip::toolchain t = chain_of([](const source&) -> result<binary> {
    return status(code::unsupported, "not this one", 7, "seven").with_detail("line 1\nline 2");
  });
  const auto made = hip::compile_apart(t, named("k"), "gfx906");
  ASSERT_FALSE(made);
  EXPECT_EQ(made.status().error(), code::unsupported);
  EXPECT_EQ(made.status().message(), "not this one");
  EXPECT_EQ(made.status().detail(), "line 1\nline 2");
  EXPECT_EQ(made.status().vendor_code(), 7);
  EXPECT_EQ(made.status().vendor_text(), "seven");
}

TEST(compile_apart, outlives_a_compiler_that_ends_its_process) {
  hip::toolchain t = chain_of([](const source&) -> result<binary> {
    ::raise(SIGKILL);
    return binary{};
  });
  const auto made = hip::compile_apart(t, named("k"), "gfx906");
  ASSERT_FALSE(made);
  EXPECT_EQ(made.status().error(), code::compile_failed);
  EXPECT_THAT(made.status().message(), HasSubstr("signal 9"));
}

// Each of two compiles waits for a sign of the other, under the lock that compiles in one process take.
TEST(compile_apart, two_run_beside_each_other) {
  int to_a[2], to_b[2];
  ASSERT_EQ(::pipe(to_a), 0);
  ASSERT_EQ(::pipe(to_b), 0);
  hip::toolchain t = chain_of([&](const source& s) -> result<binary> {
    const std::lock_guard alone(hip::compiling_for_amd);
    const bool is_a = s.name == "a";
    char sign = '!';
    pollfd other{(is_a ? to_a : to_b)[0], POLLIN, 0};
    if (::write((is_a ? to_b : to_a)[1], &sign, 1) != 1) return status(code::io_error, "no sign given");
    if (::poll(&other, 1, 30'000) != 1) return status(code::internal, "no sign of the other one");
    return binary{};
  });
  status of_a, of_b;
  std::thread other([&] { of_b = hip::compile_apart(t, named("b"), "gfx906").status(); });
  of_a = hip::compile_apart(t, named("a"), "gfx906").status();
  other.join();
  EXPECT_TRUE(of_a.ok()) << of_a.to_string();
  EXPECT_TRUE(of_b.ok()) << of_b.to_string();
  for (const int fd : {to_a[0], to_a[1], to_b[0], to_b[1]}) ::close(fd);
}

TEST(compile_apart, makes_the_same_bytes) {
  backend& b = *backend_for(device_kind::hip);
  const auto target = b.traits_of("gfx906");
  ASSERT_TRUE(target) << target.status().to_string();
  if (const auto who = b.compiler(*target); !who) GTEST_SKIP() << who.status().to_string();
  source s = named("k.hip");
  s.entry = "k";
  s.text = "extern \"C\" __attribute__((global)) void k(int* y) { *y = 1; }\n";
  const auto here = b.compile(s, *target), apart = b.compile_apart(s, *target);
  ASSERT_TRUE(here && apart) << apart.status().to_string();
  EXPECT_EQ(here->code, apart->code);
  s.text += "no c++\n";
  const auto refused = b.compile_apart(s, *target);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.status().error(), code::compile_failed);
  EXPECT_THAT(refused.status().detail(), HasSubstr("error:"));
}

}  // namespace
}  // namespace rowsmith
