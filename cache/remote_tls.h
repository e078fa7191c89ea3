// remote_tls: TLS over a connected socket, by the machine's own libssl, which is looked for by name.
//
// The server's certificate must be signed by whom the system trusts (SSL_CERT_FILE and SSL_CERT_DIR say otherwise, as
// for every program of OpenSSL) and be made out to the very host that was asked for. There is no way to turn that off.
//
// Thread promise: an object belongs to one thread at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "rowsmith/status.h"

namespace rowsmith::cache {

class tls_stream {
 public:
  using deadline = std::chrono::steady_clock::time_point;

  // OK where libssl is here, 1.1 or later; else code::unsupported with what was tried.
  static status available();

  // Shakes hands. `host`: a name or an address. The socket stays the caller's and becomes non-blocking.
  static result<std::unique_ptr<tls_stream>> open(int socket, const std::string& host, deadline until);
  ~tls_stream();

  status write(std::string_view bytes, deadline until);
  result<std::size_t> read(char* to, std::size_t most, deadline until);  // at least one byte

 private:
  explicit tls_stream(int socket) : socket_(socket) {}
  status wait_for(int answer, deadline until, std::string_view doing) const;

  const int socket_;
  void* session_ = nullptr;
};

}  // namespace rowsmith::cache
