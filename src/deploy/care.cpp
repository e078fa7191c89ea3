// Care of a cache directory: what lies there, whose it is, and what may go.
#include <fmt/format.h>
#include <pwd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "build/entry_check.h"
#include "cache/directory.h"
#include "cache/disk_scan.h"
#include "deploy/opened_cache.h"
#include "rowsmith/deploy.h"

namespace rowsmith {

namespace {

using form = opened_cache::form;

std::string owner_name(std::uint32_t user) {
  passwd entry = {};
  passwd* found = nullptr;
  std::string buffer(4096, '\0');
  const bool known = getpwuid_r(user, &entry, buffer.data(), buffer.size(), &found) == 0 && found != nullptr;
  return known ? fmt::format("{} ({})", entry.pw_name, user) : fmt::format("{}", user);
}

// "registers 24" and so on, of what the machine code tells.
std::string code_text(const cache::entry& e) {
  const result<entry_target> t = target_of(e.key);
  if (!t) return {};
  const result<code_report> r =
      t->vendor->report(std::as_bytes(std::span(e.payload)), t->traits, what_of(e.key, "entry"));
  if (!r) return {};
  std::string text;
  const std::pair<const char*, int> figures[] = {{"registers", r->registers},       {"spills", r->spills},
                                                 {"local_bytes", r->local_bytes},   {"shared_bytes", r->shared_bytes},
                                                 {"wide_loads", r->wide_loads},     {"wide_stores", r->wide_stores},
                                                 {"narrow_loads", r->narrow_loads}, {"narrow_stores", r->narrow_stores},
                                                 {"barriers", r->barriers},         {"instructions", r->instructions}};
  for (const auto& [name, value] : figures) {
    if (value >= 0) text += fmt::format("{} {}\n", name, value);
  }
  return text;
}

std::string why_damaged(const std::string& file) {
  std::error_code unknown;
  const auto what = std::filesystem::symlink_status(file, unknown);
  if (!std::filesystem::is_regular_file(what)) return "it is no regular file";  // reading it may never end
  std::ifstream in(file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  const result<cache::entry> e = cache::decode(bytes);
  if (!e) return e.status().message();
  if (status s = check_entry(*e); !s) return s.message();
  return "it may not be used: its owner, mode or name is wrong";
}

void find_in(cache::disk_store& layer, const std::string& digest, std::vector<cached_kernel>* all) {
  for (const cache::entry_info& info : layer.list()) {
    cached_kernel k;
    k.digest = info.key.what_digest();
    if (k.digest.compare(0, digest.size(), digest) != 0) continue;
    k.layer = info.layer;
    k.file = info.file;
    k.key = info.key.text();
    k.bytes = static_cast<std::int64_t>(info.file_bytes);
    k.payload_bytes = static_cast<std::int64_t>(info.payload_bytes);
    k.last_used = info.last_used;
    const result<cache::entry> e = layer.load(info.file, &info.key);
    k.problem = e ? "" : e.status().message();
    if (e) k.code = code_text(*e);
    all->push_back(std::move(k));
  }
}

void describe(cache::disk_store& disk, cache_layer_details* d) {
  if (status s = disk.takes_part(); !s) {
    d->problem = s.message();
    d->state = "off";
  }
  cache::file_ops& files = cache::posix_file_ops();
  cache::file_info info;
  if (files.lstat(disk.root(), info) != 0) return;
  d->owner = owner_name(info.owner);
  d->mode = static_cast<int>(info.mode);
  if (d->problem.empty() && files.may_create_in(disk.root()) < 0) d->state = "read-only";
  if (!d->problem.empty()) return;
  for (const cache::found_file& f : cache::scan(files, disk.root())) {
    if (f.type != cache::found_file::kind::damaged) continue;
    ++d->set_aside;
    d->set_aside_bytes += static_cast<std::int64_t>(f.size);
  }
}

cache_layer_details details_of(cache::store& layer) {
  cache_layer_details d;
  const std::string name = layer.name();
  const std::size_t space = std::min(name.find(' '), name.size());
  d.name = name.substr(0, space);
  d.location = name.substr(std::min(space + 1, name.size()));
  d.state = layer.writable() ? "read-write" : "read-only";
  d.accepts = layer.writable() ? "same compiler" : "any compiler";
  if (auto* disk = dynamic_cast<cache::disk_store*>(&layer)) describe(*disk, &d);
  for (const cache::entry_info& e : layer.list()) {
    ++d.entries;
    d.bytes += static_cast<std::int64_t>(e.file_bytes != 0 ? e.file_bytes : e.payload_bytes);
  }
  return d;
}

cache_layer_details never_made(const std::string& name, const std::string& why) {
  cache_layer_details d;
  d.name = name;
  d.state = "off";
  d.problem = why;
  return d;
}

}  // namespace

std::vector<cached_kernel> find_kernels(const std::string& digest) {
  std::vector<cached_kernel> all;
  const auto cache = opened_cache::open({}, form::all_layers);
  if (!cache) return all;
  for (cache::disk_store* layer : directories_of((*cache)->layers())) find_in(*layer, digest, &all);
  return all;
}

result<std::vector<cached_kernel>> find_kernels(const std::string& digest, const std::string& cache_dir) {
  const auto cache = opened_cache::open(cache_dir, form::read_only);
  if (!cache) return cache.status();
  std::vector<cached_kernel> all;
  find_in((*cache)->disk(), digest, &all);
  return all;
}

std::vector<cache_layer_details> cache_layers() {
  std::vector<cache_layer_details> all;
  opened_cache cache(the_environment());
  for (std::size_t i = 0; i < cache.layers().layer_count(); ++i) all.push_back(details_of(cache.layers().layer(i)));
  for (const cache::absent_layer& a : cache.layers().never_made()) {
    // In its place: the user's comes behind this process's memory, a remote one last.
    all.insert(a.name == "user" ? all.begin() + 1 : all.end(), never_made(a.name, a.why));
  }
  for (const std::string& complaint : cache.cold.complaints()) all.push_back(never_made("remote", complaint));
  return all;
}

result<cache_layer_details> cache_layer(const std::string& cache_dir) {
  const auto cache = opened_cache::open(cache_dir, form::read_only);
  if (!cache) return cache.status();
  cache_layer_details d = details_of((*cache)->disk());
  d.name = "directory";
  if (cache::posix_file_ops().may_create_in(d.location) == 0) d.state = "read-write";
  return d;
}

result<std::int64_t> prune_cache(std::int64_t max_bytes, const std::string& cache_dir) {
  if (max_bytes < 0) return status(code::invalid_argument, "max_bytes: at least 0 is needed");
  const auto cache = opened_cache::open(cache_dir, form::existing);
  if (!cache) return cache.status();
  const auto gone = (*cache)->disk().prune(static_cast<std::uint64_t>(max_bytes));
  if (!gone) return gone.status();
  return static_cast<std::int64_t>(*gone);
}

result<std::int64_t> clear_cache(const std::string& cache_dir) {
  const auto cache = opened_cache::open(cache_dir, form::existing);
  if (!cache) return cache.status();
  const auto gone = (*cache)->disk().clear();
  if (!gone) return gone.status();
  return static_cast<std::int64_t>(*gone);
}

result<verify_report> verify_cache(bool repair, const std::string& cache_dir) {
  const auto looker = opened_cache::open(cache_dir, form::read_only);
  if (!looker) return looker.status();
  cache::disk_store& disk = (*looker)->disk();
  verify_report report;
  report.directory = disk.root();
  for (const cache::found_file& f : cache::scan(cache::posix_file_ops(), disk.root())) {
    report.entries += f.type == cache::found_file::kind::entry ? 1 : 0;
  }
  const auto failed = disk.verify();
  if (!failed) return failed.status();
  for (const std::string& file : *failed) report.damaged.push_back({file, why_damaged(file)});
  if (repair && !report.damaged.empty()) {
    const auto mender = opened_cache::open(cache_dir, form::alone);
    if (!mender) return mender.status();
    if (const auto done = (*mender)->disk().verify(); !done) return done.status();
  }
  return report;
}

}  // namespace rowsmith
