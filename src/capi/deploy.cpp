// deploy: warm and bundles.
#include "rowsmith/deploy.h"

#include <cstddef>
#include <string>
#include <vector>

#include "capi/guard.h"
#include "capi/sized.h"

using namespace rowsmith;

static_assert(sizeof(rs_warm_options) == 40 && offsetof(rs_warm_options, cache_dir) == 8 &&
              offsetof(rs_warm_options, alignments) == 32);
static_assert(sizeof(rs_warm_report) == 72 && offsetof(rs_warm_report, requests) == 8);
static_assert(RS_ALIGNMENTS_RECORDED == static_cast<int>(alignments::recorded) &&
              RS_ALIGNMENTS_USUAL == static_cast<int>(alignments::usual) &&
              RS_ALIGNMENTS_EVERY == static_cast<int>(alignments::every));

namespace {

std::string text_of(const char* text) { return text == nullptr ? "" : text; }

rs_warm_report numbers_of(const warm_report& r) {
  rs_warm_report c = {};
  c.requests = r.requests;
  c.refused_lines = static_cast<std::int64_t>(r.refused.size());
  for (const warm_target& t : r.targets) {
    c.failed_targets += t.problem.empty() ? 0 : 1;
    c.kernels += t.kernels;
    c.present += t.present;
    c.built += t.built;
    c.failed += t.failed;
  }
  c.seconds = r.seconds;
  return c;
}

std::string reasons_of(const warm_report& r) {
  std::string text;
  for (const refused_line& l : r.refused) text += "line " + std::to_string(l.line) + ": " + l.why + "\n";
  for (const warm_target& t : r.targets) {
    if (!t.problem.empty()) text += t.target + ": " + t.problem + "\n";
    for (const warm_failure& f : t.failures) text += t.target + ": " + f.kernel + ": " + f.why + "\n" + f.log + "\n";
  }
  return text;
}

}  // namespace

rs_status rs_warm(const char* manifest, const char* const* targets, size_t target_count, const rs_warm_options* options,
                  rs_warm_report* report) {
  return capi::guarded([&]() -> status {
    if (manifest == nullptr) return capi::null_argument("manifest");
    if (targets == nullptr && target_count != 0) return capi::null_argument("targets");
    rs_warm_options o = RS_WARM_OPTIONS_INIT;
    if (options != nullptr) {
      if (status s = capi::read_sized("options", options, &o); !s) return s;
    }
    if (o.alignments > RS_ALIGNMENTS_EVERY) {
      return {code::invalid_argument,
              "options.alignments: found " + std::to_string(o.alignments) + ", 0, 1 and 2 are allowed"};
    }
    std::vector<std::string> names;
    for (size_t i = 0; i < target_count; ++i) {
      if (targets[i] == nullptr) return capi::null_argument("targets");
      names.emplace_back(targets[i]);
    }
    warm_options how;
    how.jobs = o.jobs;
    how.cache_dir = text_of(o.cache_dir);
    how.alignments = static_cast<alignments>(o.alignments);
    if (o.progress != nullptr) {
      how.user = &o;
      how.progress = [](const deploy_progress& now, void* user) {
        const auto* asked = static_cast<const rs_warm_options*>(user);
        asked->progress(now.done, now.total, asked->user);
      };
    }
    const result<warm_report> done = warm(manifest, names, how);
    if (!done) return done.status();
    if (report != nullptr) {
      if (status s = capi::write_sized("report", numbers_of(*done), report); !s) return s;
    }
    if (done->complete()) return {};
    return status(code::compile_failed, "warm: something was left out").with_detail(reasons_of(*done));
  });
}

rs_status rs_import_bundle(const char* file, const char* directory, const char* key_file, int64_t* added) {
  return capi::guarded([&]() -> status {
    if (file == nullptr) return capi::null_argument("file");
    import_options how;
    how.into = text_of(directory);
    how.key_file = text_of(key_file);
    const result<import_report> done = import_bundle(file, how);
    if (!done) return done.status();
    if (added != nullptr) *added = done->added;
    if (done->host_refused != 0) {
      return {code::corrupt, "bundle: nobody signed it, so that " + std::to_string(done->host_refused) +
                                 " kernels of CPU code were not taken"};
    }
    if (done->refused.empty()) return {};
    std::string reasons;
    for (const std::string& line : done->refused) reasons += line + "\n";
    return status(code::corrupt, "bundle: " + std::to_string(done->refused.size()) + " kernels were not taken")
        .with_detail(reasons);
  });
}
