// record: writes down the requests of a process (ROWSMITH_RECORD), for a later warm().
//
// Thread promise: any thread, any number of processes on one file. Touches no vendor library and no data, so it is
// legal while a stream is captured. A forked child begins anew.
#pragma once

#include "model/facts.h"
#include "model/request.h"

namespace rowsmith {

// Appends `r`, whose facts are `f`, to the file unless a request of its class is there. Cheap when nothing is recorded;
// a file that cannot be written is told once in the log and costs no call anything.
void record(const std::string& file, const request& r, const facts& f) noexcept;

}  // namespace rowsmith
