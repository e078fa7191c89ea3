// rowsmith warm as somebody sees it who sits before it, and who stops it.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "command.h"
#include "support/private_folder.h"

namespace rowsmith::cli_test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class warm : public testing::Test {
 protected:
  // As many softmaxes of the null device.
  void ask_for(int kernels) {
    std::ofstream file(manifest_);
    for (int i = 0; i < kernels; ++i) {
      const std::string shape = R"("dtype":"f16","shape":[64,)" + std::to_string(64 + 8 * i) + "]}";
      file << R"({"rowsmith":1,"op":"softmax","options":0,"operands":[{"role":"x",)" << shape << R"(,{"role":"y",)"
           << shape << "]}\n";
    }
  }

  // Starts the command with its messages going to `err`.
  pid_t start(int err) const {
    const pid_t child = ::fork();
    if (child != 0) return child;
    const int nowhere = ::open("/dev/null", O_WRONLY);
    ::dup2(nowhere, 1);
    ::dup2(err, 2);
    ::execl(ROWSMITH_CLI_PATH, "rowsmith", "warm", manifest_.c_str(), "--target", "null", "--alignments", "recorded",
            "--cache-dir", cache_.c_str(), static_cast<char*>(nullptr));
    ::_exit(127);
  }

  int entries() const {
    std::error_code gone;  // folders come and go
    int n = 0;
    for (fs::recursive_directory_iterator i(cache_, gone), end; i != end; i.increment(gone)) {
      n += i->path().extension() == ".rsk";
    }
    return n;
  }

  const test::private_folder folder_{"warm"};
  const std::string manifest_ = (folder_.path() / "requests.jsonl").string();
  const std::string cache_ = (folder_.path() / "cache").string();
};

TEST_F(warm, a_terminal_sees_how_far_it_is_and_what_is_left) {
  ask_for(40);
  int ours = -1, theirs = -1;
  ASSERT_EQ(::openpty(&ours, &theirs, nullptr, nullptr, nullptr), 0);
  const pid_t child = start(theirs);
  ::close(theirs);
  std::string seen;
  char block[512];
  for (ssize_t n = 0; (n = ::read(ours, block, sizeof block)) > 0;) seen.append(block, static_cast<std::size_t>(n));
  ::close(ours);
  int state = 0;
  ASSERT_EQ(::waitpid(child, &state, 0), child);
  EXPECT_EQ(state, 0);
  EXPECT_THAT(seen, HasSubstr("1/40, "));
  EXPECT_THAT(seen, HasSubstr(" left"));
  EXPECT_TRUE(seen.ends_with("\r\x1b[K")) << "it wipes its line";
}

TEST_F(warm, where_there_is_no_terminal_it_says_nothing) {
  ask_for(3);
  const outcome o = rowsmith("warm '" + manifest_ + "' --target null --cache-dir '" + cache_ + "'");
  EXPECT_EQ(o.exit, 0);
  EXPECT_EQ(o.err, "");
}

TEST_F(warm, killed_it_is_begun_again_and_builds_what_was_missing) {
  constexpr int kernels = 2000;
  ask_for(kernels);
  const int nowhere = ::open("/dev/null", O_WRONLY);
  const pid_t child = start(nowhere);
  ::close(nowhere);
  for (int i = 0; i < 3000 && entries() < 20; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  ::kill(child, SIGKILL);
  int state = 0;
  ASSERT_EQ(::waitpid(child, &state, 0), child);
  const int left = entries();
  if (!WIFSIGNALED(state)) GTEST_SKIP() << "it was done before it could be killed";
  ASSERT_GE(left, 20);

  const outcome again =
      rowsmith("warm '" + manifest_ + "' --target null --alignments recorded --json --cache-dir '" + cache_ + "'");
  ASSERT_EQ(again.exit, 0) << again.err;
  const auto t = again.object()["targets"][0];
  EXPECT_EQ(t["kernels"], kernels);
  EXPECT_GE(t["present"], 20);
  EXPECT_GT(t["built"], 0);
  EXPECT_EQ(t["present"].get<int>() + t["built"].get<int>(), kernels);
  EXPECT_EQ(rowsmith("cache verify --cache-dir '" + cache_ + "'").exit, 0);
}

}  // namespace
}  // namespace rowsmith::cli_test
