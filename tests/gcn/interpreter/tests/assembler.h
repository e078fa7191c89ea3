// assembler: LLVM assembler text to a code object, by comgr; and small kernels around a few instructions under test.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "machine.h"

namespace rowsmith::gcn::test {

// A whole file of assembler. A failure carries the assembler's log.
result<std::vector<std::byte>> assemble(const std::string& source, const std::string& arch);

// A kernel "k" of the instructions given. s[0:1]: the argument block; s2: the block's number; v0: the thread's.
struct kernel_text {
  std::string body;
  std::string arch = "gfx906";
  unsigned lds_bytes = 0;
  unsigned kernarg_bytes = 64;
  bool flush_f32 = false;  // denormals of 32 bits count as zero
  bool flush_f16 = false;
  bool ieee = true;
  unsigned scratch_bytes = 0;  // then s[0:3] is the buffer, and the numbers above move up by 4
};
std::string source_of(const kernel_text& k);

using lanes = std::array<std::uint32_t, 64>;

// The same in all lanes, and f(lane).
lanes same(std::uint32_t value);
template <class F>
lanes each(F&& f) {
  lanes made;
  for (int l = 0; l < 64; ++l) made[l] = static_cast<std::uint32_t>(f(l));
  return made;
}
std::uint32_t bits(float value);
lanes floats(float value);

// Runs one wave. Before `body`, v0 is the lane's number and v1, v2, … hold the inputs; after it v10, v11, … are the
// outputs, as many as asked for. s4 and above, v20 and above are free. EXEC is all lanes before and after.
struct lane_test {
  std::string body;
  std::vector<lanes> inputs;
  int outputs = 1;
  std::string arch = "gfx906";
  bool flush_f32 = false;
  bool flush_f16 = false;
  unsigned scratch_bytes = 0;  // s[64:67] is the buffer
  bool perturb = false;
  std::uint64_t seed = 0;
};
result<std::vector<lanes>> run(const lane_test& t);

// The first output, or a failed expectation.
lanes output_of(const lane_test& t);
lanes output_of(const std::string& body, std::vector<lanes> inputs);

// The message of a kernel that must fail; empty, and a failed expectation, where it ran.
std::string fault_of(const lane_test& t);

}  // namespace rowsmith::gcn::test
