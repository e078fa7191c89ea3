// coverage: which kernels of a manifest would be found, and why the others would not.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "deploy/opened_cache.h"
#include "deploy/wanted.h"
#include "rowsmith/deploy.h"

namespace rowsmith {

namespace {

target_coverage cover(const std::string& name, const manifest& m, const coverage_options& options, opened_cache& cache,
                      const std::vector<cache::entry_info>& listed) {
  target_coverage report;
  report.target = name;
  const result<target> t = find_target(name);
  if (!t) {
    report.problem = t.status().to_string();
    return report;
  }
  const result<compiler_id> who = t->vendor->compiler(t->traits);
  const bool any = options.any_compiler || !who || cache.env.compile == compile_policy::never;
  const wanted_list wanted = wanted_on(*t, m, options.alignments, any ? nullptr : &*who);
  report.kernels = static_cast<std::int64_t>(wanted.kernels.size());
  std::map<std::string, std::int64_t> layers;
  for (const wanted_kernel& k : wanted.kernels) {
    const auto found = cache.layers().get(k.key, any ? cache::accept::any : cache::accept::same);
    if (found) {
      ++report.present;
      ++layers[found->layer];
      continue;
    }
    missing_kernel missing{to_string(k.fixed), k.line, k.key.what_digest(), {}, {}};
    if (const auto nearest = cache::nearest(listed, k.key)) {
      missing.nearest = nearest->key.what_digest();
      missing.differs = cache::differing_fields(k.key, nearest->key);
    }
    report.missing.push_back(std::move(missing));
  }
  report.layers.assign(layers.begin(), layers.end());
  return report;
}

const cache::field* find(const std::vector<cache::field>& fields, const std::string& name, std::size_t nth) {
  for (const cache::field& f : fields) {
    if (f.name == name && nth-- == 0) return &f;
  }
  return nullptr;
}

// Fields in the order of `wanted`, then those that only `nearest` has.
void compare(const std::vector<cache::field>& wanted, const std::vector<cache::field>& nearest, miss_report* report) {
  const auto walk = [&](const std::vector<cache::field>& mine, const std::vector<cache::field>& theirs, bool both) {
    std::map<std::string, std::size_t> count;
    for (const cache::field& f : mine) {
      const cache::field* other = find(theirs, f.name, count[f.name]++);
      if (other == nullptr || (both && *other != f)) {
        const std::string absent;
        report->differences.push_back(
            {f.name, both ? f.value : absent, both ? (other ? other->value : absent) : f.value});
      }
    }
  };
  walk(wanted, nearest, true);
  walk(nearest, wanted, false);
}

}  // namespace

result<coverage_report> coverage(const std::string& manifest_file, const std::vector<std::string>& targets,
                                 const coverage_options& options) {
  if (targets.empty()) return status(code::invalid_argument, "targets: none given, at least one is needed");
  const result<manifest> m = read_manifest(manifest_file);
  if (!m) return m.status();
  if (status s = check_asks(*m, manifest_file); !s) return s;
  const auto cache = opened_cache::open(
      options.cache_dir, options.cache_dir.empty() ? opened_cache::form::all_layers : opened_cache::form::existing);
  if (!cache) return cache.status();
  const std::vector<cache::entry_info> listed = (*cache)->layers().list();

  coverage_report report;
  report.layers_off = (*cache)->cold.layers_off();
  report.requests = static_cast<std::int64_t>(m->entries.size());
  for (const manifest::problem& p : m->problems) report.refused.push_back({p.line, p.why});
  for (const std::string& name : targets) report.targets.push_back(cover(name, *m, options, **cache, listed));
  return report;
}

result<miss_report> why_miss(const std::string& key_text) {
  const result<cache::key> wanted = cache::key::parse(key_text);
  if (!wanted) return wanted.status();
  const auto cache = opened_cache::open({}, opened_cache::form::all_layers);
  if (!cache) return cache.status();
  miss_report report;
  const bool has_compiler = !wanted->who().empty() && (*cache)->env.compile != compile_policy::never;
  if (const auto found = (*cache)->layers().get(*wanted, has_compiler ? cache::accept::same : cache::accept::any)) {
    report.layer = found->layer;
    return report;
  }
  report.layers_off = (*cache)->cold.layers_off();
  const auto nearest = cache::nearest((*cache)->layers().list(), *wanted);
  if (!nearest) return report;
  report.nearest = nearest->key.what_digest();
  report.nearest_layer = nearest->layer;
  compare(wanted->what(), nearest->key.what(), &report);
  if (has_compiler) compare(wanted->who(), nearest->key.who(), &report);
  return report;
}

}  // namespace rowsmith
