// The expressions that this process has seen, by id: a fingerprint carries the id alone. Nothing is ever forgotten, so
// what find() gives stays; nothing runs at exit.
//
// Thread promise: any number of threads. Readers share a lock; a warm call takes none of this.
#pragma once

#include "rowsmith/expr.h"

namespace rowsmith {

// The id under which find() knows the expression. None, where another expression has the same hash: that does not
// happen but on purpose, and must not give one expression's answers for the other.
expression_id intern(const expression& e);

// Null when nobody interned it.
const expression* find(const expression_id& id);

}  // namespace rowsmith
