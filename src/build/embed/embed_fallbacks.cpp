// embed_fallbacks OUT.cpp: compiles the scalar fallback of every op for every target that the compilers at hand know and
// writes them as one C++ file. Runs at build time; a compiler that is not there leaves its targets out, with a line.
#include <fmt/format.h>
#include <fmt/os.h>

#include <array>
#include <cstdio>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backend/backend.h"
#include "model/op_table.h"
#include "plan/plan.h"
#include "render/render.h"

namespace rowsmith {
namespace {

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

result<binary> compile(const op_row& op, const launch_plan& l, const target& to) {
  backend* b = backend_for(to.vendor);
  if (b == nullptr) return status(code::unsupported, "no such backend in this build");
  result<traits> t = b->traits_of(to.name);
  if (!t) return t.status();
  if (result<compiler_id> who = b->compiler(*t); !who) return who.status();
  shape_class any;
  any.op = op.id;
  any.vendor = to.vendor;
  result<source> s = render(l, any, *t);
  if (!s) return s.status();
  return b->compile(*s, *t);
}

std::string array_text(const bytes& code, std::size_t index) {
  std::string text = fmt::format("alignas(16) constexpr unsigned char k_code_{}[] = {{", index);
  for (std::size_t i = 0; i < code.size(); ++i) {
    text += fmt::format("{}{},", i % 32 == 0 ? "\n" : "", static_cast<int>(code[i]));
  }
  return text + "};\n";
}

int run(const char* path) {
  std::string arrays, table;
  std::size_t count = 0;
  std::set<std::pair<std::string, std::string_view>> done;  // ops share launches
  for (const op_row& op : all_ops()) {
    for (const target& to : k_targets) {
      for (const launch_plan& l : launches_of(op, to.vendor)) {
        if (!done.emplace(l.entry, to.name).second) continue;
        result<binary> made = compile(op, l, to);
        if (!made) {
          fmt::print("  {} for {} is left out: {}\n", l.entry, to.name, made.status().to_string());
          if (made.status().error() == code::compile_failed) {
            fmt::print(stderr, "{}\n", made.status().detail());
            return 1;
          }
          continue;
        }
        arrays += array_text(made->code, count);
        table += fmt::format(
            "    {{device_kind::{}, \"{}\", \"{}\", std::as_bytes(std::span(k_code_{}))}},\n", name_of(to.vendor),
            to.name, l.entry, count);
        ++count;
      }
    }
  }
  auto out = fmt::output_file(path);
  out.print("// Written by embed_fallbacks at build time.\n#include <array>\n\n#include \"build/fallback.h\"\n\n");
  out.print("namespace rowsmith {{\nnamespace {{\n{}}}  // namespace\n\n", arrays);
  out.print("std::span<const embedded_binary> embedded_fallbacks() noexcept {{\n");
  out.print("  static const std::array<embedded_binary, {}> all = {{{{\n{}  }}}};\n  return all;\n}}\n\n", count, table);
  out.print("}}  // namespace rowsmith\n");
  return 0;
}

}  // namespace
}  // namespace rowsmith

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: embed_fallbacks OUT.cpp\n");
    return 2;
  }
  return rowsmith::run(argv[1]);
}
