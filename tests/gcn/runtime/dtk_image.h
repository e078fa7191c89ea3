// dtk_image: a code object that names another architecture. No tool here knows Hygon's cards, so the DTK face compiles
// and runs gfx906 and calls it what its device is called.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace hipsim {

// Exchanges the target's name in the notes and the flags of a code object of `from`; false where it is of another one.
bool rename_target(std::vector<std::byte>& image, const std::string& from, const std::string& to);

}  // namespace hipsim
