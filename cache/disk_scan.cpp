#include "cache/disk_scan.h"

#include <algorithm>
#include <cerrno>

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
  std::vector<const found_file*> entries;
  for (const found_file& f : files) {
    const bool leftover = f.type != found_file::kind::entry;
    if (leftover && f.modified <= stale_before && remove(ops, f.path)) continue;
    result.bytes_left += f.size;
    if (!leftover) entries.push_back(&f);
  }
  if (result.bytes_left <= max_bytes) return result;

  std::sort(entries.begin(), entries.end(), [](const found_file* a, const found_file* b) {
    return a->modified != b->modified ? a->modified < b->modified : a->path < b->path;
  });
  for (const found_file* f : entries) {
    if (result.bytes_left <= down_to) break;
    if (!remove(ops, f->path)) continue;
    result.bytes_left -= f->size;
    ++result.evicted;
  }
  return result;
}

}  // namespace rowsmith::cache
