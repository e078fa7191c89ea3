#include "render/elementwise_text.h"

#include <fmt/format.h>

#include "model/expression/intern.h"
#include "model/op_table.h"
#include "render/expression_text.h"

namespace rowsmith {

namespace {

constexpr role k_outputs[] = {role::y, role::out1, role::out2, role::out3};

// "piece.store(out1, map(elementwise_1{…}, x, in2));"
std::string store_text(const expression& e, int n) {
  const std::string functor =
      fmt::format("elementwise_{}{{given.value[0], given.value[1], given.value[2], given.value[3]}}", n);
  const unsigned arguments = e.arguments_of(n);
  if (arguments == 0) {
    return fmt::format("    piece.store({}, map(always<elementwise_{}>{{{}}}, x));\n", name_of(k_outputs[n]), n,
                       functor);
  }
  std::string list;
  for (int k = 0; k < max_expression_arguments; ++k) {
    if ((arguments >> k & 1) != 0) list += fmt::format(", {}", name_of(argument_role(k)));
  }
  return fmt::format("    piece.store({}, map({}{}));\n", name_of(k_outputs[n]), functor, list);
}

}  // namespace

result<std::string> elementwise_text(const shape_class& c) {
  if (c.op != op_id::elementwise) return std::string();
  const expression* e = find(c.pre);
  if (e == nullptr) return status(code::not_found, "elementwise: an expression that this process has not seen");
  std::string types, parameters, body;
  for (const operand_spec& s : describe(c.op).operands) {
    const std::string_view name = name_of(s.what);
    types += fmt::format("{}class T_{}", types.empty() ? "" : ", ", name);
    parameters += fmt::format(", T_{0} {0}", name);
  }
  for (int n = 0; n < e->output_count(); ++n) body += store_text(*e, n);
  return functor_text(*e, "elementwise") +
         fmt::format(
             "struct elementwise {{\n  scalars given;\n  template <class Piece, {}>\n"
             "  RS_MEMBER void operator()(const Piece& piece{}) const {{\n{}  }}\n}};\n",
             types, parameters, body);
}

}  // namespace rowsmith
