// compiler: the system's C++ compiler, found by name, asked once who it is, run by argv without a shell.
#pragma once

#include <string>
#include <vector>

#include "backend/backend.h"

namespace rowsmith::host {

// A compiler that was found: how it is started and who it is.
struct compiler {
  std::vector<std::string> command;  // the program and the words a $CXX may carry ("ccache g++")
  std::string path;                  // of the program that compiles, resolved
  compiler_id id;
};

// The first of `candidates` that exists and answers --version. `probe` gets what was tried, and the reasons. Starts a
// process per candidate: callers remember the answer.
result<compiler> find_compiler(const std::vector<std::string>& candidates, library_probe* probe);

// id.build of the compiler that find_compiler() would find if all of them answer, told by files alone; empty where they
// do not tell who compiles (a launcher such as ccache, a script) or nothing is found.
std::string build_by_files(const std::vector<std::string>& candidates);

// $ROWSMITH_CXX, $CXX, c++, g++, clang++, in this order. A compiler asked for by ROWSMITH_CXX is the only one tried.
std::vector<std::string> default_candidates();

// Runs the compiler on `s` for `target`. compile_failed with its log in detail().
result<binary> compile(const compiler& with, const source& s, const traits& target);

}  // namespace rowsmith::host
