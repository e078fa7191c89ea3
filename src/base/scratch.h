// scratch: where a compiler may put the files that it must have.
#pragma once

#include <string>
#include <vector>

namespace rowsmith {

// A private folder of ours, first in line from now on; empty: there is none. Thread-safe.
void set_scratch_folder(std::string folder);

// Parents for a private temporary folder, best first: ours, memory, then the usual ones.
std::vector<std::string> scratch_parents();

}  // namespace rowsmith
