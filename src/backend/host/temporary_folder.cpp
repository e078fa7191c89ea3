#include "backend/host/temporary_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "base/scratch.h"

namespace rowsmith::host {

result<temporary_folder> temporary_folder::make() {
  std::string tried;
  for (const std::string& parent : scratch_parents()) {
    std::string path = parent + "/rowsmith-XXXXXX";
    if (::mkdtemp(path.data()) != nullptr) return temporary_folder(std::move(path));
    tried += parent + ": " + std::strerror(errno) + "\n";
  }
  return status(code::io_error,
                "no folder takes the compiler's files; set TMPDIR or ROWSMITH_CACHE_DIR to one that can be written")
      .with_detail(std::move(tried));
}

temporary_folder::~temporary_folder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace rowsmith::host
