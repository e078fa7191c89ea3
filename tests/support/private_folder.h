// private_folder: a private folder of a test, gone at its end.
#pragma once

#include <stdlib.h>

#include <cstdio>
#include <filesystem>
#include <string>

namespace rowsmith::test {

class private_folder {
 public:
  // `what`: a word of its name, for whoever finds it after a crash. Without a folder no test means anything: the
  // process ends.
  explicit private_folder(const std::string& what = "test") {
    std::string pattern = (std::filesystem::temp_directory_path() / ("rowsmith-" + what + "-XXXXXX")).string();
    if (::mkdtemp(pattern.data()) == nullptr) std::perror("mkdtemp"), std::_Exit(2);
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
