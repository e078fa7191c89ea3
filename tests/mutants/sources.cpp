// The library's doors to the kernels' text, as this program has them: what src/render and src/backend/host find here
// comes before what lies in the library's own archive.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "backend/host/scalar.h"
#include "mutants/mutant.h"
#include "render/embedded.h"

namespace rowsmith {

// The text as it is, and the fallback as it is: the same sources, compiled under these names (see CMakeLists.txt).
std::span<const embedded_header> unchanged_headers();
namespace host {
row_function unchanged_fallback(std::string_view entry) noexcept;
}

namespace {

const mutants::mutant* g_mutant = nullptr;
std::string g_scalar_library;

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::exit(2);
}

struct text_with_fault {
  std::string text;
  std::vector<embedded_header> headers;

  text_with_fault() {
    for (const embedded_header& h : unchanged_headers()) headers.push_back(h);
    if (g_mutant == nullptr) return;
    for (embedded_header& h : headers) {
      if (h.path != g_mutant->file) continue;
      text = mutants::mutated(*g_mutant, h.text);
      h.text = text;
    }
    if (text.empty()) give_up(std::string(g_mutant->file) + " has not this text: " + g_mutant->right);
  }
};

}  // namespace

std::span<const embedded_header> embedded_headers() {
  static const text_with_fault all;
  return all.headers;
}

std::string_view embedded_hash() { return g_mutant == nullptr ? "unchanged" : g_mutant->name; }

host::row_function host::compiled_in(std::string_view entry) noexcept {
  if (g_scalar_library.empty()) return unchanged_fallback(entry);
  static const auto find = [] {
    void* library = ::dlopen(g_scalar_library.c_str(), RTLD_NOW | RTLD_LOCAL);
    void* symbol = library != nullptr ? ::dlsym(library, "mutant_fallback") : nullptr;
    if (symbol == nullptr) give_up(::dlerror());
    return reinterpret_cast<row_function (*)(std::string_view)>(symbol);
  }();
  return find(entry);
}

namespace mutants {

void put_in(const mutant& m) { g_mutant = &m; }
void use_scalar_library(const std::string& path) { g_scalar_library = path; }

const mutant* find_mutant(std::string_view name) {
  for (const mutant& m : all_mutants()) {
    if (m.name == name) return &m;
  }
  return nullptr;
}

std::string mutated(const mutant& m, std::string_view text) {
  const std::string_view right = m.right;
  const auto at = text.find(right);
  if (at == std::string_view::npos || text.find(right, at + 1) != std::string_view::npos) return {};
  return std::string(text.substr(0, at)) + m.wrong + std::string(text.substr(at + right.size()));
}

}  // namespace mutants
}  // namespace rowsmith
