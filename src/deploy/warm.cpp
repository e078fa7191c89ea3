// warm: builds ahead what a manifest asks for.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <thread>

#include "cache/node_lock.h"
#include "deploy/opened_cache.h"
#include "deploy/wanted.h"
#include "render/render.h"
#include "rowsmith/deploy.h"

namespace rowsmith {

namespace {

constexpr std::size_t longest_log = 8 << 10;

// The remarks without the source, which is what explain is for.
std::string log_of(const status& s) {
  std::string log = s.detail().substr(0, s.detail().find("\n--- "));
  if (log.size() > longest_log) log = log.substr(0, longest_log) + "\n…";
  return log;
}

// Kernels of one text: one compile, an entry each.
using batch = std::vector<const wanted_kernel*>;

struct work {
  rowsmith::target where;
  wanted_list wanted;
  std::vector<batch> batches;
  warm_target report;
  bool given_up = false;  // the compiler does not know the target
};

class warmer {
 public:
  warmer(opened_cache& cache, const warm_options& options) : cache_(cache), options_(options) {}

  void plan(const std::string& name, const manifest& m) {
    auto w = std::make_unique<work>();
    w->report.target = name;
    prepare(name, m, w.get());
    all_.push_back(std::move(w));
  }

  void run() {
    std::vector<std::pair<work*, const batch*>> pieces, later;  // later: what other processes are at
    for (const auto& w : all_) {
      for (const batch& kernels : w->batches) pieces.emplace_back(w.get(), &kernels);
    }
    const int hardware = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    const int jobs = std::min(options_.jobs > 0 ? options_.jobs : hardware, static_cast<int>(pieces.size()));
    beside_others_ = jobs > 1;
    std::atomic<std::size_t> next{0};
    const auto run_some = [&] {
      for (std::size_t i; (i = next++) < pieces.size();) {
        if (build(pieces[i].first, *pieces[i].second, patience::none)) continue;
        const std::lock_guard lock(mutex_);
        later.push_back(pieces[i]);
      }
      while (const auto one = take(&later)) (void)build(one->first, *one->second, patience::some);
    };
    std::vector<std::thread> threads;
    for (int i = 1; i < jobs; ++i) threads.emplace_back(run_some);
    run_some();
    for (std::thread& t : threads) t.join();
  }

  std::vector<warm_target> reports() && {
    std::vector<warm_target> reports;
    for (const auto& w : all_) {
      std::sort(w->report.failures.begin(), w->report.failures.end(),
                [](const warm_failure& a, const warm_failure& b) { return a.line < b.line; });
      reports.push_back(std::move(w->report));
    }
    return reports;
  }

 private:
  enum class patience { none, some };

  std::optional<std::pair<work*, const batch*>> take(std::vector<std::pair<work*, const batch*>>* from) {
    const std::lock_guard lock(mutex_);
    if (from->empty()) return std::nullopt;
    const auto one = from->front();
    from->erase(from->begin());
    return one;
  }

  void prepare(const std::string& name, const manifest& m, work* w) {
    result<rowsmith::target> t = find_target(name);
    if (!t) return give_up(w, t.status());
    w->where = std::move(*t);
    for (const auto& other : all_) {
      if (other->where.vendor == w->where.vendor && other->where.traits.arch == w->where.traits.arch) {
        w->report.problem = fmt::format("the same as {}", other->report.target);
        w->given_up = true;
        return;
      }
    }
    const result<compiler_id> who = w->where.vendor->compiler(w->where.traits);
    if (!who) return give_up(w, who.status());
    w->report.compiler = fmt::format("{} {}", who->name, who->version);
    w->wanted = wanted_on(w->where, m, options_.alignments, &*who);
    for (const unplanned& u : w->wanted.problems) fail(w, u.kernel, u.line, u.why);
    w->report.kernels = static_cast<std::int64_t>(w->wanted.kernels.size() + w->wanted.problems.size());

    std::map<std::string_view, std::size_t> by_code;
    for (const wanted_kernel& k : w->wanted.kernels) {
      const auto [at, fresh] = by_code.emplace(k.same_code, w->batches.size());
      if (fresh) w->batches.emplace_back();
      w->batches[at->second].push_back(&k);
    }
    progress_.total += static_cast<std::int64_t>(w->wanted.kernels.size());
  }

  static void give_up(work* w, const status& why) {
    w->given_up = true;
    w->report.problem = why.to_string();
    if (!why.detail().empty()) w->report.problem += "\n" + why.detail();
  }

  void fail(work* w, std::string kernel, std::int64_t line, const status& why) {
    ++w->report.failed;
    w->report.failures.push_back({std::move(kernel), line, why.to_string(), log_of(why)});
  }

  batch missing_of(const batch& kernels) {
    batch missing;
    for (const wanted_kernel* k : kernels) {
      if (!cache_.disk().get(k->key, cache::accept::same)) missing.push_back(k);
    }
    return missing;
  }

  // False where another process of this machine is building them, and there is no patience to wait for it.
  bool build(work* w, const batch& kernels, patience p) {
    const batch missing = missing_of(kernels);
    if (missing.empty()) return build_locked(w, kernels, missing), true;
    cache::node_lock_options options;
    options.not_beside = cache_.disk().root();
    if (p == patience::none) options.most_wait = {};
    const std::string name =
        options.not_beside + missing.front()->key.what_digest() + missing.front()->key.who_digest();
    const cache::node_lock lock =
        cache::node_lock::acquire(options, name, [&] { return p == patience::some && missing_of(missing).empty(); });
    if (!lock.held() && lock.waited() && p == patience::none) return false;
    build_locked(w, kernels, missing_of(missing));
    return true;
  }

  void build_locked(work* w, const batch& kernels, const batch& missing) {
    result<binary> made = missing.empty() ? result<binary>(binary{}) : compile(w, *missing.front());
    std::int64_t stored = 0, bytes = 0;
    std::vector<std::pair<const wanted_kernel*, status>> failures;
    for (const wanted_kernel* k : missing) {
      status s = made ? store(*k, *made) : made.status();
      if (s.ok()) {
        ++stored;
        bytes += static_cast<std::int64_t>(made->code.size());
      } else {
        failures.emplace_back(k, std::move(s));
      }
    }

    const std::lock_guard lock(mutex_);
    warm_target& r = w->report;
    r.present += static_cast<std::int64_t>(kernels.size() - missing.size());
    r.built += stored;
    r.bytes += bytes;
    if (made && !missing.empty()) {
      ++r.compiles;
      r.compile_seconds += made->compile_ms * 1e-3;
    }
    for (const auto& [k, s] : failures) {
      if (s.error() == code::unsupported && !made) {  // of the target, not of this kernel
        if (!w->given_up) give_up(w, s);
        ++r.failed;
      } else {
        fail(w, to_string(k->fixed), k->line, s);
      }
    }
    progress_.done += static_cast<std::int64_t>(kernels.size());
    if (options_.progress != nullptr) options_.progress(progress_, options_.user);
  }

  result<binary> compile(work* w, const wanted_kernel& k) {
    {
      const std::lock_guard lock(mutex_);
      if (w->given_up) return status(code::unsupported, w->report.problem);
    }
    const result<source> s = render(k.launch, k.fixed, w->where.traits);
    if (!s) return s.status();
    backend& by = *w->where.vendor;
    result<binary> made = beside_others_ ? by.compile_apart(*s, w->where.traits) : by.compile(*s, w->where.traits);
    if (!made) return made;
    if (status bad = w->where.vendor->check(made->code, w->where.traits, s->entry); !bad) return bad;
    return made;
  }

  status store(const wanted_kernel& k, const binary& made) {
    cache::entry e;
    e.key = k.key;
    e.payload.assign(reinterpret_cast<const char*>(made.code.data()), made.code.size());
    return cache_.disk().put(e);
  }

  opened_cache& cache_;
  const warm_options& options_;
  bool beside_others_ = false;
  std::vector<std::unique_ptr<work>> all_;
  std::mutex mutex_;  // reports and progress
  deploy_progress progress_;
};

}  // namespace

result<warm_report> warm(const std::string& manifest_file, const std::vector<std::string>& targets,
                         const warm_options& options) {
  const auto start = std::chrono::steady_clock::now();
  if (targets.empty()) return status(code::invalid_argument, "targets: none given, at least one is needed");
  const result<manifest> m = read_manifest(manifest_file);
  if (!m) return m.status();
  if (status s = check_asks(*m, manifest_file); !s) return s;
  const auto cache = opened_cache::open(options.cache_dir, opened_cache::form::alone);
  if (!cache) return cache.status();
  if (status s = (*cache)->disk().prepare(); !s) return s;

  warmer all(**cache, options);
  for (const std::string& name : targets) all.plan(name, *m);
  all.run();

  warm_report report;
  report.requests = static_cast<std::int64_t>(m->entries.size());
  for (const manifest::problem& p : m->problems) report.refused.push_back({p.line, p.why});
  report.targets = std::move(all).reports();
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace rowsmith
