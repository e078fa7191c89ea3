// element: storage types on the CPU, under the tests' own name.
#pragma once

#include "reference/element.h"

namespace rowsmith::test {

using namespace rowsmith::reference::storage;

}  // namespace rowsmith::test
