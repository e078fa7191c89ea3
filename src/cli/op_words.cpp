#include "cli/op_words.h"

#include <CLI/CLI.hpp>
#include <utility>

#include "cli/expression_parser.h"
#include "rowsmith/call.h"

namespace rowsmith::cli {

namespace {

std::string names_of_ops() {
  std::string names;
  for (const op_info& op : known_ops()) names += (names.empty() ? "" : ", ") + std::string(op.name);
  return names;
}

}  // namespace

void add_op_words(CLI::App* verb, op_words* w) {
  verb->add_option("OP", w->op, names_of_ops())->required();
  verb->add_option("--shape", w->shape, "4x32x512x512: of what the op runs over")->required();
  verb->add_option("--dtype", w->type, "f32, f16 or bf16")->required();
  verb->add_option("--out-dtype", w->out_type, "The outputs', where it differs");
  verb->add_option(
      "--axis", w->axis,
      "The axis, negative from the last (softmax); how many trailing axes (norms, gathers); axes joined by "
      "commas (moments)");
  verb->add_option("--exp", w->exp, "by_output, fast or accurate")->capture_default_str();
  verb->add_option("--with", w->with, "Optional operands: weight,bias,mask,lse,index; none")->delimiter(',');
  verb->add_option("--dtype-of", w->dtype_of, "ROLE=DTYPE, as weight=f32")->delimiter(',');
  verb->add_option("--shape-of", w->shape_of, "ROLE=SHAPE of an operand that broadcasts, as bias=1x512")
      ->delimiter(',');
  verb->add_option("--set", w->set, "SETTING=CHOICE, as mask=keep")->delimiter(',');
  verb->add_option("--scalar", w->scalars, "NAME=NUMBER, as eps=1e-6")->delimiter(',');
  verb->add_option("--causal", w->causal, "OFFSET: key j takes part for query i where j <= i + OFFSET");
  verb->add_option("--table-rows", w->table_rows, "Rows of the tables that an index picks from; as many as are picked");
  verb->add_option("--expr", w->expr, "elementwise: \"silu(x) * in1\", or one of " + ready_made());
  verb->add_option("--pre", w->pre, "An expression of what a row op sees: \"x * p0 + in1\"");
  verb->add_option("--post", w->post, "An expression of what a row op stores: \"silu(x)\"");
  verb->add_option("--param", w->params, "p0=NUMBER, of the expressions")->delimiter(',');
  verb->add_option("--width", w->width,
                   "auto, exact (a kernel of this width) or any (one that learns the width at run time)")
      ->capture_default_str();
  verb->add_flag("--batch-invariant", w->batch_invariant,
                 "A row's bits depend on its contents, the op, the width, the dtypes and the target alone");
  verb->add_option("--permute", w->permute, "1,0: x lies in memory with its axes in this order");
}

std::vector<std::string> arguments_of(const op_words& w) {
  std::vector<std::string> all = {w.op};
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) all.push_back(std::string(option) + "=" + value);
  };
  const std::pair<const char*, const std::string*> single[] = {
      {"--shape", &w.shape}, {"--dtype", &w.type},    {"--out-dtype", &w.out_type}, {"--axis", &w.axis},
      {"--exp", &w.exp},     {"--causal", &w.causal}, {"--expr", &w.expr},          {"--pre", &w.pre},
      {"--post", &w.post},   {"--width", &w.width},   {"--permute", &w.permute},    {"--table-rows", &w.table_rows}};
  for (const auto& [option, value] : single) add(option, *value);
  const std::pair<const char*, const std::vector<std::string>*> several[] = {
      {"--with", &w.with}, {"--dtype-of", &w.dtype_of}, {"--shape-of", &w.shape_of},
      {"--set", &w.set},   {"--scalar", &w.scalars},    {"--param", &w.params}};
  for (const auto& [option, values] : several) {
    for (const std::string& value : *values) add(option, value);
  }
  if (w.batch_invariant) all.emplace_back("--batch-invariant");
  return all;
}

}  // namespace rowsmith::cli
