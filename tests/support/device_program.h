// device_program: on what one of the programs of a suite runs it.
#pragma once

namespace rowsmith::test {

struct device_program {
  const char* device;  // "host", "cuda:0"
  bool scalar;         // with the scalar fallback alone
  const char* width;   // what calls mean that leave their width open: "exact", "any", "auto"
};

extern const device_program this_program;

}  // namespace rowsmith::test
