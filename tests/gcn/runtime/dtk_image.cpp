#include "gcn/runtime/dtk_image.h"

#include <algorithm>
#include <string_view>

namespace hipsim {
namespace {

constexpr std::size_t flags_offset = 48;  // e_flags of a 64-bit ELF header; its low byte is the architecture
constexpr std::byte gfx906_flag{0x2f}, hygons_flag{0x81};  // gfx926 was seen with 0x81

std::byte flag_of(const std::string& arch) { return arch == "gfx906" ? gfx906_flag : hygons_flag; }

}  // namespace

bool rename_target(std::vector<std::byte>& image, const std::string& from, const std::string& to) {
  const std::string old_name = "amdgcn-amd-amdhsa--" + from, new_name = "amdgcn-amd-amdhsa--" + to;
  if (image.size() <= flags_offset || image[flags_offset] != flag_of(from) || old_name.size() != new_name.size()) {
    return false;
  }
  char* text = reinterpret_cast<char*>(image.data());
  const std::size_t at = std::string_view(text, image.size()).find(old_name);
  if (at == std::string_view::npos) return false;
  std::copy(new_name.begin(), new_name.end(), text + at);
  image[flags_offset] = flag_of(to);
  return true;
}

}  // namespace hipsim
