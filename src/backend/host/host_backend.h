// host_backend: the CPU as a device. Kernels are shared objects made by the system's C++ compiler.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backend/backend.h"

namespace rowsmith::host {

struct settings {
  // Compilers in the order in which they are tried; each a program name, a path, or words as in $CXX.
  std::vector<std::string> compilers;
};

// make_host_backend() uses host::default_candidates(). REQUIRES nothing: without a compiler only compile() fails.
std::unique_ptr<backend> make_backend(settings s);

}  // namespace rowsmith::host
