// Whom a directory or file of the cache must belong to. Its bytes are executed: whoever can write there runs code as
// us.
#pragma once

#include <string>

#include "cache/file_ops.h"
#include "rowsmith/status.h"

namespace rowsmith::cache {

struct trust {
  bool shared = false;    // any owner, any mode: opted into
  bool root_too = false;  // what root installed is as good as our own
};

// OK when `info` is ours (or root's, where that is trusted) and neither group nor others can write it.
status check_access(const std::string& path, const file_info& info, std::uint32_t user, trust t);

// One level: a directory, not a symlink, passing check_access(). A path that is not there is OK.
status check_directory(file_ops& ops, const std::string& path, trust t);

// `root` and what leads there. Above the root only one thing is refused: a directory in which everybody may rename
// (others can write and no sticky bit). Its owner may be anyone, as containers map root to nobody.
status check_root(file_ops& ops, const std::string& root, trust t);

// Creates `root` and missing parents, 0700 (shared: as umask says), and CACHEDIR.TAG in a directory that was new or
// empty: a tag in a directory with other contents would take those out of the user's backups.
status make_root(file_ops& ops, const std::string& root, trust t);

// Could make_root() create `root`, which is not there? Looks only.
status check_creatable(file_ops& ops, const std::string& root);

// mkdir that is content with an existing directory.
status make_directory(file_ops& ops, const std::string& path, trust t);

}  // namespace rowsmith::cache
