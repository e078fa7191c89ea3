// call_tensors: the operands of one call in host memory, row by row, as float64.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "cli/op_setup.h"
#include "cli/tensor_maker.h"
#include "reference/expected.h"

namespace rowsmith::cli {

class call_tensors {
 public:
  // `memory`: of every tensor of the setup: inputs as they were drawn, outputs as they were found. Both outlive this.
  call_tensors(const op_setup& s, const std::vector<host_memory>& memory);

  const op_setup& setup() const noexcept { return setup_; }
  bool has(std::string_view role) const { return setup_.find(role) != nullptr; }
  dtype type(std::string_view role) const { return setup_.find(role)->type; }

  std::int64_t rows() const noexcept { return rows_; }
  std::int64_t width() const noexcept { return width_; }

  // Row `row` of the operand, however it broadcasts; of a table, the row that the index picks, or zeros. Empty where
  // the operand is not there.
  reference::reals row(std::string_view role, std::int64_t row) const;

  // An element of an operand that has one a row.
  double one(std::string_view role, std::int64_t row) const;

  // The whole operand, in its own row-major order.
  reference::reals all(std::string_view role) const;

  // Does the operand have this row? Only a table may lack it.
  bool is_there(std::string_view role, std::int64_t row) const;

  // The index along one of the axes beside the row's.
  std::int64_t coordinate(int axis, std::int64_t row) const;

 private:
  struct placed {
    const tensor_setup* what;
    const void* data;
    std::vector<std::int64_t> outer;   // strides, one an axis of the shape; 0 along the row's own
    std::vector<std::int64_t> inside;  // offset of every element of a row
    int index = -1;                    // of the operand that picks its rows
  };

  placed place(std::size_t k, const void* data) const;
  const placed* find(std::string_view role) const;
  std::int64_t begin(const placed& p, std::int64_t row) const;  // -1: the row is not there
  std::int64_t offset(const placed& p, std::int64_t row) const;

  const op_setup& setup_;
  std::int64_t rows_ = 1, width_ = 1;
  std::vector<placed> placed_;
};

}  // namespace rowsmith::cli
