#include "build/builder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>

#include "base/log.h"
#include "base/scratch.h"
#include "build/entry_check.h"
#include "build/fallback.h"
#include "build/kernel_key.h"
#include "build/signing_key.h"
#include "model/op_table.h"
#include "plan/plan.h"
#include "render/render.h"

namespace rowsmith {

namespace {

constexpr std::int64_t largest_grid = std::numeric_limits<std::int32_t>::max();
constexpr int most_background_threads = 2;
constexpr int most_futile_waits = 2;

std::span<const std::byte> as_bytes(const std::string& s) { return std::as_bytes(std::span(s)); }

bytes to_bytes(const std::string& s) {
  const auto b = as_bytes(s);
  return {b.begin(), b.end()};
}

// Machine code of this very CPU: nothing stands between it and the process.
bool is_host_code(const cache::key& k) { return what_of(k, "backend") == name_of(device_kind::host); }

// The remote tier as ROWSMITH_REMOTE and ROWSMITH_REMOTE_KEY_FILE say; none at all when one of them cannot be used.
std::optional<cache::remote_options> remote_of(const environment& env, std::vector<std::string>* complaints) {
  if (env.remote.empty()) return std::nullopt;
  result<cache::remote_url> url = cache::parse_remote_url(env.remote);
  if (!url) return complaints->push_back("ROWSMITH_REMOTE: " + url.status().message()), std::nullopt;
  cache::remote_options o;
  o.url = std::move(*url);
  o.needs_mac = is_host_code;
  if (env.remote_key_file.empty()) return o;
  result<mac_function> mac = signing_key(env.remote_key_file);
  if (!mac) return complaints->push_back("ROWSMITH_REMOTE_KEY_FILE: " + mac.status().to_string()), std::nullopt;
  o.mac = std::move(*mac);
  return o;
}

cache::store_options options_of(const environment& env) {
  const auto given = [](const std::string& s) { return s.empty() ? std::nullopt : std::optional(s); };
  cache::store_options o;
  o.user = cache::resolve_location({.option = std::nullopt,
                                    .rowsmith_cache_dir = given(env.cache_dir),
                                    .xdg_cache_home = given(env.xdg_cache_home),
                                    .home = given(env.home)});
  o.site_dirs = env.site_dirs;
  o.max_bytes = env.cache_max_bytes;
  o.check = check_entry;
  return o;
}

void warn(const shape_class& c, std::string_view what, const status& s) {
  if (log_enabled(log_level::warn)) {
    log(log_level::warn, fmt::format("{}: {}: {}\n{}", to_string(c), what, s.to_string(), s.detail()));
  }
}

executable::step step_of(const launch_plan& l, const device_info& device, std::unique_ptr<loaded_kernel> kernel) {
  const std::int64_t most =
      l.blocks_per_unit == 0 ? largest_grid : static_cast<std::int64_t>(l.blocks_per_unit) * device.card.units;
  return {std::move(kernel), l.rows_per_block, most, l.repeating, l.cluster, l.items, l.parts, l.layout};
}

// Are the kernels of a fallback part of this build?
bool is_embedded(const plan& p, const traits& t) {
  return std::all_of(p.launches.begin(), p.launches.end(),
                     [&](const launch_plan& l) { return find_fallback(t, l.entry).has_value(); });
}

executable::workspace_need need_of(const plan& p, backend& b) {
  const bool any = (p.workspace_bytes | p.workspace_per_block | p.workspace_per_block_column | p.workspace_per_row |
                    p.workspace_per_table_row) != 0;
  return {p.workspace_bytes,   p.workspace_per_block,     p.workspace_per_block_column,
          p.workspace_per_row, p.workspace_per_table_row, any ? &b : nullptr};
}

}  // namespace

std::size_t shape_class_hash::operator()(const shape_class& c) const noexcept { return XXH3_64bits(&c, sizeof c); }

builder::builder(const environment& env, delivery deliver)
    : env_(env), deliver_(std::move(deliver)), workers_(most_background_threads) {
  cache::store_options o = options_of(env);
  o.remote = remote_of(env, &complaints_);
  for (const std::string& complaint : complaints_) log(log_level::warn, complaint);
  store_ = cache::make_store(o);
  locking_ = !o.user.memory_only();
  locks_.not_beside = o.user.path;
}

builder::answer builder::build(const shape_class& c) {
  return flights_.run(c, [&]() -> answer {
    if (env_.force_scalar) return build_fallback(c);
    {
      std::lock_guard lock(failures_mutex_);
      if (const auto known = failures_.find(c); known != failures_.end()) {
        if (known->second.error() == code::would_compile && env_.strict) return known->second;
        return build_fallback(c);
      }
    }
    answer planned = build_planned(c);
    if (planned) return planned;
    const code why = planned.status().error();
    if (why == code::not_found && backend_for(c.vendor) == nullptr) return planned;
    if (why == code::out_of_memory) return planned;  // that passes, and the fallback in the table would stay
    warn(c, "no specialized kernel", planned.status());
    {
      std::lock_guard lock(failures_mutex_);
      failures_.emplace(c, planned.status());
    }
    if (why == code::would_compile && env_.strict) return planned;
    answer scalar = build_fallback(c);
    return scalar ? scalar : planned;  // the first failure says more than that nothing replaces it
  });
}

result<builder::target> builder::plan_for(const shape_class& c) {
  backend* b = backend_for(c.vendor);
  if (b == nullptr) return status(code::unsupported, fmt::format("no {} backend in this build", name_of(c.vendor)));
  result<device_info> device = b->describe(static_cast<int>(c.device_index));
  if (!device) return device.status();
  result<plan> p = make_plan(c, device->traits);
  if (!p) return p.status();
  return target{b, std::move(*device), std::move(*p)};
}

builder::answer builder::build_planned(const shape_class& c) {
  const result<target> t = plan_for(c);
  if (!t) return t.status();
  return assemble(c, *t->vendor, t->device, t->plan);
}

builder::answer builder::build_fallback(const shape_class& c) {
  if (!has_scalar_plan(c)) {
    return status(code::unsupported, "no fallback computes expressions around an op that needs a workspace itself");
  }
  backend* b = backend_for(c.vendor);
  if (b == nullptr) return status(code::unsupported, fmt::format("no {} backend in this build", name_of(c.vendor)));
  result<device_info> device = b->describe(static_cast<int>(c.device_index));
  if (!device) return device.status();
  const plan p = make_scalar_plan(c, device->traits);
  ++counters_.fallbacks;

  const bool compiled_in = c.vendor == device_kind::host || c.vendor == device_kind::null;
  // A target that the build's compilers did not know: the machine's own compiler makes the fallback, once.
  if (!compiled_in && !is_embedded(p, device->traits)) return assemble(c, *b, *device, p);

  std::vector<executable::step> steps;
  for (const launch_plan& l : p.launches) {
    const auto embedded = find_fallback(device->traits, l.entry);
    result<std::unique_ptr<loaded_kernel>> kernel =
        b->load(static_cast<int>(c.device_index), embedded.value_or(std::span<const std::byte>{}), l);
    if (!kernel) return kernel.status();
    steps.push_back(step_of(l, *device, std::move(*kernel)));
  }
  return std::make_shared<const executable>(std::move(steps), need_of(p, *b), mechanism::scalar, origin::fallback,
                                            std::string());
}

builder::answer builder::assemble(const shape_class& c, backend& b, const device_info& device, const plan& p) {
  std::vector<executable::step> steps;
  origin slowest = origin::memory;
  std::string digest;
  for (const launch_plan& l : p.launches) {
    result<source> s = outline(l, c, device.traits);
    if (!s) return s.status();
    origin from = origin::memory;
    std::string own_digest;
    result<executable::step> step = load(*s, c, b, device, l, &from, &own_digest);
    if (!step) return step.status();
    steps.push_back(std::move(*step));
    slowest = std::max(slowest, from);
    if (digest.empty()) digest = std::move(own_digest);
  }
  return std::make_shared<const executable>(std::move(steps), need_of(p, b), p.launches.front().how, slowest,
                                            std::move(digest));
}

result<executable::step> builder::load(const source& s, const shape_class& c, backend& b, const device_info& device,
                                       const launch_plan& l, origin* from, std::string* digest) {
  result<machine_code> got = obtain(s, c, b, device.traits);
  if (!got) return got.status();
  result<std::unique_ptr<loaded_kernel>> kernel = b.load(static_cast<int>(c.device_index), got->binary, l);
  const bool full = kernel.status().error() == code::out_of_memory;  // of which no other code would be smaller
  if (!kernel && !full && got->from != origin::compiled && env_.compile != compile_policy::never) {
    // What an older driver or compiler left behind may not load any more: a miss, found late.
    warn(c, "a cached kernel does not load and is built again", kernel.status());
    const result<compiler_id> who = b.compiler(device.traits);
    if (!who) return kernel.status();
    got = compile(s, key_of(s, c, device.traits, &*who), b, device.traits);
    if (!got) return got.status();
    kernel = b.load(static_cast<int>(c.device_index), got->binary, l);
  }
  if (!kernel) return kernel.status();
  *from = got->from;
  *digest = std::move(got->digest);
  return step_of(l, device, std::move(*kernel));
}

builder::machine_code builder::use(const cache::entry& e, const cache::key& k) {
  const bool memory = e.layer == "memory";
  ++(memory ? counters_.from_memory : counters_.from_disk);
  return machine_code{to_bytes(e.payload), memory ? origin::memory : origin::disk, k.what_digest()};
}

// Asking a compiler who it is may take longer than all the rest of a process's first call.
std::optional<builder::machine_code> builder::find_by_build(const cache::key& k, const std::string& build) {
  if (build.empty()) return std::nullopt;
  const result<cache::entry> e = store_->get_near(k, cache::accept::any);
  if (!e) return std::nullopt;
  const auto& who = e->key.who();
  const bool ours = std::any_of(who.begin(), who.end(), [&](const cache::field& f) {
    return f == cache::field{"build", build};
  });
  return ours ? std::optional(use(*e, k)) : std::nullopt;
}

result<builder::machine_code> builder::obtain(const source& s, const shape_class& c, backend& b, const traits& t) {
  // Who never compiles needs no compiler and takes any builder's work.
  const bool never = env_.compile == compile_policy::never;
  if (!never) {
    if (auto found = find_by_build(key_of(s, c, t, nullptr), b.compiler_build(t))) return std::move(*found);
  }
  const result<compiler_id> who = never ? status(code::would_compile, "nothing is compiled") : b.compiler(t);
  const cache::key key = key_of(s, c, t, who ? &*who : nullptr);
  if (const auto found = store_->get(key, who ? cache::accept::same : cache::accept::any)) return use(*found, key);
  if (never) return why_missed(c, t, key);
  if (!who) return who.status();
  return compile_once_per_node(s, key, b, t);
}

std::vector<std::string> builder::layers_off() const {
  std::vector<std::string> all;
  for (const cache::absent_layer& layer : store_->absent()) all.push_back(layer.name + ": " + layer.why);
  for (const std::string& complaint : complaints_) all.push_back("remote: " + complaint);
  return all;
}

status builder::why_missed(const shape_class& c, const traits& t, const cache::key& k) {
  if (!env_.strict && !log_enabled(log_level::warn)) {  // nobody would read what it takes every entry to find out
    return status(code::would_compile, "no cached kernel, and ROWSMITH_COMPILE is never");
  }
  const auto nearest = cache::nearest(store_->list(), k);
  std::string why = "the cache is empty";
  if (nearest) {
    cache::key same_builder = k;  // which does not matter here
    for (const cache::field& f : nearest->key.who()) same_builder.add_who(f.name, f.value);
    const std::vector<std::string> names = cache::differing_fields(same_builder, nearest->key);
    why = names.empty() ? "its entry is there but cannot be used"
                        : fmt::format("the nearest entry differs in {}", fmt::join(names, ", "));
  }
  const std::vector<std::string> off = layers_off();
  if (!nearest && !off.empty()) why = "no layer of the cache in use has an entry";
  for (const std::string& layer : off) why += fmt::format("; not in use is {}", layer);
  return status(code::would_compile, fmt::format("no cached kernel for {} on {}, and ROWSMITH_COMPILE is never; {}",
                                                 to_string(c), t.arch, why))
      .with_detail(nearest ? fmt::format("wanted:\n{}nearest, {}:\n{}", k.text(), nearest->file, nearest->key.text())
                           : fmt::format("wanted:\n{}", k.text()));
}

result<builder::machine_code> builder::compile_once_per_node(const source& s, const cache::key& key, backend& b,
                                                             const traits& t) {
  if (!locking_ || futile_waits_ >= most_futile_waits) return compile(s, key, b, t);
  std::optional<cache::entry> theirs;
  const auto look = [&] {
    if (auto found = store_->get_near(key, cache::accept::same)) theirs = std::move(*found);
    return theirs.has_value();
  };
  const cache::node_lock lock =
      cache::node_lock::acquire(locks_, locks_.not_beside + key.what_digest() + key.who_digest(), look);
  if (theirs || look()) return use(*theirs, key);
  if (lock.waited()) ++futile_waits_;
  return compile(s, key, b, t);
}

result<builder::machine_code> builder::compile(const source& s, const cache::key& key, backend& b, const traits& t) {
  set_scratch_folder(store_->scratch_folder());
  source whole = s;
  if (status gathered = complete(&whole); !gathered) return gathered;
  result<binary> made = b.compile(whole, t);
  if (made) {
    if (status bad = b.check(made->code, t, s.entry); !bad.ok()) made = bad;
  }
  if (!made) {
    ++counters_.compile_failures;
    return made.status();
  }
  ++counters_.compiled;
  if (log_enabled(log_level::info)) {
    log(log_level::info, fmt::format("compiled {} for {} in {:.0f} ms", s.entry, t.arch, made->compile_ms));
  }
  cache::entry e;
  e.key = key;
  e.payload.assign(reinterpret_cast<const char*>(made->code.data()), made->code.size());
  (void)store_->put(e);  // counted and logged by the store; the bytes in hand run all the same
  return machine_code{std::move(made->code), origin::compiled, key.what_digest()};
}

bool builder::fallback_at_hand(const shape_class& c) {
  if (!has_scalar_plan(c)) return false;
  if (c.vendor == device_kind::host || c.vendor == device_kind::null) return true;
  backend* b = backend_for(c.vendor);
  if (b == nullptr) return false;
  const result<device_info> device = b->describe(static_cast<int>(c.device_index));
  return device && is_embedded(make_scalar_plan(c, device->traits), device->traits);
}

result<builder::found> builder::find(const shape_class& c) {
  const result<target> t = plan_for(c);
  if (!t) return t.status();
  found f;
  std::vector<executable::step> steps;
  origin slowest = origin::memory;
  for (const launch_plan& l : t->plan.launches) {
    const result<source> s = outline(l, c, t->device.traits);
    if (!s) return s.status();
    const cache::key key = key_of(*s, c, t->device.traits, nullptr);
    const result<cache::entry> e = store_->get_near(key, cache::accept::any);
    if (!e) return e.status();
    machine_code code = use(*e, key);
    result<std::unique_ptr<loaded_kernel>> kernel = t->vendor->load(static_cast<int>(c.device_index), code.binary, l);
    if (!kernel) return kernel.status();
    steps.push_back(step_of(l, t->device, std::move(*kernel)));
    slowest = std::max(slowest, code.from);
    f.keys.push_back(e->key);
  }
  f.kernel = std::make_shared<const executable>(std::move(steps), need_of(t->plan, *t->vendor),
                                                t->plan.launches.front().how, slowest, f.keys.front().what_digest());
  return f;
}

// True where build() would come to the kernels of these keys again.
bool builder::nothing_better(const shape_class& c, const std::vector<cache::key>& in_use) {
  const result<target> t = plan_for(c);
  if (!t || t->plan.launches.size() != in_use.size()) return false;
  const result<compiler_id> who = t->vendor->compiler(t->device.traits);
  if (!who) return true;
  for (std::size_t i = 0; i < in_use.size(); ++i) {
    const result<source> s = outline(t->plan.launches[i], c, t->device.traits);
    if (!s) return false;
    const auto best = store_->get(key_of(*s, c, t->device.traits, &*who), cache::accept::same);
    if (!best || !(best->key == in_use[i])) return false;
  }
  return true;
}

void builder::build_later(const shape_class& c, std::vector<cache::key> in_use) {
  {
    const std::lock_guard lock(later_mutex_);
    if (!later_.insert(c).second) return;
  }
  const bool queued = workers_.post([this, c, in_use = std::move(in_use)] {
    try {
      if (!in_use.empty() && nothing_better(c, in_use)) return;
      answer built = build(c);
      if (built.status().error() == code::out_of_memory) {
        const std::lock_guard lock(later_mutex_);
        later_.erase(c);  // the next call that meets it asks again
      }
      if (built && deliver_) deliver_(c, std::move(*built));
    } catch (const std::exception& e) {  // no memory, as a rule: what stands in goes on
      log(log_level::error, e.what());
    }
  });
  if (queued) return;
  const std::lock_guard lock(later_mutex_);
  later_.erase(c);
}

void builder::forget() {
  workers_.stop();
  store_->clear_memory();
  {
    const std::lock_guard lock(later_mutex_);
    later_.clear();
  }
  const std::lock_guard lock(failures_mutex_);
  failures_.clear();
}

}  // namespace rowsmith
