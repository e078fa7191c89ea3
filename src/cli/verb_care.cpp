// rowsmith cache show | verify | prune | clear
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "cli/arguments.h"
#include "cli/layers.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "rowsmith/deploy.h"

namespace rowsmith::cli {

namespace {

struct care_options {
  std::string digest, cache_dir, max_bytes = "0";
  bool repair = false, as_json = false;
};

int show(const care_options& a) {
  const result<std::vector<cached_kernel>> found =
      a.cache_dir.empty() ? find_kernels(a.digest) : find_kernels(a.digest, a.cache_dir);
  if (!found) return fail(found.status());
  if (found->empty()) {
    const std::vector<std::string> why = a.cache_dir.empty() ? off(cache_layers()) : std::vector<std::string>();
    return fail(status(code::not_found, fmt::format("DIGEST: no entry begins with \"{}\"", a.digest))
                    .with_detail(off_as_text(why)));
  }
  json entries = json::array();
  std::string text;
  for (const cached_kernel& k : *found) {
    entries.push_back({{"digest", k.digest},
                       {"layer", k.layer},
                       {"file", k.file},
                       {"bytes", k.bytes},
                       {"payload_bytes", k.payload_bytes},
                       {"last_used", k.last_used},
                       {"problem", k.problem},
                       {"code", k.code},
                       {"key", k.key}});
    text += k.digest + "\n" +
            indented(aligned({{"layer", k.layer},
                              {"file", k.file},
                              {"size", human_bytes(k.bytes) + ", machine code " + human_bytes(k.payload_bytes)},
                              {"check", k.problem.empty() ? "good" : k.problem}}),
                     2) +
            indented(k.code, 2) + indented(k.key, 4);
  }
  if (a.as_json) {
    print_json({{"entries", entries}});
  } else {
    print_text(text);
  }
  return exit_ok;
}

// A digest is the name of an entry's file, but for the slash and what says who built it.
std::string digest_of(const std::string& file) {
  const std::size_t name = file.rfind('/') + 1;
  return name < 4 ? std::string() : file.substr(name - 3, 2) + file.substr(name, 30);
}

int verify(const care_options& a) {
  const auto r = verify_cache(a.repair, a.cache_dir);
  if (!r) return fail(r.status());
  json damaged = json::array();
  std::string text;
  for (const damaged_entry& d : r->damaged) {
    damaged.push_back({{"digest", digest_of(d.file)}, {"file", d.file}, {"problem", d.why}});
    text += d.file + "\n  " + d.why + "\n";
  }
  const bool good = r->damaged.empty();
  if (a.as_json) {
    print_json(
        {{"directory", r->directory}, {"entries", r->entries}, {"damaged", damaged}, {"repaired", a.repair && !good}});
  } else {
    print_text(text + fmt::format("{}: {} entries, {} damaged{}\n", r->directory, r->entries, r->damaged.size(),
                                  good       ? ""
                                  : a.repair ? ", set aside: they are built again"
                                             : ""));
  }
  return good || a.repair ? exit_ok : exit_verify_failed;
}

int removed(const result<std::int64_t>& gone, bool as_json) {
  if (!gone) return fail(gone.status());
  if (as_json) {
    print_json({{"removed", *gone}});
  } else {
    print_text(fmt::format("{} files removed\n", *gone));
  }
  return exit_ok;
}

int prune(const care_options& a) {
  const auto most = parse_bytes("--max-bytes", a.max_bytes);
  return most ? removed(prune_cache(*most, a.cache_dir), a.as_json) : fail(most.status());
}

}  // namespace

void add_cache_care(CLI::App& cache, int* exit) {
  auto a = std::make_shared<care_options>();
  const auto add = [&](const char* name, const char* meaning, auto run) {
    CLI::App* verb = cache.add_subcommand(name, meaning);
    verb->add_flag("--json", a->as_json, "Print one JSON object");
    verb->callback([a, exit, run] { *exit = run(*a); });
    return verb;
  };
  const auto add_dir = [&](CLI::App* verb) {
    verb->add_option("--cache-dir", a->cache_dir, "An absolute path; the user's own cache when not given");
    return verb;
  };
  CLI::App* shows = add("show", "Shows an entry: where it is, its key, what its machine code tells", show);
  shows->add_option("DIGEST", a->digest, "Its digest, or how that begins")->required();
  shows->add_option("--cache-dir", a->cache_dir, "An absolute path; all layers of the cache when not given");
  add_dir(
      add("verify",
          "Reads every entry of one directory whole and checks it; ends with 7 when one is damaged. Site directories "
          "are looked at by --cache-dir only",
          verify))
      ->add_flag("--repair", a->repair, "Set damaged entries aside, so that they are built again; ends with 0 then");
  add_dir(add("prune", "Removes the least recently used entries, and what killed processes left", prune))
      ->add_option("--max-bytes", a->max_bytes, "What may stay: bytes, with an optional suffix K, M or G")
      ->required();
  add_dir(add("clear", "Removes every entry",
              [](const care_options& b) { return removed(clear_cache(b.cache_dir), b.as_json); }));
}

}  // namespace rowsmith::cli
