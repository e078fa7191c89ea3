#include "render/render.h"

#include <fmt/format.h>

#include "model/op_table.h"
#include "render/elementwise_text.h"
#include "render/embedded.h"
#include "render/expression_text.h"
#include "render/fused.h"
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

// A copy that converts nothing looks into nothing.
std::string element_type(const shape_class& c, int k) {
  const dtype t = c.operands[k].dtype;
  if (c.op != op_id::copy || c.operands[0].dtype != c.operands[1].dtype) return std::string(name_of(t));
  return fmt::format("raw<{}>", size_of(t));
}

// Are the operand's lines read again? Where it does not move along every axis; and where a line has many rows'
// elements.
bool is_read_again(const operand_facts& o) { return !o.has(operand_full); }

// Where the reduced axes do not merge, an element's number is taken apart over them.
// Packs of batch-invariant rows may be longer than the runs.
std::string_view text_of(const shape_class& c, const operand_facts& o, int access) noexcept {
  if (c.inner_rank == 1 || o.inner == inner::broadcast) return text_of(o.inner);
  const bool element_by_element = c.asks_for(ask_batch_invariant) && access == static_cast<int>(size_of(o.dtype));
  return o.inner == inner::contiguous && !element_by_element ? "folded_contiguous" : "folded_strided";
}

// How the kernel sees an operand: a type that says where it is and what is known of it.
std::string operand_type(const shape_class& c, int k, const launch_plan& l) {
  const operand_facts& o = c.operands[k];
  const int access = l.access[static_cast<std::size_t>(k)];
  if (o.has(operand_virtual)) return fmt::format("virtual_input<{}>", k);
  if (l.how == mechanism::staged && o.has(operand_full)) {
    return fmt::format("tile_{}<{}, {}>", o.has(operand_output) ? "output" : "input", k, name_of(o.dtype));
  }
  const std::string type = element_type(c, k);
  if ((l.shifted >> k & 1) != 0) return fmt::format("shifted_input<{}, {}>", k, type);
  const std::string common = fmt::format("<{}, {}, {}, {}", k, type, text_of(c, o, access), access);
  if (o.has(operand_indexed)) {
    return fmt::format("picked_{}{}, {}, {}>", o.has(operand_output) ? "output" : "input", common, o.rows_from,
                       name_of(c.operands[o.rows_from].dtype));
  }
  if (l.how == mechanism::simd_columns && o.has(operand_full) && o.inner == inner::strided) {
    return o.has(operand_output) ? fmt::format("turned<output{}>, true>", common)
                                 : fmt::format("turned<input{}>, false>", common);
  }
  if (o.has(operand_output)) return fmt::format("output{}{}>", common, l.repeating != 0 ? ", reuse::last" : "");
  return fmt::format("input{}{}>", common, is_read_again(o) ? ", reuse::again" : "");
}

// The operands in the functor's order: what the call does not have is `none`. An index is not passed: it is seen
// through the operands whose rows it picks.
struct operand_texts {
  std::string types;                    // "using x = input<0, f16, contiguous, 16>;\n…"
  std::string list;                     // "x, none, y"
  std::string values;                   // ", x{}, none{}, y{}"
  std::vector<std::string_view> roles;  // of the values: "x", "mask", "y"
};

operand_texts texts_of(const shape_class& c, const launch_plan& l) {
  operand_texts t;
  int k = 0;
  for (const operand_spec& s : describe(c.op).operands) {
    const bool there = k < c.operand_count && c.operands[k].what == s.what;
    // What an expression brings along, the functor of a row op does not know of.
    const bool brought = is_argument(s.what) && describe(c.op).along != reduces::nothing;
    if (is_index(s.what) || (brought && !there)) {
      k += there;
      continue;
    }
    const std::string name = there ? std::string(name_of(s.what)) : "none";
    if (there) t.types += fmt::format("using {} = {};\n", name, operand_type(c, k, l));
    t.list += (t.list.empty() ? "" : ", ") + name;
    t.values += fmt::format(", {}{{}}", name);
    t.roles.push_back(name_of(s.what));
    k += there;
  }
  return t;
}

// The driver that a mechanism is built from: its header is row/<driver>.h, its template <driver> or another of that
// header.
std::string_view driver_of(mechanism how) noexcept { return how == mechanism::simd_replay ? "simd" : name_of(how); }
std::string_view driver_of(const launch_plan& l) noexcept { return l.driver.empty() ? driver_of(l.how) : l.driver; }

std::string args_of(const launch_plan& l) {
  return fmt::format("{}<{}, {}, {}>", l.layout.words != carried::none ? "word_args" : "row_args", l.layout.operands,
                     l.layout.outer, l.layout.inner);
}

// A kernel of single elements.
std::string instantiate_scalar_elements(const launch_plan& l, const traits& t) {
  if (t.vendor == device_kind::host) {
    return fmt::format(
        "RS_KERNEL {}(const {}* args, i64 begin, i64 end) {{\n"
        "  for (i64 at = begin; at < end; ++at) {}(*args, at);\n}}\n",
        l.entry, args_of(l), l.algorithm);
  }
  return fmt::format(
      "RS_KERNEL({0}) {1}(const RS_IN_PLACE {2} args) {{\n"
      "  for (i64 at = static_cast<i64>(block_index()) * {0} + thread_index(); at < args.items; at += args.blocks * "
      "{0}) "
      "{{\n    {3}(args, at);\n  }}\n}}\n",
      l.threads, l.entry, args_of(l), l.algorithm);
}

std::string instantiate_scalar(const launch_plan& l, const traits& t) {
  if (l.items == work::elements) return instantiate_scalar_elements(l, t);
  if (t.vendor == device_kind::host) {
    return fmt::format(
        "RS_KERNEL {}(const {}* args, i64 begin, i64 end) {{\n"
        "  alone team;\n"
        "  for (i64 row = begin; row < end; ++row) {}(*args, row, 0, 1, team);\n}}\n",
        l.entry, args_of(l), l.algorithm);
  }
  return fmt::format(
      "RS_KERNEL({0}) {1}(const RS_IN_PLACE {2} args) {{\n"
      "  RS_SHARED float slots[block_team<{0}>::shared_floats];\n"
      "  block_team<{0}> team{{slots}};\n"
      "  for (i64 row = block_index(); row < args.items; row += args.blocks) {3}(args, row, thread_index(), {0}, "
      "team);\n}}\n",
      l.threads, l.entry, args_of(l), l.algorithm);
}

std::string instantiate(const launch_plan& l, const shape_class& c, const traits& t) {
  const operand_texts operands = texts_of(c, l);
  const bool by_elements = describe(c.op).along == reduces::nothing;  // its scalars are an expression's
  std::string text = operands.types, rest = ")}";
  std::string functor = fmt::format("{}{{{}(", l.algorithm, by_elements ? "parameters_of" : "scalars_of");
  if (is_fused(c)) {
    const fused_functor f = fuse(c, l.algorithm, operands.roles);
    text += f.text;
    functor = f.begin, rest = f.end;
  }
  text += fmt::format("using rows = {}", driver_of(l));
  for (std::size_t i = 0; i < l.constants.size(); ++i) {
    text += fmt::format("{}/* {} */ {}", i == 0 ? "<" : ", ", l.constants[i].name, l.constants[i].value);
  }
  text += l.constants.empty() ? ";\n" : ">;\n";
  if (t.vendor == device_kind::host) {
    return text + fmt::format(
                      "RS_KERNEL {}(const {}* args, i64 begin, i64 end) {{\n"
                      "  rows::run(*args, begin, end, {}*args{}{});\n}}\n",
                      l.entry, args_of(l), functor, rest, operands.values);
  }
  if (l.dynamic_shared != 0) {
    text += fmt::format("static_assert(rows::shared_bytes<{}> == {}, \"planned shared memory\");\n", operands.list,
                        l.dynamic_shared);
  }
  text += fmt::format("static_assert(wave_size == {}, \"planned wave\");\n", t.wave);
  const std::string bounds =
      l.resident_blocks == 0 ? fmt::format("{}", l.threads) : fmt::format("{}, {}", l.threads, l.resident_blocks);
  return text + fmt::format("RS_KERNEL({}) {}(const RS_IN_PLACE {} args) {{\n  rows::run(args, {}args{}{});\n}}\n",
                            bounds, l.entry, args_of(l), functor, rest, operands.values);
}

}  // namespace

result<source> outline(const launch_plan& l, const shape_class& c, const traits& t) {
  std::vector<std::string> headers = {std::string(machine_of(t.vendor)), "row/arguments.h"};
  if (l.how != mechanism::scalar) {
    headers.push_back(fmt::format("row/{}.h", driver_of(l.how)));
  } else {
    headers.push_back(t.vendor == device_kind::host ? "scalar/alone.h" : "row/team.h");
  }
  headers.push_back(l.header);
  if (l.how != mechanism::scalar && is_fused(c)) headers.emplace_back(functor_header);
  result<std::string> functors = l.how == mechanism::scalar ? std::string() : elementwise_text(c);
  if (!functors) return functors.status();

  source s;
  s.name = fmt::format("{}.{}", l.entry, extension_of(t.vendor));
  s.entry = l.entry;
  for (const std::string& h : headers) s.instantiation += fmt::format("// {}\n", h);
  s.instantiation += "using namespace rs;\n" + *functors;
  s.instantiation += l.how == mechanism::scalar ? instantiate_scalar(l, t) : instantiate(l, c, t);
  s.headers = std::move(headers);
  return s;
}

status complete(source* s) {
  result<std::string> text = gather_headers(s->headers);
  if (!text) return text.status();
  s->text = std::move(*text) + fmt::format("#line 1 \"{}\"\n", s->name) + s->instantiation;
  return {};
}

result<source> render(const launch_plan& l, const shape_class& c, const traits& t) {
  result<source> s = outline(l, c, t);
  if (!s) return s;
  if (status gathered = complete(&*s); !gathered) return gathered;
  return s;
}

std::string_view source_set_hash() noexcept { return embedded_hash(); }

}  // namespace rowsmith
