#include "backend/host/temporary_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace rowsmith::host {

result<temporary_folder> temporary_folder::make(const std::string& preferred) {
  std::string tried;
  for (const std::string& parent : {preferred, std::string("/tmp"), std::string("/var/tmp"), std::string("/dev/shm")}) {
    if (parent.empty()) continue;
    std::string path = parent + "/rowsmith-XXXXXX";
    if (::mkdtemp(path.data()) != nullptr) return temporary_folder(std::move(path));
    tried += parent + ": " + std::strerror(errno) + "\n";
  }
  return status(code::io_error, "no folder takes the compiler's files").with_detail(std::move(tried));
}

temporary_folder::~temporary_folder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace rowsmith::host
