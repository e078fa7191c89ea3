#include "base/shared_object.h"

#include <dlfcn.h>
#include <link.h>

#include <string_view>

namespace rowsmith {
namespace {

// The loader's reason without the candidate's own name, which it usually repeats in front.
std::string reason(const std::string& candidate) {
  const char* text = dlerror();
  std::string_view why = text != nullptr ? text : "the loader gave no reason";
  if (why.size() > candidate.size() + 2 && why.substr(0, candidate.size()) == candidate) {
    why.remove_prefix(candidate.size());
    if (why.substr(0, 2) == ": ") why.remove_prefix(2);
  }
  return std::string(why);
}

std::string resolved_path(void* handle, const std::string& candidate) {
  link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map != nullptr && map->l_name != nullptr && *map->l_name != 0) {
    return map->l_name;
  }
  return candidate;
}

}  // namespace

shared_object shared_object::open_first(std::span<const std::string> candidates, std::vector<std::string>* tried) {
  shared_object found;
  for (const std::string& candidate : candidates) {
    if (candidate.empty()) continue;  // dlopen takes "" for the program itself
    if (void* handle = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL)) {
      found.handle_ = handle;
      found.path_ = resolved_path(handle, candidate);
      return found;
    }
    std::string why = reason(candidate);
    if (tried != nullptr) tried->push_back(candidate + ": " + why);
  }
  return found;
}

void* shared_object::symbol(const char* name) const noexcept {
  return handle_ != nullptr ? dlsym(handle_, name) : nullptr;
}

}  // namespace rowsmith
