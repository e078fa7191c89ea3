// For the program that makes the embedded fallbacks: it has none yet.
#include "build/fallback.h"

namespace rowsmith {

std::span<const embedded_binary> embedded_fallbacks() noexcept { return {}; }

}  // namespace rowsmith
