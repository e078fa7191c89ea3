// Mutants: one fault put into the text of the kernels, which a test must notice.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace rowsmith::mutants {

// Where a mutant is tried. The simulated AMD cards also see what a real card may forgive: two waves at one word of
// shared memory, an access outside a tensor, a register that nobody wrote.
enum where : unsigned {
  host = 1,
  host_scalar = 2,  // the fallback that is compiled into the library: compiled anew
  amd = 4,
  cuda = 8,
  gpu = amd | cuda,
  everywhere = host | gpu,
};

struct mutant {
  const char* name;
  const char* file;   // in kernel_src
  const char* right;  // stands there exactly once
  const char* wrong;
  const char* cases;  // of ../mechanisms, joined by colons: one of them must fail
  unsigned on;
};

std::span<const mutant> all_mutants();

const mutant* find_mutant(std::string_view name);

// The text of `file` with the fault; empty where the right text does not stand there exactly once.
std::string mutated(const mutant& m, std::string_view text);

// From now on the library renders kernels with this fault. Before its first use.
void put_in(const mutant& m);

// The library with which host_scalar's fallback is replaced; nothing: as it is built.
void use_scalar_library(const std::string& path);

}  // namespace rowsmith::mutants
