#include "base/scratch.h"

#include <mutex>

#include "base/environment.h"
#include "base/no_destructor.h"

namespace rowsmith {

namespace {

struct place {
  std::mutex mutex;
  std::string folder;
};

place& ours() {
  static no_destructor<place> p;
  return *p;
}

}  // namespace

void set_scratch_folder(std::string folder) {
  const std::lock_guard lock(ours().mutex);
  ours().folder = std::move(folder);
}

std::vector<std::string> scratch_parents() {
  std::vector<std::string> all;
  {
    const std::lock_guard lock(ours().mutex);
    all.push_back(ours().folder);
  }
  all.insert(all.end(), {"/dev/shm", the_environment().tmpdir, "/tmp", "/var/tmp"});
  std::erase(all, std::string());
  return all;
}

}  // namespace rowsmith
