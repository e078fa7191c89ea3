// rowsmith cache export | import
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "cli/output.h"
#include "cli/verbs.h"
#include "rowsmith/deploy.h"

namespace rowsmith::cli {

namespace {

struct export_arguments : export_options {
  std::string file;
  bool as_json = false;
};

int run(const export_arguments& a) {
  const auto r = export_bundle(a.file, a);
  if (!r) return fail(r.status());
  if (a.as_json) {
    print_json({{"file", a.file},
                {"entries", r->entries},
                {"bytes", r->bytes},
                {"host_entries", r->host_entries},
                {"signed", r->is_signed}});
    return exit_ok;
  }
  std::string text = fmt::format("{}: {} kernels, {}, {}\n", a.file, r->entries, human_bytes(r->bytes),
                                 r->is_signed ? "signed" : "not signed");
  if (r->host_entries != 0 && !r->is_signed) {
    text += fmt::format("{} of them are CPU code, which an import takes from a signed bundle only (--key-file)\n",
                        r->host_entries);
  }
  print_text(text);
  return exit_ok;
}

struct import_arguments : import_options {
  std::string file;
  bool as_json = false;
};

std::string as_text(const import_arguments& a, const import_report& r) {
  std::string text = fmt::format("{}: {} kernels, {} {}, {} present, {}\n", a.file, r.entries, r.added,
                                 a.dry_run ? "would be added" : "added", r.present,
                                 r.is_checked  ? "signed"
                                 : r.is_signed ? "signed, not checked: no key given"
                                               : "not signed");
  if (r.host_refused != 0) {
    text += fmt::format("{} of CPU code refused: {} (--key-file, or --allow-host)\n", r.host_refused,
                        r.is_signed ? "the bundle's signature was not checked" : "nobody signed the bundle");
  }
  if (r.other_compiler != 0) {
    text += fmt::format(
        "{} were built by another compiler than the one that this host has. It prefers its own work in the user's "
        "cache;\n"
        "to use them as they are, import --into a directory of their own and name that in ROWSMITH_SITE_DIRS\n",
        r.other_compiler);
  }
  for (const std::string& line : r.refused) text += "refused: " + line + "\n";
  return text;
}

int run(const import_arguments& a) {
  const auto r = import_bundle(a.file, a);
  if (!r) return fail(r.status());
  if (a.as_json) {
    print_json({{"file", a.file},
                {"entries", r->entries},
                {"added", r->added},
                {"present", r->present},
                {"host_refused", r->host_refused},
                {"other_compiler", r->other_compiler},
                {"refused", r->refused},
                {"signed", r->is_signed},
                {"checked", r->is_checked}});
  } else {
    print_text(as_text(a, *r));
  }
  return r->refused.empty() && r->host_refused == 0 ? exit_ok : exit_partial;
}

}  // namespace

void add_cache_bundles(CLI::App& cache, int* exit) {
  auto out = std::make_shared<export_arguments>();
  CLI::App* verb =
      cache.add_subcommand("export", "Writes the kernels of a cache to one file; the same kernels give the same bytes");
  verb->add_option("FILE", out->file, "The bundle to write")->required();
  verb->add_option("--cache-dir", out->cache_dir, "Whose kernels; the user's own cache when not given");
  verb->add_option("--target", out->targets, "Only these; may be given again");
  verb->add_option("--key-file", out->key_file, "Sign with this key; ROWSMITH_REMOTE_KEY_FILE when not given");
  verb->add_flag("--json", out->as_json, "Print one JSON object");
  verb->callback([out, exit] { *exit = run(*out); });

  auto in = std::make_shared<import_arguments>();
  verb =
      cache.add_subcommand("import",
                           "Takes the kernels of a bundle, each checked. Ends with 13 when some were refused, with 7 "
                           "when the bundle is damaged or signed by another key; nothing is taken then");
  verb->add_option("FILE", in->file, "The bundle")->required();
  verb->add_option("--into", in->into,
                   "A directory, also fit for ROWSMITH_SITE_DIRS; the user's own cache when not given");
  verb->add_option("--key-file", in->key_file,
                   "It must be signed with this key; ROWSMITH_REMOTE_KEY_FILE when not given");
  verb->add_flag("--allow-host", in->allow_host, "Take CPU code from a bundle that nobody signed");
  verb->add_flag("--dry-run", in->dry_run, "Check only");
  verb->add_flag("--json", in->as_json, "Print one JSON object");
  verb->callback([in, exit] { *exit = run(*in); });
}

}  // namespace rowsmith::cli
