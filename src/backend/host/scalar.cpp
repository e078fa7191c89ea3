#include "backend/host/scalar.h"

// The kernels' own text, for the CPU that the library itself is built for. This is the only file of the library that
// includes it: namespace rs means something else on every machine.
#include "machine/host.h"
#include "row/arguments.h"
#if __has_include("scalar/softmax.h")
#include "scalar/softmax.h"
#endif

namespace rowsmith::host {
namespace {

#if __has_include("scalar/softmax.h")
void softmax(const void* arguments, std::int64_t begin, std::int64_t end) {
  const auto& args = *static_cast<const rs::row_args<8, 7>*>(arguments);
  for (rs::i64 row = begin; row < end; ++row) rs::scalar_softmax(args, row);
}
#endif

}  // namespace

row_function compiled_in(std::string_view entry) noexcept {
#if __has_include("scalar/softmax.h")
  if (entry == "rs_softmax_scalar") return softmax;
#endif
  (void)entry;
  return nullptr;
}

}  // namespace rowsmith::host
