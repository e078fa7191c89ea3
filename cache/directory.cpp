#include "cache/directory.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

#include "cache/errno_status.h"

namespace rowsmith::cache {
namespace {

constexpr std::string_view tag_text =
    "Signature: 8a477f597d28d172789f06886806bc55\n"
    "# This directory holds kernels built by Rowsmith. It may be deleted at any time.\n"
    "# See https://bford.info/cachedir/\n";

status refuse(const std::string& path, std::string why) {
  return status(code::unsupported, fmt::format("{}: refused as a kernel cache: {}", path, why));
}

// The tag is a courtesy: whatever goes wrong with it goes unmentioned.
void write_tag(file_ops& ops, const std::string& root) {
  const int fd = ops.open(root + "/CACHEDIR.TAG", O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
  if (fd < 0) return;
  (void)ops.write(fd, tag_text.data(), tag_text.size());
  (void)ops.close(fd);
}

status make_parents(file_ops& ops, const std::string& path, trust t) {
  for (std::size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    const std::string parent = path.substr(0, slash);
    file_info info;
    if (ops.stat(parent, info) == 0) continue;
    if (status s = make_directory(ops, parent, t); !s) return s;
  }
  return {};
}

}  // namespace

status check_access(const std::string& path, const file_info& info, std::uint32_t user, trust t) {
  if (t.shared) return {};
  if (info.owner != user && !(t.root_too && info.owner == 0)) {
    return refuse(path, fmt::format("it belongs to user {}, not to {}", info.owner, user));
  }
  if ((info.mode & 022u) != 0) {
    return refuse(path,
                  fmt::format("mode {:04o} lets others write it; chmod go-w, or opt into a shared cache", info.mode));
  }
  return {};
}

status check_directory(file_ops& ops, const std::string& path, trust t) {
  file_info info;
  if (const int r = ops.lstat(path, info); r < 0) {
    status s = errno_status(path + ": cannot be looked at", r);
    return s.error() == code::not_found ? status() : s;
  }
  if (info.type == file_info::kind::symlink) return refuse(path, "it is a symbolic link; name the directory itself");
  if (info.type != file_info::kind::directory) return refuse(path, "it is not a directory");
  return check_access(path, info, ops.user(), t);
}

status check_root(file_ops& ops, const std::string& root, trust t) {
  if (root.empty() || root.front() != '/') return refuse(root, "the path is not absolute");
  for (std::size_t slash = 0; slash != std::string::npos; slash = root.find('/', slash + 1)) {
    const std::string above = slash == 0 ? "/" : root.substr(0, slash);
    file_info info;
    if (const int r = ops.stat(above, info); r < 0) {
      status s = errno_status(above + ": cannot be looked at", r);
      if (s.error() == code::not_found) break;
      return s;
    }
    if (!t.shared && (info.mode & 02u) != 0 && (info.mode & 01000u) == 0) {
      return refuse(root,
                    fmt::format("{} has mode {:04o}, so that anybody can replace what lies in it", above, info.mode));
    }
  }
  return check_directory(ops, root, t);
}

status check_creatable(file_ops& ops, const std::string& root) {
  std::string above = root;
  for (file_info info; above != "/";) {
    above = above.substr(0, std::max<std::size_t>(above.rfind('/'), 1));
    if (ops.stat(above, info) < 0) continue;
    if (info.type != file_info::kind::directory) {
      return status(code::io_error, fmt::format("{}: cannot be created: {} is not a directory", root, above));
    }
    const int r = ops.may_create_in(above);
    return r < 0 ? errno_status(root + ": cannot be created", r) : status();
  }
  return {};
}

status make_directory(file_ops& ops, const std::string& path, trust t) {
  const int r = ops.mkdir(path, t.shared ? 0777 : 0700);
  if (r == 0 || r == -EEXIST) return {};
  return errno_status(path + ": cannot be created", r);
}

status make_root(file_ops& ops, const std::string& root, trust t) {
  file_info info;
  if (ops.lstat(root, info) < 0) {
    if (status s = make_parents(ops, root, t); !s) return s;
    if (status s = make_directory(ops, root, t); !s) return s;
  }
  std::vector<std::string> names;
  if (ops.list(root, names) == 0 && names.empty()) write_tag(ops, root);
  return check_directory(ops, root, t);
}

}  // namespace rowsmith::cache
