// named_request: a call on pretended memory, and what a test calls it.
#pragma once

#include <string>

#include "model/request.h"

namespace rowsmith::test {

struct named_request {
  std::string name;  // fit for a file name
  request call;
};

}  // namespace rowsmith::test
