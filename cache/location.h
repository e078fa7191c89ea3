// location: where the user's cache directory is, and why there. Pure: the owner has read the options and the
// environment.
#pragma once

#include <optional>
#include <string>

namespace rowsmith::cache {

struct location_inputs {
  std::optional<std::string> option;              // runtime options
  std::optional<std::string> rowsmith_cache_dir;  // the environment; an empty value counts as unset
  std::optional<std::string> xdg_cache_home;
  std::optional<std::string> home;
};

enum class location_origin { option, rowsmith_cache_dir, xdg_cache_home, home, memory_only };

struct location {
  std::string path;  // absolute; empty: memory only
  location_origin origin = location_origin::memory_only;
  std::string reason;  // one sentence: which value decided, or why there is no directory

  bool memory_only() const noexcept { return path.empty(); }
};

// The first of the four that is set. A relative path among the first two is refused, not skipped: the user asked for
// something that would depend on the working directory. XDG asks that a relative XDG_CACHE_HOME be ignored.
location resolve_location(const location_inputs& in);

}  // namespace rowsmith::cache
