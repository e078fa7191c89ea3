// call: any op by its name. This is what the C ABI, the command and other languages are made of; a program in C++ has
// the ops' own functions, which are shorter and check more while it is compiled.
//
//   op_call c("layer_norm");
//   c.operand("x", x).operand("weight", w).operand("y", y).axis(1).scalar("eps", 1e-6f);
//   status s = c.run(on);
//
// Nothing is checked before run, prepare, explain or workspace_bytes; those name the first thing that is wrong.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rowsmith/explain.h"
#include "rowsmith/export.h"
#include "rowsmith/expr.h"
#include "rowsmith/fusion.h"
#include "rowsmith/row_options.h"
#include "rowsmith/status.h"
#include "rowsmith/tensor_view.h"

namespace rowsmith {

// What an op takes.
struct op_info {
  struct operand {
    std::string_view role;      // "x", "weight"
    std::vector<dtype> dtypes;  // allowed
    std::string_view extent;    // "full", "broadcast", "per_row", "per_column", "number"
    bool output = false;
    bool optional = false;
  };
  struct setting {
    std::string_view name;                  // "mask"
    std::vector<std::string_view> choices;  // "keep_mask", …; the first is what a call gets that says nothing
  };
  struct scalar {
    std::string_view name;  // "eps"
    float otherwise = 0;
  };
  std::string_view name;
  std::string_view along;  // what `axis` means: "axis", "trailing", "set", "nothing"
  std::vector<operand> operands;
  std::vector<setting> settings;
  std::vector<scalar> scalars;
};

// All ops of this version, in the order of their numbers; then second names of ops: norm_gather, a layer_norm, and
// rms_norm_gather, an rms_norm, of the rows of x that an index picks: y[r] = norm(x[index[r]]), and +0 where the index
// names no row.
ROWSMITH_EXPORT std::vector<op_info> known_ops();

class ROWSMITH_EXPORT op_call {
 public:
  explicit op_call(std::string_view op);
  ~op_call();
  op_call(op_call&&) noexcept;
  op_call& operator=(op_call&&) noexcept;

  op_call& operand(std::string_view role, const tensor_view& view);
  op_call& operand(std::string_view role, const const_tensor_view& view);

  // The rows of `role`, a table, are picked by the operand `index_role`. In norm_gather x's are without being told, and
  // in gather_rows and its backward, whose index has to be there, x's and dx's.
  op_call& rows(std::string_view role, std::string_view index_role);

  // softmax: key j of a query takes part when j <= query + offset; queries lie along the axis before the keys'.
  op_call& causal(std::int64_t offset);

  op_call& axis(int value);                                         // see op_info::along
  op_call& set(std::string_view setting, std::string_view choice);  // "mask", "keep" (or "keep_mask")
  op_call& scalar(std::string_view name, float value);              // "eps", 1e-6f
  op_call& fuse(const fusion& f);                                   // before and behind a row op
  op_call& compute(const expression& e);                            // elementwise: what is computed
  op_call& param(int k, float value);                               // of an expression
  op_call& deterministic(bool on = true);
  op_call& capture_fallback(bool on = true);
  op_call& width(width_mode m);              // see row_options.h
  op_call& batch_invariant(bool on = true);  // see row_options.h
  op_call& checked(bool on = true);          // row indices are looked at before the launch; waits for the stream
  // Memory of the device at a multiple of 16 bytes that no operand shares.
  op_call& workspace(void* memory, std::size_t bytes);

  // As the op's own function.
  status run(stream on = {}) const;

  // Builds and loads the kernel and launches nothing.
  status prepare() const;

  result<explanation> explain(const explain_options& how = {}) const;

  // Bytes of workspace that this call needs on its device; the kernel is built for it. 0: none.
  result<std::size_t> workspace_bytes() const;

 private:
  struct parts;
  std::unique_ptr<parts> parts_;
};

}  // namespace rowsmith
