// trial: one draw: a kernel, tensors with values, and the call that is made of them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "property/kernel.h"
#include "property/layout.h"
#include "property/space.h"
#include "rowsmith/call.h"
#include "support/tensor.h"

namespace rowsmith::test {

// What is wrong with a request, on purpose.
struct alteration {
  int left_out = -1;  // an operand
  int changed = -1;   // an operand whose view becomes `view`
  tensor_view view;
  std::optional<int> axis;
  std::optional<float> epsilon;
  std::optional<expression> before;
};

class trial {
 public:
  // Draws extents and values, and writes the tensors.
  trial(const kernel& k, const layout& l, device where, dice& d);

  const kernel& of() const { return kernel_; }
  const space& over() const { return over_; }
  std::string to_string() const;

  op_call call(const alteration& wrong = {}) const;
  tensor_view view(std::size_t operand) const;
  int axis() const { return axis_; }

  // Takes what the device holds. Says what was written that may not be, or "".
  std::string fetch();
  std::string nothing_written();  // the same where a call must not have written at all

  // ---- what was given, and what came out; each row-major in its own shape ----

  bool has(std::string_view role) const { return kernel_.has(role); }
  dtype type_of(std::string_view role) const { return kernel_.find(role)->type; }
  std::vector<float> given(std::string_view role) const;
  std::vector<std::int64_t> numbers(std::string_view role) const;  // of an index
  std::vector<float> result(std::string_view role) const;
  std::vector<unsigned char> result_bits(std::string_view role) const;
  std::vector<unsigned char> given_bits(std::string_view role) const;
  walk where(std::string_view role) const;

  std::int64_t table_rows = 0;
  std::int64_t causal_offset = 0;
  float scale = 1, epsilon = 1e-5f;
  float params[4] = {};

 private:
  struct held {
    dims shape;
    std::shared_ptr<tensor> memory;  // an output's may be an input's
    bool is_input = false, overwritten = false;
    std::vector<unsigned char> bits;  // of an input, before the call
  };

  std::size_t place(std::string_view role) const;
  void draw_scalars(dice& d);
  void make(std::size_t operand, const layout& l, device where, dice& d);
  void fill(std::size_t operand, const operand_layout& lies, dice& d);

  const kernel& kernel_;
  space over_;
  int axis_ = -1;
  std::vector<operand_layout> layouts_;
  std::vector<held> held_;
};

// Elements as their type stores them.
std::vector<float> decoded(const std::vector<unsigned char>& bits, dtype t);

}  // namespace rowsmith::test
