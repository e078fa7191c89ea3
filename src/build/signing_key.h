// signing_key: the secret that signs what other machines hand us, as the function that the cache wants.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "rowsmith/status.h"

namespace rowsmith {

using mac_function = std::function<result<std::string>(std::string_view)>;

// HMAC-SHA256 under the bytes of `file`, of libcrypto, which is looked for by name. Refuses a file that is not ours or
// root's, one that others can read or write (it is a secret), one of less than 16 or more than 4096 bytes, and a
// machine without libcrypto.
result<mac_function> signing_key(const std::string& file);

}  // namespace rowsmith
