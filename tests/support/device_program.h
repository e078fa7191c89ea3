// device_program: on what one of the programs of a suite runs it.
#pragma once

#include <string>

#include "rowsmith/tensor_view.h"

namespace rowsmith::test {

struct device_program {
  const char* device;  // "host", "cuda:0"
  bool scalar;         // with the scalar fallback alone
  const char* width;   // what calls mean that leave their width open: "exact", "any", "auto"
};

extern const device_program this_program;

// Why no memory can be had from the device; empty when it can.
std::string probe(device where);

}  // namespace rowsmith::test
