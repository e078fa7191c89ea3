// temporary_folder: a private folder (0700) for what a compiler must have as a file; gone, with its files, at the end.
#pragma once

#include <string>

#include "rowsmith/status.h"

namespace rowsmith::host {

class temporary_folder {
 public:
  // In the first of scratch_parents() that takes one.
  static result<temporary_folder> make();

  temporary_folder(temporary_folder&& other) noexcept : path_(std::move(other.path_)) { other.path_.clear(); }
  temporary_folder& operator=(temporary_folder&& other) noexcept {
    path_.swap(other.path_);
    return *this;
  }
  ~temporary_folder();

  const std::string& path() const noexcept { return path_; }

 private:
  explicit temporary_folder(std::string path) noexcept : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace rowsmith::host
