// command: runs the real `rowsmith` and gathers what it says and how it ends.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace rowsmith::cli_test {

struct outcome {
  int exit = -1;
  std::string out, err;

  // stdout as one JSON object; discarded() when it is not.
  nlohmann::json object() const { return nlohmann::json::parse(out, nullptr, false); }
};

// `arguments`: words as the shell takes them. `environment`: assignments before the command ("A=b C=d").
outcome rowsmith(const std::string& arguments, const std::string& environment = {});

}  // namespace rowsmith::cli_test
