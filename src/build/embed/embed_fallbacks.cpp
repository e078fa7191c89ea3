// embed_fallbacks FOLDER: compiles the scalar fallback of every op for every target that the compilers at hand know and
// writes them, one after the other, into FOLDER/fallbacks.bin, and what lies where into FOLDER/fallbacks.cpp. Runs at
// build time; a compiler that is not there leaves its targets out, with a line. FOLDER/codes keeps each machine code
// under a digest of its source and its compiler: a later run compiles what changed.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "backend/backend.h"
#include "cache/hash.h"
#include "model/op_table.h"
#include "plan/plan.h"
#include "render/render.h"

namespace rowsmith {
namespace {

namespace fs = std::filesystem;

struct target {
  device_kind vendor;
  std::string_view name;
};

// One machine code a CUDA generation, and PTX for those to come; the common gfx. Other targets compile the fallback at
// first use.
constexpr std::array<target, 11> k_targets = {{
    {device_kind::cuda, "sm_75"},
    {device_kind::cuda, "sm_80"},
    {device_kind::cuda, "sm_90"},
    {device_kind::cuda, "sm_100"},
    {device_kind::cuda, "sm_120"},
    {device_kind::cuda, "compute_75"},
    {device_kind::hip, "gfx900"},
    {device_kind::hip, "gfx906"},
    {device_kind::hip, "gfx908"},
    {device_kind::hip, "gfx90a"},
    {device_kind::hip, "gfx1030"},
}};

// The launches of an op's fallback.
std::vector<launch_plan> launches_of(const op_row& op, device_kind vendor) {
  shape_class any;
  any.op = op.id;
  any.vendor = vendor;
  traits t;
  t.vendor = vendor;
  return make_scalar_plan(any, t).launches;
}

// One kernel for one target.
struct job {
  target to;
  std::string entry;
  rowsmith::traits traits;
  source text;
  std::string digest;  // of all that its code follows from
  status failed;
  bytes code;
};

// The source and who compiles it; a compiler that is not there is a failure.
job prepare(const op_row& op, const launch_plan& l, const target& to) {
  job j;
  j.to = to;
  j.entry = l.entry;
  backend* b = backend_for(to.vendor);
  if (b == nullptr) return j.failed = status(code::unsupported, "no such backend in this build"), j;
  const result<traits> t = b->traits_of(to.name);
  if (!t) return j.failed = t.status(), j;
  const result<compiler_id> who = b->compiler(*t);
  if (!who) return j.failed = who.status(), j;
  shape_class any;
  any.op = op.id;
  any.vendor = to.vendor;
  result<source> s = render(l, any, *t);
  if (!s) return j.failed = s.status(), j;
  j.traits = *t;
  j.text = std::move(*s);
  cache::field_hasher all;
  all.add(who->name).add(who->version).add(who->build).add(to.name).add(j.text.entry).add(j.text.text);
  for (const std::string& option : j.text.options) all.add(option);
  j.digest = cache::hex(all.finish());
  return j;
}

// Every kernel of every op, once for every target: ops share launches.
std::vector<job> all_jobs() {
  std::vector<job> jobs;
  std::set<std::pair<std::string, std::string_view>> seen;
  for (const op_row& op : all_ops()) {
    for (const target& to : k_targets) {
      for (const launch_plan& l : launches_of(op, to.vendor)) {
        if (seen.emplace(l.entry, to.name).second) jobs.push_back(prepare(op, l, to));
      }
    }
  }
  return jobs;
}

bytes read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return bytes(first, first + text.size());
}

bool write_file(const fs::path& path, std::string_view text) {
  std::ofstream out(path, std::ios::binary);
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  return static_cast<bool>(out.flush());
}

std::string_view as_text(const bytes& code) { return {reinterpret_cast<const char*>(code.data()), code.size()}; }

// The code of an earlier run, or the compiler's.
void make(job& j, const fs::path& codes) {
  const fs::path kept = codes / j.digest, writing = codes / (j.digest + ".new");
  j.code = read_file(kept);
  if (!j.code.empty()) return;
  result<binary> made = backend_for(j.to.vendor)->compile(j.text, j.traits);
  if (!made) {
    j.failed = made.status();
    return;
  }
  j.code = std::move(made->code);
  if (write_file(writing, as_text(j.code))) fs::rename(writing, kept);
}

// On every core. Compilers of one vendor may wait for each other: jobs of both are mixed as they come.
void make_all(std::vector<job>& jobs, const fs::path& codes) {
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i; (i = next++) < jobs.size();) {
      if (jobs[i].failed.ok()) make(jobs[i], codes);
    }
  };
  std::vector<std::thread> others(std::max(1u, std::thread::hardware_concurrency()) - 1);
  for (std::thread& t : others) t = std::thread(work);
  work();
  for (std::thread& t : others) t.join();
}

// What no job of this run has is of sources that are no more.
void forget_others(const std::vector<job>& jobs, const fs::path& codes) {
  std::set<std::string> known;
  for (const job& j : jobs) known.insert(j.digest);
  for (const fs::directory_entry& file : fs::directory_iterator(codes)) {
    if (known.count(file.path().filename().string()) == 0) fs::remove(file.path());
  }
}

constexpr std::string_view k_text = R"(// Written by embed_fallbacks at build time.
#include <array>

#include "build/fallback.h"

extern "C" const std::byte rowsmith_fallback_codes[];  // src/build/embed/fallbacks.S

namespace rowsmith {{

std::span<const embedded_binary> embedded_fallbacks() noexcept {{
  static const std::array<embedded_binary, {}> all = {{{{
{}  }}}};
  return all;
}}

}}  // namespace rowsmith
)";

int run(const fs::path& folder) {
  const fs::path codes = folder / "codes";
  fs::create_directories(codes);
  std::vector<job> jobs = all_jobs();
  make_all(jobs, codes);
  forget_others(jobs, codes);

  std::string table, all;
  std::size_t count = 0;
  for (const job& j : jobs) {
    if (!j.failed.ok()) {
      fmt::print("  {} for {} is left out: {}\n", j.entry, j.to.name, j.failed.to_string());
      if (j.failed.error() != code::compile_failed) continue;
      fmt::print(stderr, "{}\n", j.failed.detail());
      return 1;
    }
    all.resize((all.size() + 15) / 16 * 16);  // as loaders like it
    table += fmt::format("    {{device_kind::{}, \"{}\", \"{}\", {{rowsmith_fallback_codes + {}, {}}}}},\n",
                         name_of(j.to.vendor), j.to.name, j.entry, all.size(), j.code.size());
    all += as_text(j.code);
    ++count;
  }
  if (!write_file(folder / "fallbacks.bin", all) ||
      !write_file(folder / "fallbacks.cpp", fmt::format(k_text, count, table))) {
    fmt::print(stderr, "{} cannot be written\n", folder.string());
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace rowsmith

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: embed_fallbacks FOLDER\n");
    return 2;
  }
  return rowsmith::run(argv[1]);
}
