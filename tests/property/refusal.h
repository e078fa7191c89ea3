// refusal: requests that an op must not take, made of one that it takes.
#pragma once

#include <optional>
#include <string>

#include "property/trial.h"

namespace rowsmith::test {

struct bad_request {
  std::string what;  // is wrong with it
  alteration change;
};

// Nothing where this draw is of no use for it: a kind of fault that the trial has no place for, or a trial without
// elements.
std::optional<bad_request> spoil(const trial& t, dice& d);

}  // namespace rowsmith::test
