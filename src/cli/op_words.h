// op_words: how the command line names a call: what `run` and `explain` share.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace rowsmith::cli {

struct op_words {
  std::string op, shape, type, out_type, exp = "by_output", axis, causal, expr, pre, post, permute;
  std::vector<std::string> with;                                      // roles; empty: the usual ones; "none": none
  std::vector<std::string> dtype_of, shape_of, set, scalars, params;  // name=value
  std::string table_rows;
  std::string width = "auto";
  bool batch_invariant = false;
};

// REQUIRES: `w` outlives the parse.
void add_op_words(CLI::App* verb, op_words* w);

// The words again as a command line has them.
std::vector<std::string> arguments_of(const op_words& w);

}  // namespace rowsmith::cli
