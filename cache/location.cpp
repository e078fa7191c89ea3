#include "cache/location.h"

#include <fmt/format.h>

namespace rowsmith::cache {
namespace {

bool given(const std::optional<std::string>& value) { return value && !value->empty(); }
bool absolute(const std::string& path) { return path.front() == '/'; }

location at(std::string path, location_origin origin, std::string reason) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return {std::move(path), origin, std::move(reason)};
}

location none(std::string reason) { return {{}, location_origin::memory_only, std::move(reason)}; }

}  // namespace

location resolve_location(const location_inputs& in) {
  const auto asked_for = [](const std::string& path, const char* by, location_origin origin) {
    if (absolute(path)) return at(path, origin, fmt::format("set by {}", by));
    return none(fmt::format("{}: '{}' is a relative path, an absolute one is needed; kernels are kept in memory only",
                            by, path));
  };
  if (given(in.option)) return asked_for(*in.option, "the cache_dir option", location_origin::option);
  if (given(in.rowsmith_cache_dir)) {
    return asked_for(*in.rowsmith_cache_dir, "ROWSMITH_CACHE_DIR", location_origin::rowsmith_cache_dir);
  }
  if (given(in.xdg_cache_home) && absolute(*in.xdg_cache_home)) {
    return at(*in.xdg_cache_home + "/rowsmith", location_origin::xdg_cache_home, "XDG_CACHE_HOME is set");
  }
  if (given(in.home) && absolute(*in.home)) {
    return at(*in.home + "/.cache/rowsmith", location_origin::home, "below HOME, nothing else being set");
  }
  return none(
      "neither ROWSMITH_CACHE_DIR nor XDG_CACHE_HOME nor HOME names an absolute path; kernels are kept in memory only");
}

}  // namespace rowsmith::cache
