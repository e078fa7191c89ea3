// key: what a cached binary is, and who built it.
//
// *What* is everything that decides the meaning of the bytes: schema, op, facts, source-set hash, rendered text,
// options, canonical target. *Who* is the compiler that produced them. Entries are found by what; who is a matter of
// policy (accept in store.h). Both are ordered lists of named fields. The cache gives no field a meaning of its own:
// the owner chooses names and order, and keeps out of them whatever differs between machines for no reason (paths,
// mtimes, drivers).
//
// Thread promise: a key is a value. Any number of threads may read one; nobody writes while others read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rowsmith/status.h"

namespace rowsmith::cache {

struct field {
  std::string name;
  std::string value;      // the bytes themselves, or "<32 hex digits> <length>" when digested
  bool digested = false;  // a long value, held as its digest: never equal to a short one that reads the same

  friend bool operator==(const field&, const field&) = default;
};

class key {
 public:
  key& add_what(std::string_view name, std::string_view value);
  // For values too long to repeat in every entry, such as the rendered kernel: digest and length stand for the bytes.
  key& add_what_digest(std::string_view name, std::string_view bytes);
  key& add_who(std::string_view name, std::string_view value);

  const std::vector<field>& what() const noexcept { return what_; }
  const std::vector<field>& who() const noexcept { return who_; }

  // XXH3-128 over length-prefixed fields, 32 hex digits: where an entry lies. Two different keys of one digest are told
  // apart by their text, which every entry carries.
  std::string what_digest() const;
  std::string who_digest() const;

  // One line a field, fit for diff: "what op = softmax". Injective: bytes that could end a line or a name are escaped.
  std::string what_text() const;
  std::string who_text() const;
  std::string text() const;  // both, under a line that names the form

  // Exactly what text() wrote, or code::corrupt.
  static result<key> parse(std::string_view text);

  bool same_what(const key& other) const { return what_ == other.what_; }
  bool same_who(const key& other) const { return who_ == other.who_; }
  friend bool operator==(const key&, const key&) = default;

 private:
  std::vector<field> what_;
  std::vector<field> who_;
};

// Names of the fields which differ, what before who, each once, in the order in which `a` and then `b` has them. Equal
// names in another order give the one name "(order)". Empty when a == b. This is what a refused compile prints.
std::vector<std::string> differing_fields(const key& a, const key& b);

}  // namespace rowsmith::cache
