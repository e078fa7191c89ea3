#include "render/render.h"

#include <fmt/format.h>

#include "model/op_table.h"
#include "render/embedded.h"
#include "render/headers.h"

namespace rowsmith {

namespace {

std::string_view machine_of(device_kind vendor) noexcept {
  switch (vendor) {
    case device_kind::hip:
      return "machine/hip.h";
    case device_kind::host:
      return "machine/host.h";
    default:
      return "machine/cuda.h";  // the null device plans and renders as CUDA does
  }
}

std::string_view extension_of(device_kind vendor) noexcept {
  switch (vendor) {
    case device_kind::hip:
      return "hip";
    case device_kind::host:
      return "cpp";
    default:
      return "cu";
  }
}

std::string_view text_of(inner i) noexcept {
  switch (i) {
    case inner::contiguous:
      return "contiguous";
    case inner::broadcast:
      return "broadcast";
    case inner::strided:
      break;
  }
  return "strided";
}

std::string operand_type(int index, const operand_facts& o, int access) {
  return fmt::format("using {0} = {1}<{2}, {3}, {4}, {5}>;\n", name_of(o.what), is_output(o.what) ? "output" : "input",
                     index, name_of(o.dtype), text_of(o.inner), access);
}

// The driver that a mechanism is built from: its header is row/<driver>.h, its template <driver>.
std::string_view driver_of(mechanism how) noexcept { return how == mechanism::simd_replay ? "simd" : name_of(how); }

std::string instantiate_scalar(const launch_plan& l, const traits& t) {
  if (t.vendor == device_kind::host) {
    return fmt::format(
        "RS_KERNEL {}(const row_args<{}, {}>* args, i64 begin, i64 end) {{\n"
        "  alone team;\n"
        "  for (i64 row = begin; row < end; ++row) {}(*args, row, 0, 1, team);\n}}\n",
        l.entry, l.arg_operands, l.arg_outer, l.algorithm);
  }
  return fmt::format(
      "RS_KERNEL({0}) {1}(const row_args<{2}, {3}> args) {{\n"
      "  RS_SHARED float slots[block_team<{0}>::shared_floats];\n"
      "  block_team<{0}> team{{slots}};\n"
      "  for (i64 row = block_index(); row < args.rows; row += args.blocks) {4}(args, row, thread_index(), {0}, team);\n}}\n",
      l.threads, l.entry, l.arg_operands, l.arg_outer, l.algorithm);
}

std::string instantiate(const launch_plan& l, const shape_class& c, const traits& t) {
  std::string text, operands;
  for (int k = 0; k < c.operand_count; ++k) {
    text += operand_type(k, c.operands[k], l.access[static_cast<std::size_t>(k)]);
    operands += fmt::format(", {}{{}}", name_of(c.operands[k].what));
  }
  text += fmt::format("using rows = {}<", driver_of(l.how));
  for (std::size_t i = 0; i < l.constants.size(); ++i) {
    text += fmt::format("{}/* {} */ {}", i == 0 ? "" : ", ", l.constants[i].name, l.constants[i].value);
  }
  text += ">;\n";
  const std::string args = fmt::format("const row_args<{}, {}>", l.arg_operands, l.arg_outer);
  if (t.vendor == device_kind::host) {
    return text +
           fmt::format("RS_KERNEL {}({}* args, i64 begin, i64 end) {{ rows::run(*args, begin, end, {}{{}}{}); }}\n",
                       l.entry, args, l.algorithm, operands);
  }
  if (l.dynamic_shared != 0) {
    text +=
        fmt::format("static_assert(rows::shared_bytes<x, y> == {}, \"planned shared memory\");\n", l.dynamic_shared);
  }
  text += fmt::format("static_assert(wave_size == {}, \"planned wave\");\n", t.wave);
  const std::string bounds =
      l.resident_blocks == 0 ? fmt::format("{}", l.threads) : fmt::format("{}, {}", l.threads, l.resident_blocks);
  return text + fmt::format("RS_KERNEL({}) {}({} args) {{ rows::run(args, {}{{}}{}); }}\n", bounds, l.entry, args,
                            l.algorithm, operands);
}

}  // namespace

result<source> render(const launch_plan& l, const shape_class& c, const traits& t) {
  std::vector<std::string> headers = {std::string(machine_of(t.vendor)), "row/arguments.h"};
  if (l.how != mechanism::scalar) {
    headers.push_back(fmt::format("row/{}.h", driver_of(l.how)));
  } else {
    headers.push_back(t.vendor == device_kind::host ? "scalar/alone.h" : "row/team.h");
  }
  headers.push_back(l.header);
  result<std::string> text = gather_headers(headers);
  if (!text) return text.status();

  source s;
  s.name = fmt::format("{}.{}", l.entry, extension_of(t.vendor));
  s.entry = l.entry;
  for (const std::string& h : headers) s.instantiation += fmt::format("// {}\n", h);
  s.instantiation += "using namespace rs;\n";
  s.instantiation += l.how == mechanism::scalar ? instantiate_scalar(l, t) : instantiate(l, c, t);
  s.text = std::move(*text) + fmt::format("#line 1 \"{}\"\n", s.name) + s.instantiation;
  return s;
}

std::string_view source_set_hash() noexcept { return embedded_hash(); }

}  // namespace rowsmith
