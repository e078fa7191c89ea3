// Bundles: a cache directory as one file, and back.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/whole_file.h"
#include "build/entry_check.h"
#include "build/signing_key.h"
#include "cache/bundle.h"
#include "cache/publish.h"
#include "deploy/opened_cache.h"
#include "deploy/target.h"
#include "rowsmith/deploy.h"

namespace rowsmith {

namespace {

constexpr std::uint64_t largest_bundle = std::uint64_t{8} << 30;

bool is_host_code(const cache::key& k) { return what_of(k, "backend") == name_of(device_kind::host); }

std::string describe(const cache::key& k) {
  return fmt::format("{} for {}: {}", k.what_digest(), what_of(k, "target"), what_of(k, "facts"));
}

// The key that was named, else the environment's; nothing where there is neither.
result<mac_function> key_from(const std::string& option) {
  const std::string& file = option.empty() ? the_environment().remote_key_file : option;
  return file.empty() ? result<mac_function>(mac_function()) : signing_key(file);
}

// Whole or not at all, as an entry of the cache. Readable by others: it is meant to travel.
status write_file(const std::string& file, const std::string& bytes) {
  std::error_code error;
  const std::filesystem::path path = std::filesystem::absolute(file, error);
  if (error) return status(code::io_error, file + ": " + error.message());
  const auto there = std::filesystem::symlink_status(path, error);
  if (std::filesystem::exists(there) &&
      !std::filesystem::is_regular_file(there)) {  // a device, a link: not ours to replace
    return status(code::io_error, file + ": is there, and is no regular file");
  }
  return cache::publish(cache::posix_file_ops(), path.parent_path().string(), path.filename().string(), bytes, 0644);
}

// This host's own compilers, asked once a target.
class local_compilers {
 public:
  bool built(const cache::key& k) {
    std::string name = fmt::format("{} {}", what_of(k, "backend"), what_of(k, "target"));
    auto at = std::find_if(known_.begin(), known_.end(), [&](const auto& one) { return one.first == name; });
    if (at == known_.end()) at = known_.insert(known_.end(), {std::move(name), who(k)});
    return at->second.empty() || at->second == k.who();  // without one any builder's kernels are taken
  }

 private:
  static std::vector<cache::field> who(const cache::key& k) {
    const result<entry_target> t = target_of(k);
    if (!t) return {};
    const result<compiler_id> id = t->vendor->compiler(t->traits);
    if (!id) return {};
    return {{"compiler", id->name}, {"version", id->version}, {"build", id->build}};
  }

  std::vector<std::pair<std::string, std::vector<cache::field>>> known_;
};

void import_one(std::string_view bytes, bool host_allowed, bool dry_run, opened_cache& cache, local_compilers* local,
                import_report* report) {
  const result<cache::entry> e = cache::decode(bytes);
  if (!e) return report->refused.push_back(e.status().message());
  if (is_host_code(e->key) && !host_allowed) return void(++report->host_refused);
  // Whoever looks a kernel up checks it; here it is done before it lies where others look.
  if (status s = check_entry(*e); !s) return report->refused.push_back(describe(e->key) + ": " + s.message());
  if (cache.disk().get(e->key, cache::accept::same)) return void(++report->present);
  if (!dry_run) {
    if (status s = cache.disk().put(*e); !s) return report->refused.push_back(describe(e->key) + ": " + s.message());
  }
  ++report->added;
  if (!local->built(e->key)) ++report->other_compiler;
}

}  // namespace

result<export_report> export_bundle(const std::string& file, const export_options& options) {
  const result<mac_function> mac = key_from(options.key_file);
  if (!mac) return mac.status();
  std::vector<std::string> archs;
  for (const std::string& name : options.targets) {
    const result<target> t = find_target(name);
    if (!t) return t.status();
    archs.push_back(t->traits.arch);
  }
  const auto cache = opened_cache::open(options.cache_dir, opened_cache::form::read_only);
  if (!cache) return cache.status();

  export_report report;
  std::vector<cache::entry> entries;
  for (const cache::entry_info& info : (*cache)->disk().list()) {
    if (!archs.empty() && std::find(archs.begin(), archs.end(), what_of(info.key, "target")) == archs.end()) continue;
    result<cache::entry> e = (*cache)->disk().get(info.key, cache::accept::same);
    if (!e) continue;  // damaged, or gone meanwhile
    report.host_entries += is_host_code(e->key) ? 1 : 0;
    entries.push_back(std::move(*e));
  }
  const result<std::string> bytes = cache::encode_bundle(entries, *mac);
  if (!bytes) return bytes.status();
  report.entries = static_cast<std::int64_t>(entries.size());
  report.bytes = static_cast<std::int64_t>(bytes->size());
  report.is_signed = static_cast<bool>(*mac);
  if (status s = write_file(file, *bytes); !s) return s;
  return report;
}

result<import_report> import_bundle(const std::string& file, const import_options& options) {
  const result<mac_function> mac = key_from(options.key_file);
  if (!mac) return mac.status();
  const result<std::string> bytes = read_whole_file(file, largest_bundle);
  if (!bytes) return bytes.status();
  const result<cache::bundle> b = cache::read_bundle(*bytes);
  if (!b) return b.status();
  import_report report;
  if (*mac) {
    if (status s = cache::check_mac(*b, *mac); !s) return s;
    report.is_checked = true;
  }
  report.is_signed = !b->mac.empty();
  const auto cache = opened_cache::open(options.into, opened_cache::form::alone);
  if (!cache) return cache.status();
  local_compilers local;
  for (const std::string_view one : b->entries) {
    import_one(one, report.is_checked || options.allow_host, options.dry_run, **cache, &local, &report);
  }
  report.entries = static_cast<std::int64_t>(b->entries.size());
  return report;
}

}  // namespace rowsmith
