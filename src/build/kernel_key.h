// kernel_key: the cache key of one rendered kernel.
#pragma once

#include "backend/backend.h"
#include "cache/key.h"
#include "model/facts.h"
#include "model/source.h"
#include "model/traits.h"

namespace rowsmith {

// *what*: schema, op, facts (no device index), hash of the source set, rendered instantiation, options, target.
// *who*: the compiler; left empty where there is none.
cache::key key_of(const source& s, const shape_class& c, const traits& t, const compiler_id* who);

}  // namespace rowsmith
