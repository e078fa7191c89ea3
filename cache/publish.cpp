#include "cache/publish.h"

#include <fcntl.h>

#include <cerrno>

#include "cache/errno_status.h"

namespace rowsmith::cache {
namespace {

status write_all(file_ops& ops, int fd, const std::string& path, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ops.write(fd, bytes.data(), bytes.size());
    if (n < 0) return errno_status(path + ": cannot be written", n);
    if (n == 0) return errno_status(path + ": cannot be written", -ENOSPC);
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

// Some file systems have no fsync; a torn file is then caught by its checksum.
bool no_fsync(int r) { return r == -EINVAL || r == -ENOSYS || r == -EOPNOTSUPP; }

// After a power cut the entry may be missing but not torn, so nobody is told when this fails.
void sync_folder(file_ops& ops, const std::string& folder) {
  const int fd = ops.open(folder, O_RDONLY | O_DIRECTORY, 0);
  if (fd < 0) return;
  (void)ops.fsync(fd);
  (void)ops.close(fd);
}

int open_new(file_ops& ops, const std::string& folder, std::uint32_t mode, std::string& path) {
  int fd = -EEXIST;
  for (int attempt = 0; attempt < 3 && fd == -EEXIST; ++attempt) {
    path = folder + "/." + ops.unique_name() + std::string(temporary_suffix);
    fd = ops.open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
  }
  return fd;
}

}  // namespace

status publish(file_ops& ops, const std::string& folder, const std::string& name, std::string_view bytes,
               std::uint32_t mode) {
  std::string temporary;
  const int fd = open_new(ops, folder, mode, temporary);
  if (fd < 0) return errno_status(temporary + ": cannot be created", fd);

  status s = write_all(ops, fd, temporary, bytes);
  if (s) {
    if (const int r = ops.fsync(fd); r < 0 && !no_fsync(r)) s = errno_status(temporary + ": cannot be synced", r);
  }
  // NFS reports a full disk as late as here.
  if (const int r = ops.close(fd); r < 0 && s) s = errno_status(temporary + ": cannot be closed", r);
  if (s) {
    if (const int r = ops.rename(temporary, folder + "/" + name); r < 0) {
      s = errno_status(temporary + ": cannot be renamed", r);
    }
  }
  if (!s) {
    (void)ops.unlink(temporary);
    return s;
  }
  sync_folder(ops, folder);
  return {};
}

}  // namespace rowsmith::cache
