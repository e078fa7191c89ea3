#include "backend/library_search.h"

#include <glob.h>
#include <link.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>

namespace rowsmith {
namespace {

std::string_view name_in(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

// "libnvrtc.so" of "libnvrtc.so.13"
std::string_view stem_of(std::string_view name) {
  const std::size_t so = name.find(".so");
  return so == std::string_view::npos ? name : name.substr(0, so + 3);
}

bool is_folder(const std::string& path) {
  struct stat s {};
  return stat(path.c_str(), &s) == 0 && S_ISDIR(s.st_mode);
}

void add_once(std::vector<std::string>& list, std::string entry) {
  if (std::find(list.begin(), list.end(), entry) == list.end()) list.push_back(std::move(entry));
}

}  // namespace

std::vector<std::string> matching(const std::string& pattern) {
  std::vector<std::string> paths;
  glob_t found{};
  if (glob(pattern.c_str(), GLOB_NOSORT, nullptr, &found) == 0) {
    paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  }
  globfree(&found);
  std::sort(paths.begin(), paths.end(),
            [](const std::string& a, const std::string& b) { return strverscmp(a.c_str(), b.c_str()) > 0; });
  return paths;
}

std::vector<std::string> candidates(std::span<const std::string> places, std::span<const std::string> names) {
  std::vector<std::string> list;
  for (const std::string& place : places) {
    if (place.empty()) continue;
    const std::string_view file = name_in(place);
    const auto begins_alike = [&](const std::string& name) {
      const std::string_view stem = stem_of(name);
      return file.substr(0, stem.size()) == stem;
    };
    if (file.find(".so") != std::string_view::npos && !is_folder(place)) {
      if (std::any_of(names.begin(), names.end(), begins_alike)) add_once(list, place);
      continue;
    }
    const bool pattern = place.find_first_of("*?[") != std::string::npos;
    for (const std::string& folder : pattern ? matching(place) : std::vector<std::string>{place}) {
      for (const std::string& name : names) add_once(list, folder + (folder.back() == '/' ? "" : "/") + name);
    }
  }
  return list;
}

std::vector<std::string> mapped_libraries(std::span<const std::string> stems) {
  struct search {
    std::span<const std::string> stems;
    std::vector<std::string> found;
  } state{stems, {}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* user) {
        auto& s = *static_cast<search*>(user);
        const std::string_view path = info->dlpi_name != nullptr ? info->dlpi_name : "";
        for (const std::string& stem : s.stems) {
          if (path.find('/') != std::string_view::npos && name_in(path).substr(0, stem.size()) == stem) {
            s.found.emplace_back(path);
          }
        }
        return 0;
      },
      &state);
  return state.found;
}

void append_new(std::vector<std::string>& list, std::span<const std::string> more) {
  for (const std::string& entry : more) add_once(list, entry);
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash);
}

std::string lines(std::span<const std::string> tried) {
  std::string text;
  for (const std::string& line : tried) text += (text.empty() ? "" : "\n") + line;
  return text;
}

}  // namespace rowsmith
