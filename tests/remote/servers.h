// servers: a real redis-server on a private port and folder, and servers that say what a test wants.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "flow/child.h"

namespace rowsmith::test {

// A loopback port that was free a moment ago.
int free_port();

// An authority of certificates that lives as long as the program, which trusts it, its children too: it sets
// SSL_CERT_FILE.
class authority {
 public:
  static const authority& ours();  // made at the first call; without the program openssl it is not usable
  bool usable() const { return usable_; }

  // Settings of a redis-server with a certificate for `names` ("DNS:localhost,IP:127.0.0.1"), by us or by itself.
  std::vector<std::string> certify(const std::string& names, bool self_signed = false) const;

 private:
  authority();
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  private_folder folder_;
  bool usable_ = false;
};

// An own redis-server on loopback, without persistence. Not installed: installed() says so, and tests skip.
class redis_server {
 public:
  explicit redis_server(std::vector<std::string> settings = {}, bool tls = false);
  ~redis_server() { kill(); }

  static bool installed();
  bool ready() const;  // it answers
  void start();
  void kill();  // SIGKILL, at once
  int port() const { return port_; }
  std::string url(const std::string& query = "") const;

 private:
  const int port_;
  std::vector<std::string> settings_;
  const bool tls_;
  private_folder folder_;
  int pid_ = -1;
};

// Answers each connection by `talk`, which reads and writes the socket as it likes.
class rude_server {
 public:
  explicit rude_server(std::function<void(int socket)> talk);
  ~rude_server();

  int port() const { return port_; }
  int connections() const { return connections_; }

 private:
  int listener_, port_;
  std::atomic<int> connections_{0};
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

// What a rude server does at its simplest: reads something, then writes `bytes`.
std::function<void(int)> says(std::string bytes);

}  // namespace rowsmith::test
