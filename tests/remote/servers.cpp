#include "servers.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <functional>

#include "base/subprocess.h"

namespace rowsmith::test {
namespace {

sockaddr_in loopback(int port) {
  sockaddr_in a = {};
  a.sin_family = AF_INET;
  a.sin_port = htons(static_cast<std::uint16_t>(port));
  a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return a;
}

int listen_somewhere(int* port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in a = loopback(0);
  socklen_t size = sizeof a;
  if (::bind(fd, reinterpret_cast<sockaddr*>(&a), size) != 0 || ::listen(fd, 16) != 0 ||
      ::getsockname(fd, reinterpret_cast<sockaddr*>(&a), &size) != 0) {
    std::abort();
  }
  *port = ntohs(a.sin_port);
  return fd;
}

}  // namespace

int free_port() {
  int port = 0;
  ::close(listen_somewhere(&port));
  return port;
}

const authority& authority::ours() {
  static const authority one;
  return one;
}

authority::authority() {
  const auto made =
      run({"openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
           "2", "-subj", "/CN=authority of a test", "-keyout", path("ca.key"), "-out", path("ca.crt")});
  usable_ = made && made->exit_status == 0;
  ::setenv("SSL_CERT_FILE", path("ca.crt").c_str(), 1);
}

std::vector<std::string> authority::certify(const std::string& names, bool self_signed) const {
  const std::string name = std::to_string(std::hash<std::string>()(names + (self_signed ? "self" : "")));
  std::vector<std::string> words = {"openssl",
                                    "req",
                                    "-x509",
                                    "-newkey",
                                    "ec",
                                    "-pkeyopt",
                                    "ec_paramgen_curve:prime256v1",
                                    "-nodes",
                                    "-days",
                                    "2",
                                    "-subj",
                                    "/CN=server of a test",
                                    "-addext",
                                    "subjectAltName=" + names,
                                    "-addext",
                                    "basicConstraints=critical,CA:false",
                                    "-keyout",
                                    path(name + ".key"),
                                    "-out",
                                    path(name + ".crt")};
  if (!self_signed) words.insert(words.end(), {"-CA", path("ca.crt"), "-CAkey", path("ca.key")});
  const auto made = run(words);
  if (!made || made->exit_status != 0) return {};
  return {"--tls-cert-file",    path(name + ".crt"), "--tls-key-file",     path(name + ".key"),
          "--tls-ca-cert-file", path("ca.crt"),      "--tls-auth-clients", "no"};
}

redis_server::redis_server(std::vector<std::string> settings, bool tls)
    : port_(free_port()), settings_(std::move(settings)), tls_(tls) {
  start();
}

bool redis_server::installed() { return ROWSMITH_REDIS_SERVER[0] != '\0'; }

void redis_server::start() {
  if (!installed()) return;
  const std::string port = std::to_string(port_), folder = folder_.path().string();
  std::vector<std::string> words = {
      ROWSMITH_REDIS_SERVER, "--port", tls_ ? "0" : port, "--bind",       "127.0.0.1", "--dir", folder, "--save", "",
      "--appendonly",        "no",     "--logfile",       folder + "/log"};
  if (tls_) words.insert(words.end(), {"--tls-port", port});
  words.insert(words.end(), settings_.begin(), settings_.end());
  pid_ = ::fork();
  if (pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    std::vector<char*> argv;
    for (std::string& w : words) argv.push_back(w.data());
    argv.push_back(nullptr);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  for (int i = 0; i < 500 && !ready(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

bool redis_server::ready() const {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in a = loopback(port_);
  const bool there = ::connect(fd, reinterpret_cast<const sockaddr*>(&a), sizeof a) == 0;
  ::close(fd);
  return there;
}

void redis_server::kill() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

std::string redis_server::url(const std::string& query) const {
  return fmt::format("redis{}://127.0.0.1:{}/0{}", tls_ ? "s" : "", port_, query);
}

rude_server::rude_server(std::function<void(int)> talk) : listener_(listen_somewhere(&port_)) {
  thread_ = std::thread([this, talk = std::move(talk)] {
    while (!stop_) {
      pollfd p = {listener_, POLLIN, 0};
      if (::poll(&p, 1, 20) <= 0) continue;
      const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (socket < 0) continue;
      ++connections_;
      talk(socket);
      ::close(socket);
    }
  });
}

rude_server::~rude_server() {
  stop_ = true;
  thread_.join();
  ::close(listener_);
}

std::function<void(int)> says(std::string bytes) {
  return [bytes = std::move(bytes)](int socket) {
    char buffer[4096];
    if (::recv(socket, buffer, sizeof buffer, 0) <= 0) return;
    for (std::size_t sent = 0; sent < bytes.size();) {
      const ssize_t n = ::send(socket, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
      if (n <= 0) return;
      sent += static_cast<std::size_t>(n);
    }
  };
}

}  // namespace rowsmith::test
