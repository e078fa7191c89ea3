// child: runs softmax_child with a private cache directory and reads its answer.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/subprocess.h"
#include "support/private_folder.h"

namespace rowsmith::test {

struct child_answer {
  int exit_status = -1;
  std::string output;
  std::map<std::string, std::string> values;  // the last of each name

  std::string operator[](const std::string& name) const {
    const auto found = values.find(name);
    return found == values.end() ? "" : found->second;
  }
};

inline child_answer run_child(std::vector<std::string> arguments, const std::vector<std::string>& environment) {
  arguments.insert(arguments.begin(), ROWSMITH_FLOW_CHILD);
  const auto ran = rowsmith::run(arguments, {}, environment);
  if (!ran) return {-1, ran.status().to_string(), {}};
  child_answer a{ran->exit_status, ran->output, {}};
  for (std::size_t at = 0; at < a.output.size();) {
    const auto end = std::min(a.output.find('\n', at), a.output.size());
    const std::string line = a.output.substr(at, end - at);
    if (const auto equals = line.find('='); equals != std::string::npos)
      a.values[line.substr(0, equals)] = line.substr(equals + 1);
    at = end + 1;
  }
  return a;
}

}  // namespace rowsmith::test
