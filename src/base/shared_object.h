// shared_object: a library found at run time by name. Opened RTLD_LOCAL | RTLD_NOW and never closed by its destructor:
// vendor runtimes do not survive being unloaded.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace rowsmith {

class shared_object {
 public:
  shared_object() noexcept = default;

  // Opens the first candidate (soname or full path) that works. `tried` gets a line per candidate with the loader's
  // reason. A default-constructed object when none does.
  static shared_object open_first(std::span<const std::string> candidates, std::vector<std::string>* tried);

  explicit operator bool() const noexcept { return handle_ != nullptr; }
  const std::string& path() const noexcept { return path_; }  // as resolved by the loader, where it tells

  // Unversioned lookup; null when absent.
  void* symbol(const char* name) const noexcept;

  template <class F>
  bool bind(F*& function, const char* name) const noexcept {
    function = reinterpret_cast<F*>(symbol(name));
    return function != nullptr;
  }

 private:
  void* handle_ = nullptr;
  std::string path_;
};

}  // namespace rowsmith
