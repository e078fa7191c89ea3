// target: what a target's name stands for.
#pragma once

#include <string>

#include "backend/backend.h"

namespace rowsmith {

struct target {
  backend* vendor = nullptr;
  rowsmith::traits traits;
};

// Asks every backend. unsupported, with each one's answer in detail(), when none knows the name.
result<target> find_target(const std::string& name);

}  // namespace rowsmith
