#include "cache/disk_scan.h"

#include <algorithm>
#include <cerrno>
#include <map>

#include "cache/publish.h"

namespace rowsmith::cache {
namespace {

bool ends_with(std::string_view name, std::string_view suffix) {
  return name.size() > suffix.size() && name.substr(name.size() - suffix.size()) == suffix;
}

bool is_fan_out(std::string_view name) {
  return name.size() == 2 && name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool classify(std::string_view name, found_file::kind& type) {
  if (ends_with(name, damaged_suffix)) {
    type = found_file::kind::damaged;
  } else if (ends_with(name, entry_suffix)) {
    type = found_file::kind::entry;
  } else if (name.front() == '.' && ends_with(name, temporary_suffix)) {
    type = found_file::kind::temporary;
  } else {
    return false;
  }
  return true;
}

// True when the file is gone, by us or by another process.
bool remove(file_ops& ops, const std::string& path) {
  const int r = ops.unlink(path);
  return r == 0 || r == -ENOENT;
}

// The entries of a directory by the shorter name of their *what*.
class entry_families {
 public:
  entry_families(file_ops& ops, const std::vector<found_file*>& entries) : ops_(ops) {
    for (found_file* f : entries) families_[first_name(f->path)].push_back(f);
    for (auto& [first, members] : families_) {
      const auto holds_name = [&, &name = first](const found_file* f) { return f->path == name; };
      if (std::none_of(members.begin(), members.end(), holds_name)) pass_on(first, members);
    }
  }

  // Removes an entry; another one takes its name if that is the shorter one.
  bool remove(found_file* f) {
    const std::string first = first_name(f->path);
    std::vector<found_file*>& members = families_[first];
    std::erase(members, f);
    if (f->path == first && !members.empty() && pass_on(first, members)) return true;
    return cache::remove(ops_, f->path);
  }

 private:
  // "…/<30 hex>-<16 hex>.rsk" to "…/<30 hex>.rsk", which stays as it is.
  static std::string first_name(const std::string& path) {
    const std::size_t dash = path.find('-', path.rfind('/'));
    return dash == std::string::npos ? path : path.substr(0, dash) + std::string(entry_suffix);
  }

  // The most recently used one takes the name, over whatever has it.
  bool pass_on(const std::string& first, const std::vector<found_file*>& members) {
    const auto last_used = [](const found_file* a, const found_file* b) { return a->modified < b->modified; };
    found_file& heir = **std::max_element(members.begin(), members.end(), last_used);
    if (ops_.rename(heir.path, first) < 0) return false;
    heir.path = first;
    return true;
  }

  file_ops& ops_;
  std::map<std::string, std::vector<found_file*>> families_;
};

}  // namespace

std::vector<found_file> scan(file_ops& ops, const std::string& root) {
  std::vector<found_file> files;
  std::vector<std::string> folders;
  (void)ops.list(root, folders);
  for (const std::string& folder : folders) {
    if (!is_fan_out(folder)) continue;
    std::vector<std::string> names;
    (void)ops.list(root + "/" + folder, names);
    for (const std::string& name : names) {
      found_file f;
      if (!classify(name, f.type)) continue;
      f.path = root + "/" + folder + "/" + name;
      file_info info;
      if (ops.lstat(f.path, info) < 0) continue;
      f.size = info.size;
      f.modified = info.modified;
      files.push_back(std::move(f));
    }
  }
  return files;
}

std::vector<std::string> other_builders(file_ops& ops, const std::string& first) {
  const std::size_t slash = first.rfind('/');
  const std::string folder = first.substr(0, slash);
  const std::string prefix = first.substr(slash + 1, first.size() - slash - 1 - entry_suffix.size()) + "-";
  std::vector<std::string> names;
  (void)ops.list(folder, names);
  std::vector<std::pair<std::int64_t, std::string>> dated;
  for (const std::string& n : names) {
    if (n.compare(0, prefix.size(), prefix) != 0 || !ends_with(n, entry_suffix)) continue;
    const std::string path = folder + "/" + n;
    file_info info;
    if (ops.lstat(path, info) == 0) dated.emplace_back(-info.modified, path);
  }
  std::sort(dated.begin(), dated.end());
  std::vector<std::string> paths;
  for (auto& [age, path] : dated) paths.push_back(std::move(path));
  return paths;
}

void sweep_scratch(file_ops& ops, const std::string& root, std::int64_t stale_before) {
  const std::string scratch = root + "/" + std::string(scratch_name);
  std::vector<std::string> folders;
  (void)ops.list(scratch, folders);
  for (const std::string& name : folders) {
    const std::string folder = scratch + "/" + name;
    file_info info;
    if (ops.lstat(folder, info) < 0 || info.modified > stale_before) continue;
    if (info.type != file_info::kind::directory) {
      (void)ops.unlink(folder);
      continue;
    }
    std::vector<std::string> files;
    (void)ops.list(folder, files);
    for (const std::string& file : files) (void)ops.unlink(folder + "/" + file);
    (void)ops.rmdir(folder);
  }
}

trimmed trim(file_ops& ops, const std::string& root, std::int64_t stale_seconds, std::uint64_t max_bytes,
             std::uint64_t down_to) {
  std::vector<found_file> files = scan(ops, root);
  const std::int64_t stale_before = ops.now() - stale_seconds * 1'000'000'000;
  sweep_scratch(ops, root, stale_before);
  trimmed result;
  std::vector<found_file*> entries, damaged;
  for (found_file& f : files) {
    const bool leftover = f.type != found_file::kind::entry, bad = f.type == found_file::kind::damaged;
    if (leftover && f.modified <= stale_before && remove(ops, f.path)) {
      result.damaged += bad ? 1 : 0;
      continue;
    }
    result.bytes_left += f.size;
    if (!leftover) entries.push_back(&f);
    if (bad) damaged.push_back(&f);
  }
  entry_families families(ops, entries);
  if (result.bytes_left <= max_bytes) return result;

  const auto older = [](const found_file* a, const found_file* b) {
    return a->modified != b->modified ? a->modified < b->modified : a->path < b->path;
  };
  std::sort(damaged.begin(), damaged.end(), older);  // nobody will use these
  for (const found_file* f : damaged) {
    if (result.bytes_left <= down_to) break;
    if (!remove(ops, f->path)) continue;
    result.bytes_left -= f->size;
    ++result.damaged;
  }
  std::sort(entries.begin(), entries.end(), older);
  for (found_file* f : entries) {
    if (result.bytes_left <= down_to) break;
    if (!families.remove(f)) continue;
    result.bytes_left -= f->size;
    ++result.evicted;
  }
  return result;
}

}  // namespace rowsmith::cache
