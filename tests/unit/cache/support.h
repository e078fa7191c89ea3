// What the cache's tests share: a directory of their own, a small kernel to store, and a file_ops that can be told to
// fail.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "cache/disk_store.h"
#include "support/private_folder.h"

namespace rowsmith::cache::test {

// A private directory for each test, gone at its end.
class cache_test : public ::testing::Test {
 protected:
  std::string dir() const { return folder_.path().string(); }
  std::string root() const { return dir() + "/kernels"; }
  disk_options options(file_ops* ops = nullptr) const {
    disk_options o;
    o.root = root();
    o.ops = ops;
    return o;
  }

 private:
  rowsmith::test::private_folder folder_{"cache"};
};

inline key make_key(int n, const std::string& compiler = "cc 1") {
  key k;
  k.add_what("schema", "1").add_what("op", "softmax").add_what("facts", "width=" + std::to_string(n));
  k.add_what_digest("text", "kernel source " + std::to_string(n)).add_what("target", "sm_90");
  k.add_who("compiler", compiler);
  return k;
}

// The payload is a function of n, so that a wrong answer shows.
inline std::string payload_of(int n, std::size_t bytes = 300) {
  std::string text = "binary " + std::to_string(n) + ":";
  while (text.size() < bytes) text += static_cast<char>(text.size() * 31 + static_cast<std::size_t>(n));
  return text;
}

inline entry make_entry(int n, std::size_t bytes = 300, const std::string& compiler = "cc 1") {
  return {make_key(n, compiler), "meta " + std::to_string(n), payload_of(n, bytes), {}};
}

inline std::string read_all(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void write_all(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

inline std::vector<std::string> files_below(const std::string& root, const std::string& suffix) {
  std::vector<std::string> found;
  std::error_code ignored;
  for (const auto& f : std::filesystem::recursive_directory_iterator(root, ignored)) {
    const std::string path = f.path().string();
    if (path.size() >= suffix.size() && path.substr(path.size() - suffix.size()) == suffix) found.push_back(path);
  }
  return found;
}

// Passes every call on to the operating system. `before` sees each call's name and number first: it may kill the
// process, or answer an errno, which the call then fails with. User, clock and owners can be made up.
class faulty_ops : public file_ops {
 public:
  using hook = std::function<int(const std::string& call, int number)>;  // 0: go on

  explicit faulty_ops(file_ops& real = posix_file_ops()) : real_(real) {}

  hook before;
  std::function<void(const std::string& path, file_info&)> dress;  // changes what stat calls report
  std::int64_t clock_offset = 0;

  int calls() const { return calls_; }
  void restart() { calls_ = 0; }

  int open(const std::string& path, int flags, std::uint32_t mode) override {
    if (const int e = fail("open")) return -e;
    return real_.open(path, flags, mode);
  }
  ssize_t read(int fd, void* to, std::size_t bytes) override {
    if (const int e = fail("read")) return -e;
    return real_.read(fd, to, bytes);
  }
  ssize_t write(int fd, const void* from, std::size_t bytes) override {
    if (const int e = fail("write")) return -e;
    return real_.write(fd, from, std::min(bytes, write_at_most));
  }
  int fsync(int fd) override {
    if (const int e = fail("fsync")) return -e;
    if (no_sync) return 0;
    return real_.fsync(fd);
  }
  int close(int fd) override {
    const int r = real_.close(fd);  // closed all the same, as on NFS
    if (const int e = fail("close")) return -e;
    return r;
  }
  int fstat(int fd, file_info& info) override {
    if (const int e = fail("fstat")) return -e;
    return dressed("", real_.fstat(fd, info), info);
  }
  int stat(const std::string& path, file_info& info) override {
    if (const int e = fail("stat")) return -e;
    return dressed(path, real_.stat(path, info), info);
  }
  int lstat(const std::string& path, file_info& info) override {
    if (const int e = fail("lstat")) return -e;
    return dressed(path, real_.lstat(path, info), info);
  }
  int may_create_in(const std::string& folder) override {
    if (const int e = fail("may_create_in")) return -e;
    return real_.may_create_in(folder);
  }
  int rename(const std::string& from, const std::string& to) override {
    if (const int e = fail("rename")) return -e;
    return real_.rename(from, to);
  }
  int unlink(const std::string& path) override {
    if (const int e = fail("unlink")) return -e;
    return real_.unlink(path);
  }
  int rmdir(const std::string& path) override {
    if (const int e = fail("rmdir")) return -e;
    return real_.rmdir(path);
  }
  int mkdir(const std::string& path, std::uint32_t mode) override {
    if (const int e = fail("mkdir")) return -e;
    return real_.mkdir(path, mode);
  }
  int list(const std::string& path, std::vector<std::string>& names) override {
    if (const int e = fail("list")) return -e;
    return real_.list(path, names);
  }
  int touch(const std::string& path) override {
    if (const int e = fail("touch")) return -e;
    return real_.touch(path);
  }
  std::uint32_t user() override { return real_.user(); }
  std::int64_t now() override { return real_.now() + clock_offset; }
  std::string unique_name() override { return real_.unique_name(); }

  std::size_t write_at_most = SIZE_MAX;  // short writes
  bool no_sync = false;

 private:
  int fail(const char* call) {
    const int number = calls_++;
    return before ? before(call, number) : 0;
  }
  int dressed(const std::string& path, int r, file_info& info) const {
    if (r == 0 && dress) dress(path, info);
    return r;
  }

  file_ops& real_;
  std::atomic<int> calls_{0};
};

}  // namespace rowsmith::cache::test
