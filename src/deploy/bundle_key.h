// bundle_key: the key that signs bundles, from a file, as the function that the cache wants.
#pragma once

#include <string>

#include "cache/bundle.h"
#include "rowsmith/status.h"

namespace rowsmith {

// HMAC-SHA256 under the bytes of `file`, of libcrypto, which is looked for by name. Refuses a file that others can read
// (it is a secret), one of less than 16 or more than 4096 bytes, and a machine without libcrypto.
result<cache::mac_function> bundle_key(const std::string& file);

}  // namespace rowsmith
