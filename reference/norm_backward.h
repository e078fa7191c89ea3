// norm_backward: gradients of layer_norm and rms_norm over a dense matrix of rows. Mean and rstd come from x.
#pragma once

#include <cstddef>
#include <span>

#include "reference/expected.h"

namespace rowsmith::reference {

struct norm_gradients {
  expected dx;              // rows x width
  expected dweight, dbias;  // width; exactly 0 for no rows
};

struct norm_backward_terms {
  double epsilon = 1e-5;
  reals weight;  // empty: none
  bool one_plus_weight = false;
  reals extra;  // empty, or rows x width: what else flows into x, as through the stored sum of norm(x + r)
};

// A row whose variance overflows has rstd 0: it adds nothing to dweight, and its dx is `extra`. A rounding before the
// weight (affine::cast) has gradient 1.
norm_gradients layer_norm_backward(std::span<const double> x, std::span<const double> dy, std::size_t width,
                                   const norm_backward_terms& t = {});
norm_gradients rms_norm_backward(std::span<const double> x, std::span<const double> dy, std::size_t width,
                                 const norm_backward_terms& t = {});

}  // namespace rowsmith::reference
