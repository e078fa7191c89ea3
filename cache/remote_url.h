// remote_url: where the remote tier is, and what may be done there. Pure.
//
//   redis[s]://host[:port][/db][?mode=ro|rw][&prefix=…]
//
// rediss is TLS (remote_tls.h). Port 6379, database 0, mode ro and prefix "rowsmith:" unless said. Anything else, a
// user name or a password among it, is refused with what is allowed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "rowsmith/status.h"

namespace rowsmith::cache {

struct remote_url {
  std::string host;  // a name, an IPv4 address, or an IPv6 address without its brackets
  std::uint16_t port = 6379;
  int db = 0;
  bool tls = false;
  bool writable = false;
  std::string prefix = "rowsmith:";
};

result<remote_url> parse_remote_url(std::string_view text);

std::string to_string(const remote_url& url);  // without mode and prefix

}  // namespace rowsmith::cache
