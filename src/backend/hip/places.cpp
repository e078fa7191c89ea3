#include "backend/hip/places.h"

#include "backend/library_search.h"
#include "base/environment.h"
#include "base/no_destructor.h"

namespace rowsmith::hip {

std::vector<std::string> library_candidates(std::span<const std::string> names, const std::string& neighbour) {
  const environment& env = the_environment();
  std::vector<std::string> list = candidates(env.hip_libs, names);
  std::vector<std::string> stems;
  for (const std::string& name : names) stems.push_back(name.substr(0, name.find(".so") + 3));
  append_new(list, mapped_libraries(stems));
  const std::string beside[] = {folder_of(neighbour)};
  append_new(list, candidates(beside, names));
  append_new(list, names);
  std::vector<std::string> places;
  for (const std::string& root : {env.rocm_path, env.hip_path, std::string("/opt/dtk")}) {
    if (!root.empty()) places.insert(places.end(), {root + "/lib", root + "/hip/lib", root + "/lib64"});
  }
  places.insert(places.end(), {"/opt/rocm/lib", "/opt/rocm-*/lib"});
  append_new(list, candidates(places, names));
  return list;
}

const std::vector<std::string>& runtime_names() {
  static no_destructor<std::vector<std::string>> names(std::vector<std::string>{"libamdhip64.so.7", "libamdhip64.so.6",
                                                                                "libamdhip64.so.5", "libgalaxyhip.so.5",
                                                                                "libgalaxyhip.so", "libamdhip64.so"});
  return *names;
}

}  // namespace rowsmith::hip
