// private_folder: a folder of a test's own, gone with the object.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace rowsmith::test {

class private_folder {
 public:
  private_folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "rowsmith-test-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) std::abort();
    path_ = pattern;
  }
  ~private_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  private_folder(const private_folder&) = delete;
  private_folder& operator=(const private_folder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace rowsmith::test
