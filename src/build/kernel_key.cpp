#include "build/kernel_key.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/expression/intern.h"
#include "model/op_table.h"
#include "render/render.h"

namespace rowsmith {

namespace {

// Raised when the meaning of a field changes, so that older entries are not found any more.
constexpr std::string_view schema = "1";

// An id is a hash: the words are the expression.
std::string words_of(const expression_id& id) {
  const expression* e = find(id);
  return e == nullptr ? std::string() : fmt::format("{:016x}", fmt::join(e->words(), " "));
}

}  // namespace

cache::key key_of(const source& s, const shape_class& c, const traits& t, const compiler_id* who) {
  cache::key k;
  k.add_what("schema", schema)
      .add_what("backend", name_of(c.vendor))
      .add_what("op", describe(c.op).name)
      .add_what("entry", s.entry)
      .add_what("facts", to_string(c))
      .add_what("sources", source_set_hash())
      .add_what("instantiation", s.instantiation)
      .add_what("target", t.arch);
  if (c.pre) k.add_what("pre", words_of(c.pre));
  if (c.post) k.add_what("post", words_of(c.post));
  for (const std::string& option : s.options) k.add_what("option", option);
  if (who != nullptr) {
    k.add_who("compiler", who->name).add_who("version", who->version).add_who("build", who->build);
  }
  return k;
}

}  // namespace rowsmith
