#include "render/fused.h"

#include <fmt/format.h>

#include "model/expression/intern.h"
#include "model/op_table.h"
#include "render/expression_text.h"

namespace rowsmith {

namespace {

// What the expression's functor is given: arg(0) by the name of `first`, arg(k) by that of its operand.
std::string arguments_of(const expression& e, std::string_view first) {
  std::string text;
  for (int k = 0; k < 8; ++k) {
    if ((e.arguments_of(0) >> k & 1) != 0) text += fmt::format(", {}", k == 0 ? first : name_of(argument_role(k)));
  }
  return text;
}

}  // namespace

fused_functor fuse(const shape_class& c, std::string_view algorithm, std::span<const std::string_view> roles) {
  const expression* pre = c.pre ? find(c.pre) : nullptr;
  const expression* post = c.post ? find(c.post) : nullptr;
  const std::string_view input = name_of(describe(c.op).operands.front().what),
                         output = name_of(main_output(describe(c.op)));
  std::string types, parameters, values;
  for (const std::string_view role : roles) {
    types += fmt::format(", class {}_t", role);
    parameters += fmt::format(", {0}_t {0}", role);
    const bool brought = role.starts_with("in") && role != "index";
    if (brought) continue;
    if (pre != nullptr && role == input) {
      values += fmt::format(", map(before{})", arguments_of(*pre, role));
    } else if (post != nullptr && role == output) {
      const std::string more = arguments_of(*post, "");
      values += fmt::format(", finish({}, after{})", role, more.substr(std::min<std::size_t>(more.size(), 2)));
    } else {
      values += fmt::format(", {}", role);
    }
  }
  fused_functor f;
  if (pre != nullptr) f.text += functor_text(*pre, "pre");
  if (post != nullptr) f.text += functor_text(*post, "post");
  f.text += fmt::format("struct fused {{\n  {} op;\n", algorithm);
  if (pre != nullptr) f.text += "  pre_0 before;\n";
  if (post != nullptr) f.text += "  post_0 after;\n";
  f.text += fmt::format(
      "  template <class Row{}>\n  RS_MEMBER void operator()(const Row& row{}) const {{\n    op(row{});\n  }}\n}};\n"
      "template <class Args>\nRS_DEVICE fused fused_of(const Args& args) {{\n  return {{{{scalars_of(args)}}",
      types, parameters, values);
  constexpr std::string_view params = ", {args.param[0], args.param[1], args.param[2], args.param[3]}";
  if (pre != nullptr) f.text += params;
  if (post != nullptr) f.text += params;
  f.text += "};\n}\n";
  f.begin = "fused_of(";
  f.end = ")";
  return f;
}

}  // namespace rowsmith
