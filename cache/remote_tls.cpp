#include "cache/remote_tls.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <climits>
#include <vector>

#include "base/no_destructor.h"
#include "base/shared_object.h"

namespace rowsmith::cache {
namespace {

// OpenSSL's functions as they have been since 1.1, and the numbers that its macros hide.
constexpr int verify_peer = 1, error_want_read = 2, error_want_write = 3, verified = 0;
constexpr int set_host_name = 55, host_name_type = 0, set_least_version = 123, tls_1_2 = 0x0303;

struct libssl {
  const void* (*client_method)() = nullptr;
  void* (*new_context)(const void*) = nullptr;
  int (*trust_system)(void*) = nullptr;
  void (*set_verify)(void*, int, void*) = nullptr;
  long (*context_control)(void*, int, long, void*) = nullptr;
  void* (*new_session)(void*) = nullptr;
  void (*free_session)(void*) = nullptr;
  int (*set_socket)(void*, int) = nullptr;
  long (*control)(void*, int, long, void*) = nullptr;
  int (*set_host)(void*, const char*) = nullptr;
  void* (*parameters)(void*) = nullptr;
  int (*set_address)(void*, const char*) = nullptr;
  int (*connect)(void*) = nullptr;
  int (*read)(void*, void*, int) = nullptr;
  int (*write)(void*, const void*, int) = nullptr;
  int (*get_error)(const void*, int) = nullptr;
  long (*verify_result)(const void*) = nullptr;
  const char* (*verify_text)(long) = nullptr;
  unsigned long (*next_error)() = nullptr;
  void (*clear_errors)() = nullptr;
  void (*error_text)(unsigned long, char*, std::size_t) = nullptr;

  bool complete = false;
  void* context = nullptr;
  std::vector<std::string> tried;

  libssl() {
    const std::array<std::string, 3> names = {"libssl.so.3", "libssl.so.1.1", "libssl.so"};
    const shared_object library = shared_object::open_first(names, &tried);
    complete = library.bind(client_method, "TLS_client_method") && library.bind(new_context, "SSL_CTX_new") &&
               library.bind(trust_system, "SSL_CTX_set_default_verify_paths") &&
               library.bind(set_verify, "SSL_CTX_set_verify") && library.bind(context_control, "SSL_CTX_ctrl") &&
               library.bind(new_session, "SSL_new") && library.bind(free_session, "SSL_free") &&
               library.bind(set_socket, "SSL_set_fd") && library.bind(control, "SSL_ctrl") &&
               library.bind(set_host, "SSL_set1_host") && library.bind(parameters, "SSL_get0_param") &&
               library.bind(set_address, "X509_VERIFY_PARAM_set1_ip_asc") && library.bind(connect, "SSL_connect") &&
               library.bind(read, "SSL_read") && library.bind(write, "SSL_write") &&
               library.bind(get_error, "SSL_get_error") && library.bind(verify_result, "SSL_get_verify_result") &&
               library.bind(verify_text, "X509_verify_cert_error_string") &&
               library.bind(next_error, "ERR_get_error") && library.bind(clear_errors, "ERR_clear_error") &&
               library.bind(error_text, "ERR_error_string_n");
    if (!complete) return;
    context = new_context(client_method());
    complete = context != nullptr && trust_system(context) == 1 &&
               context_control(context, set_least_version, tls_1_2, nullptr) == 1;
    if (complete) set_verify(context, verify_peer, nullptr);
  }
};

// Never closed: the library registers handlers of its own.
libssl& ssl() {
  static no_destructor<libssl> library;
  return *library;
}

bool is_address(const std::string& host) {
  unsigned char bytes[16];
  return ::inet_pton(AF_INET, host.c_str(), bytes) == 1 || ::inet_pton(AF_INET6, host.c_str(), bytes) == 1;
}

std::string last_words() {
  const unsigned long error = ssl().next_error();
  if (error == 0) return "the connection ended";
  char text[256] = {};
  ssl().error_text(error, text, sizeof text);
  return text;
}

}  // namespace

status tls_stream::available() {
  if (ssl().complete) return {};
  return status(code::unsupported,
                fmt::format("no TLS: libssl 1.1 or later is not here ({})", fmt::join(ssl().tried, "; ")));
}

// What a call of libssl answered, after whose end it is called again: OK once the socket is ready for that.
status tls_stream::wait_for(int answer, deadline until, std::string_view doing) const {
  const int error = ssl().get_error(session_, answer);
  if (error != error_want_read && error != error_want_write) {
    return status(code::io_error, fmt::format("TLS: {}", doing), error, last_words());
  }
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now()).count();
  pollfd p = {socket_, static_cast<short>(error == error_want_read ? POLLIN : POLLOUT), 0};
  if (left > 0 && ::poll(&p, 1, static_cast<int>(std::min<long long>(left, INT_MAX))) > 0) return {};
  return status(code::io_error, fmt::format("TLS: {}: too slow", doing));
}

result<std::unique_ptr<tls_stream>> tls_stream::open(int socket, const std::string& host, deadline until) {
  if (status s = available(); !s) return s;
  const libssl& call = ssl();
  std::unique_ptr<tls_stream> t(new tls_stream(socket));
  t->session_ = call.new_session(call.context);
  if (t->session_ == nullptr) return status(code::out_of_memory, "TLS: no memory for a session");
  const bool named = is_address(host) ? call.set_address(call.parameters(t->session_), host.c_str()) == 1
                                      : call.set_host(t->session_, host.c_str()) == 1 &&
                                            call.control(t->session_, set_host_name, host_name_type,
                                                         const_cast<char*>(host.c_str())) == 1;
  if (!named || call.set_socket(t->session_, socket) != 1 ||
      ::fcntl(socket, F_SETFL, ::fcntl(socket, F_GETFL) | O_NONBLOCK) != 0) {
    return status(code::io_error, fmt::format("TLS: {} cannot be set up", host));
  }
  while (true) {
    call.clear_errors();
    const int answer = call.connect(t->session_);
    if (answer == 1) return t;
    if (status s = t->wait_for(answer, until, "no handshake"); !s) {
      const long why = call.verify_result(t->session_);
      if (why == verified) return s;
      return status(code::io_error, fmt::format("TLS: the certificate of {} is refused", host), why,
                    call.verify_text(why));
    }
  }
}

tls_stream::~tls_stream() {
  if (session_ != nullptr) ssl().free_session(session_);
}

status tls_stream::write(std::string_view bytes, deadline until) {
  while (!bytes.empty()) {
    ssl().clear_errors();
    const int n = ssl().write(session_, bytes.data(), static_cast<int>(std::min<std::size_t>(bytes.size(), 1 << 20)));
    if (n > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(n));
    } else if (status s = wait_for(n, until, "takes no command"); !s) {
      return s;
    }
  }
  return {};
}

result<std::size_t> tls_stream::read(char* to, std::size_t most, deadline until) {
  while (true) {
    ssl().clear_errors();
    const int n = ssl().read(session_, to, static_cast<int>(std::min<std::size_t>(most, 1 << 20)));
    if (n > 0) return static_cast<std::size_t>(n);
    if (status s = wait_for(n, until, "does not answer"); !s) return s;
  }
}

}  // namespace rowsmith::cache
