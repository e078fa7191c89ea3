// explain_request: what would happen to a request, without running it.
#pragma once

#include "model/request.h"
#include "rowsmith/explain.h"

namespace rowsmith {

result<explanation> explain_request(request r, const explain_options& how);

}  // namespace rowsmith
