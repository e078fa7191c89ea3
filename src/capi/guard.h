// guard: the fence between C++ and C. Nothing passes it but a number; the story of a failure stays behind, per thread.
#pragma once

#include <exception>
#include <new>
#include <utility>

#include "rowsmith/rowsmith_c.h"
#include "rowsmith/status.h"

namespace rowsmith::capi {

// Keeps a failure for rs_last_error_*() and gives its number. A success is passed on and forgets nothing.
rs_status remember(status s) noexcept;
// The same where there may be no memory left for a message.
rs_status remember(code c, const char* message) noexcept;

// Runs `f`, which returns a status, and lets nothing else out.
template <class F>
rs_status guarded(F&& f) noexcept {
  try {
    return remember(std::forward<F>(f)());
  } catch (const std::bad_alloc&) {
    return remember(code::out_of_memory, "the host has no memory left");
  } catch (const std::exception& e) {
    return remember(code::internal, e.what());
  } catch (...) {
    return remember(code::internal, "an exception of unknown type");
  }
}

inline status null_argument(const char* name) {
  return {code::invalid_argument, std::string(name) + ": found NULL, a pointer is needed"};
}

}  // namespace rowsmith::capi
