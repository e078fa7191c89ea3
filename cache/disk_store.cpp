#include "cache/disk_store.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <map>
#include <new>
#include <utility>

#include "base/log.h"
#include "cache/directory.h"
#include "cache/disk_scan.h"
#include "cache/errno_status.h"
#include "cache/publish.h"

namespace rowsmith::cache {
namespace {

// Larger than any kernel; keeps a stray file from being read into memory.
constexpr std::uint64_t max_file_bytes = 1ull << 30;

trust trust_of(const disk_options& o) { return {o.shared, o.mode == disk_mode::read_only}; }

std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

disk_options without_trailing_slash(disk_options o) {
  while (o.root.size() > 1 && o.root.back() == '/') o.root.pop_back();
  return o;
}

bool unreadable(const status& s) { return s.error() == code::io_error || s.error() == code::out_of_memory; }

}  // namespace

struct disk_store::tally {
  std::atomic<std::uint64_t> hits{0}, misses{0}, stores{0}, damaged{0}, read_failures{0}, store_failures{0},
      evictions{0};
};

disk_store::disk_store(disk_options options)
    : options_(without_trailing_slash(std::move(options))),
      ops_(options_.ops != nullptr ? *options_.ops : posix_file_ops()),
      tally_(std::make_unique<tally>()) {}

disk_store::~disk_store() = default;

std::string disk_store::name() const { return (writable() ? "user " : "site ") + options_.root; }

counters disk_store::stats() const {
  return {tally_->hits,          tally_->misses,         tally_->stores,   tally_->damaged,
          tally_->read_failures, tally_->store_failures, tally_->evictions};
}

std::string disk_store::path_of(const key& k) const {
  const std::string what = k.what_digest();
  return fmt::format("{}/{}/{}{}", options_.root, what.substr(0, 2), what.substr(2), entry_suffix);
}

std::string disk_store::own_path_of(const key& k) const {
  const std::string what = k.what_digest();
  return fmt::format("{}/{}/{}-{}{}", options_.root, what.substr(0, 2), what.substr(2), k.who_digest().substr(0, 16),
                     entry_suffix);
}

status disk_store::usable() const { return check_root(ops_, options_.root, trust_of(options_)); }

status disk_store::takes_part() const {
  if (status s = usable(); !s) return s;
  if (file_info info; ops_.lstat(options_.root, info) == 0) return {};
  return writable() ? check_creatable(ops_, options_.root)
                    : status(code::not_found, options_.root + ": does not exist");
}

status disk_store::prepare() {
  if (!writable()) return status(code::unsupported, name() + ": is read-only");
  if (status s = usable(); !s) return s;
  if (status s = make_root(ops_, options_.root, trust_of(options_)); !s) return s;
  const int r = ops_.may_create_in(options_.root);
  return r < 0 ? errno_status(options_.root + ": cannot be written", r) : status();
}

void disk_store::report_once(const std::string& what, const status& why) {
  {
    const std::lock_guard lock(mutex_);
    if (!reported_.insert(fmt::format("{} {} {}", what, static_cast<int>(why.error()), why.vendor_code())).second)
      return;
  }
  log(log_level::warn, fmt::format("kernel cache: {}: {} (said once; kernels run from memory)", what, why.to_string()));
}

// --- reading ---

result<entry> disk_store::miss(const std::string& why) {
  ++tally_->misses;
  return status(code::not_found, fmt::format("{}: {}", name(), why));
}

result<std::string> disk_store::read_file(const std::string& path) {
  // O_NONBLOCK: a fifo put there must not hang us.
  const int fd = ops_.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
  if (fd == -ELOOP) return status(code::corrupt, path + ": a symbolic link");
  if (fd < 0) return errno_status(path + ": cannot be opened", fd);
  struct closer {
    file_ops& ops;
    int fd;
    ~closer() { (void)ops.close(fd); }
  } const close_at_end{ops_, fd};

  // Asked of the open file, so that no swapped directory can slip in bytes of another user.
  file_info info;
  if (const int r = ops_.fstat(fd, info); r < 0) return errno_status(path + ": cannot be looked at", r);
  if (info.type != file_info::kind::regular) return status(code::corrupt, path + ": not a regular file");
  if (status s = check_access(path, info, ops_.user(), trust_of(options_)); !s)
    return status(code::corrupt, s.message());
  if (info.size > max_file_bytes) return status(code::corrupt, fmt::format("{}: {} bytes", path, info.size));

  try {
    std::string bytes(info.size, '\0');
    std::size_t have = 0;
    while (have < bytes.size()) {
      const ssize_t n = ops_.read(fd, bytes.data() + have, bytes.size() - have);
      if (n < 0) return errno_status(path + ": cannot be read", n);
      if (n == 0) break;
      have += static_cast<std::size_t>(n);
    }
    bytes.resize(have);
    return bytes;
  } catch (const std::bad_alloc&) {
    return status(code::out_of_memory, fmt::format("{}: no memory for {} bytes", path, info.size));
  }
}

result<entry> disk_store::load(const std::string& path, const key* wanted) {
  result<std::string> bytes = read_file(path);
  // Another host replaced the file between our lookup and our read; the second look finds the new one.
  if (bytes.status().vendor_code() == ESTALE) bytes = read_file(path);
  if (!bytes) return bytes.status();
  result<entry> e = decode(*bytes);
  if (!e) return e;
  if (path != path_of(e->key) && path != own_path_of(e->key))
    return status(code::corrupt, path + ": holds the entry of another key");
  if (wanted != nullptr && !e->key.same_what(*wanted)) {
    return status(code::not_found, "another kernel has the same digest");
  }
  e->layer = name();
  if (options_.check) {
    if (status s = options_.check(*e); !s) return status(code::corrupt, s.message());
  }
  return e;
}

result<entry> disk_store::get(const key& k, accept a) {
  const std::string first = path_of(k);
  status s = usable();
  if (s) s = check_directory(ops_, folder_of(first), trust_of(options_));
  if (!s) {
    if (unreadable(s)) ++tally_->read_failures;
    report_once("reading", s);
    return miss(s.message());
  }

  std::string why = "no such entry";
  bool defective = false;  // there is one, which cannot be used
  bool heir = true;        // another's may lie where it was
  const auto try_path = [&](const std::string& path) -> std::optional<entry> {
    result<entry> e = load(path, &k);
    if (e && (a == accept::any || e->key.same_who(k))) {
      if (writable()) (void)ops_.touch(path);  // the order in which entries leave
      ++tally_->hits;
      return std::move(*e);
    }
    if (e || e.status().error() == code::not_found) return std::nullopt;
    defective = true;
    why = e.status().message();
    if (e.status().error() == code::corrupt) {
      heir = set_aside(path, e.status());
      why = "the entry was damaged: " + why;
    } else if (unreadable(e.status())) {
      ++tally_->read_failures;
      report_once("reading", e.status());
    }
    return std::nullopt;
  };
  while (std::exchange(heir, false)) {
    if (auto e = try_path(first)) return std::move(*e);
  }
  if (auto e = try_path(own_path_of(k))) return std::move(*e);
  if (a == accept::any && defective) {
    for (const std::string& path : other_builders(ops_, first)) {
      if (auto e = try_path(path)) return std::move(*e);
    }
  }
  return miss(why);
}

// True when another builder's entry has taken the name.
bool disk_store::set_aside(const std::string& path, const status& why) {
  ++tally_->damaged;
  log(log_level::warn, fmt::format("kernel cache: {}: damaged, {}: {}", path,
                                   writable() ? "set aside and built again" : "passed over", why.message()));
  if (!writable()) return false;
  // Kept for a look; one of a name, and swept when stale. Should another process have put a good entry there meanwhile,
  // that one is lost, which costs a build.
  const std::string stem = path.substr(0, path.size() - entry_suffix.size());
  if (ops_.rename(path, stem + std::string(damaged_suffix)) < 0) (void)ops_.unlink(path);
  const std::vector<std::string> others = other_builders(ops_, path);
  return !others.empty() && ops_.rename(others.front(), path) == 0;
}

// --- writing ---

status disk_store::store_failed(const status& why) {
  ++tally_->store_failures;
  report_once("writing", why);
  return why;
}

// Two builders that come at once may both take the first name: one entry is lost, which costs a build.
std::string disk_store::path_to_put(const key& k) {
  const result<entry> there = load(path_of(k), &k);
  return there && !there->key.same_who(k) ? own_path_of(k) : path_of(k);
}

status disk_store::put(const entry& e) {
  if (!writable()) return status(code::unsupported, name() + ": is read-only");
  const trust t = trust_of(options_);
  if (status s = usable(); !s) return store_failed(s);

  const std::string bytes = encode(e);
  if (result<entry_head> head = decode_head(bytes, bytes.size()); !head) return store_failed(head.status());
  const std::uint64_t most = options_.max_bytes == 0 ? max_file_bytes : std::min(options_.max_bytes, max_file_bytes);
  if (bytes.size() > most) {
    return store_failed(status(
        code::unsupported, fmt::format("{}: an entry of {} bytes, at most {} are kept", name(), bytes.size(), most)));
  }

  const std::string folder = folder_of(path_of(e.key));
  if (status s = make_root(ops_, options_.root, t); !s) return store_failed(s);
  if (status s = make_directory(ops_, folder, t); !s) return store_failed(s);
  if (status s = check_directory(ops_, folder, t); !s) return store_failed(s);
  const std::string path = path_to_put(e.key);
  if (status s = publish(ops_, folder, path.substr(folder.size() + 1), bytes, t.shared ? 0666 : 0600); !s) {
    return store_failed(s);
  }
  ++tally_->stores;
  account(bytes.size());
  return {};
}

// Scans at the first put, when the estimate passes the cap, and now and then for what other processes wrote.
void disk_store::account(std::uint64_t written) {
  const std::uint64_t max = options_.max_bytes;
  {
    const std::lock_guard lock(mutex_);
    estimate_ += written;
    since_scan_ += written;
    const bool due = max != 0 && (estimate_ > max || since_scan_ > max / 16);
    if (measured_ && !due) return;
    measured_ = true;  // the other threads go on meanwhile
    estimate_ = since_scan_ = 0;
  }
  const std::uint64_t cap = max == 0 ? UINT64_MAX : max;
  const trimmed t = trim(ops_, options_.root, options_.stale_seconds, cap, cap - cap / 10);
  tally_->evictions += t.evicted;
  const std::lock_guard lock(mutex_);
  estimate_ += t.bytes_left;
}

std::string disk_store::scratch_folder() {
  // In a shared directory it would be others' as well.
  if (!writable() || options_.shared || !usable()) return {};
  const trust t = trust_of(options_);
  const std::string folder = options_.root + "/" + std::string(scratch_name);
  if (!make_root(ops_, options_.root, t) || !make_directory(ops_, folder, t)) return {};
  return check_directory(ops_, folder, t) ? folder : std::string();
}

// --- for the command ---

std::vector<entry_info> disk_store::list() {
  std::vector<entry_info> infos;
  if (!usable()) return infos;
  for (const found_file& f : scan(ops_, options_.root)) {
    if (f.type != found_file::kind::entry) continue;
    const int fd = ops_.open(f.path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
    if (fd < 0) continue;
    std::string prefix(std::min<std::uint64_t>(f.size, entry_head_limit), '\0');
    const ssize_t n = ops_.read(fd, prefix.data(), prefix.size());
    (void)ops_.close(fd);
    if (n < 0) continue;
    prefix.resize(static_cast<std::size_t>(n));
    result<entry_head> head = decode_head(prefix, f.size);
    if (!head) continue;
    infos.push_back({std::move(head->key), name(), f.path, f.size, head->payload_bytes, f.modified / 1'000'000'000});
  }
  std::sort(infos.begin(), infos.end(), [](const entry_info& a, const entry_info& b) { return a.file < b.file; });
  return infos;
}

result<std::uint64_t> disk_store::prune(std::uint64_t max_bytes) {
  if (!writable()) return status(code::unsupported, name() + ": is read-only");
  if (status s = usable(); !s) return s;
  const trimmed t = trim(ops_, options_.root, options_.stale_seconds, max_bytes, max_bytes);
  tally_->evictions += t.evicted;
  const std::lock_guard lock(mutex_);
  measured_ = true;
  estimate_ = t.bytes_left;
  since_scan_ = 0;
  return t.evicted + t.damaged;
}

result<std::uint64_t> disk_store::clear() {
  if (!writable()) return status(code::unsupported, name() + ": is read-only");
  if (status s = usable(); !s) return s;
  std::uint64_t gone = 0;
  status failure;
  for (const found_file& f : scan(ops_, options_.root)) {
    if (const int r = ops_.unlink(f.path); r < 0 && r != -ENOENT) {
      failure = errno_status(f.path + ": cannot be removed", r);
    } else if (f.type != found_file::kind::temporary) {
      ++gone;
    }
  }
  sweep_scratch(ops_, options_.root, INT64_MAX);
  const std::lock_guard lock(mutex_);
  measured_ = false;
  estimate_ = since_scan_ = 0;
  if (!failure) return failure;
  return gone;
}

result<std::vector<std::string>> disk_store::verify() {
  if (status s = usable(); !s) return s;
  std::map<std::string, status> failures;
  for (const found_file& f : scan(ops_, options_.root)) {
    if (f.type != found_file::kind::entry) continue;
    const result<entry> e = load(f.path, nullptr);
    if (!e && e.status().error() != code::not_found) failures.emplace(f.path, e.status());
  }
  std::vector<std::string> failed;
  for (const auto& [path, why] : failures) {  // in this order, a name comes after those that could take it
    failed.push_back(path);
    if (why.error() == code::corrupt) (void)set_aside(path, why);
  }
  return failed;
}

}  // namespace rowsmith::cache
