// dispatch: the hot path. A request is inspected, looked up and launched; what is not known goes down the cold path.
#pragma once

#include "model/request.h"
#include "rowsmith/status.h"

namespace rowsmith {

status dispatch(const request& r) noexcept;

// Builds and loads what dispatch(r) would run, whatever the policy of the process says about waiting. Launches nothing.
status prepare(const request& r) noexcept;

// Prepares r, and tells how many bytes of workspace a call of it needs.
result<std::size_t> workspace_bytes(const request& r);

}  // namespace rowsmith
