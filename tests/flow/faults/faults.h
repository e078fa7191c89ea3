// faults: calls through the library's front door over a file system that does what a test says.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "flow/in_child.h"
#include "rowsmith/rowsmith.h"
#include "support/private_folder.h"
#include "unit/cache/support.h"

namespace rowsmith::test {

// What the library takes for the operating system in this process: healthy until told otherwise.
cache::test::faulty_ops& the_disk();

// Softmax of 8 rows; on the host the result is compared with the one of double precision.
status call(device_kind where, std::int64_t width);

class faults : public testing::Test {
 protected:
  std::filesystem::path cache_dir() const { return home_.path() / "cache"; }

  // A scene over cache_dir(); the child's wait status.
  int scene(const std::function<void()>& body, std::vector<std::string> environment = {}) const {
    return in_child(cache_dir(), environment, body);
  }
  void wipe() const { std::filesystem::remove_all(cache_dir()); }

  // File operations of `body` in a process of its own.
  int operations(const std::function<void()>& body, std::vector<std::string> environment = {}) const;

  // A later process, over whatever is left: it finds the kernel or builds it, and nothing is damaged.
  void expect_the_next_one_works(device_kind where, std::int64_t width) const;

 private:
  private_folder home_;
};

inline const std::vector<int> every_errno = {ENOSPC, EIO, EROFS, EACCES, ESTALE, EDQUOT};

}  // namespace rowsmith::test
