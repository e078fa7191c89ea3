// source: a whole translation unit, ready for a compiler, and what to look for in its binary.
#pragma once

#include <string>
#include <vector>

namespace rowsmith {

struct source {
  std::string name;                  // "rs_softmax_lanes.cu": appears in compilers' messages
  std::string entry;                 // the symbol that the binary must hold
  std::string instantiation;         // the ~10 lines that differ from kernel to kernel: what the cache key hashes
  std::vector<std::string> headers;  // of kernel_src that it needs, in order
  std::string text;                  // the headers' text, then the instantiation; empty in an outline
  std::vector<std::string> options;  // compiler options the source depends on, ordered; a part of the key
};

}  // namespace rowsmith
