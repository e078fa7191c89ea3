// A team of one: the host's thread that computes a row by itself.
#pragma once

namespace rs {

struct alone {
  template <class Op>
  RS_MEMBER float reduce(float v) const {
    return v;
  }
};

}  // namespace rs
