// The fallback of the host as a library of its own, compiled from a folder with a mutant of kernel_src.
#include "backend/host/scalar.cpp"

extern "C" rowsmith::host::row_function mutant_fallback(std::string_view entry) {
  return rowsmith::host::compiled_in(entry);
}
