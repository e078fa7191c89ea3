// The remote tier through TLS: a real server with a certificate, and those that are not what they say.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <chrono>
#include <thread>

#include "cache/remote_store.h"
#include "servers.h"
#include "unit/cache/support.h"

namespace rowsmith::cache {
namespace {

using namespace std::chrono_literals;
using rowsmith::test::authority;
using rowsmith::test::redis_server;
using rowsmith::test::rude_server;
using test::make_entry;
using test::make_key;
using test::payload_of;

constexpr const char* own_names = "DNS:localhost,IP:127.0.0.1";

class tls : public testing::Test {
 protected:
  void SetUp() override {
    if (!redis_server::installed()) GTEST_SKIP() << "redis-server is not installed";
    if (!authority::ours().usable()) GTEST_SKIP() << "the program openssl is not here";
    if (!make_remote_store(options(1))) GTEST_SKIP() << "no TLS here";
  }
  static remote_options options(int port, const std::string& host = "127.0.0.1", bool encrypted = true) {
    remote_options o;
    o.url.host = host;
    o.url.port = static_cast<std::uint16_t>(port);
    o.url.writable = true;
    o.url.tls = encrypted;
    o.needs_mac = [](const key&) { return false; };
    o.connect_timeout = o.command_timeout = 20s;  // a busy machine is no failure
    o.first_pause = 50ms;
    return o;
  }
  static remote_options impatient(int port, bool encrypted = true) {
    remote_options o = options(port, "127.0.0.1", encrypted);
    o.command_timeout = 500ms;
    return o;
  }
  static std::unique_ptr<store> open(remote_options o) { return std::move(*make_remote_store(std::move(o))); }
  // A server that speaks TLS and is up; null where redis-server was built without.
  static std::unique_ptr<redis_server> server(const std::string& names, bool self_signed = false) {
    auto s = std::make_unique<redis_server>(authority::ours().certify(names, self_signed), true);
    return s->ready() ? std::move(s) : nullptr;
  }
  // What a store says to whom it does not trust or understand: a miss, in time.
  static void expect_miss(remote_options o, const std::string& why) {
    const auto start = std::chrono::steady_clock::now();
    const auto s = open(std::move(o));
    const result<entry> e = s->get(make_key(1), accept::any);
    EXPECT_EQ(e.status().error(), code::not_found);
    EXPECT_THAT(e.status().to_string(), testing::HasSubstr(why));
    EXPECT_EQ(s->stats().read_failures, 1u);
    EXPECT_FALSE(s->put(make_entry(1)).ok());
    EXPECT_LT(std::chrono::steady_clock::now() - start, 15s);
  }
};

TEST_F(tls, what_one_stores_another_fetches) {
  const auto s = server(own_names);
  if (s == nullptr) GTEST_SKIP() << "this redis-server has no TLS";
  for (const char* host : {"127.0.0.1", "localhost"}) {
    for (const std::size_t bytes : {300u, 20'000u, 3'000'000u}) {
      ASSERT_TRUE(open(options(s->port(), host))->put(make_entry(1, bytes)).ok()) << host << " " << bytes;
      const auto reader = open(options(s->port(), host));
      for (int i = 0; i < 3; ++i) {
        const result<entry> e = reader->get(make_key(1), accept::same);
        ASSERT_TRUE(e.ok()) << e.status().to_string();
        ASSERT_EQ(e->payload, payload_of(1, bytes));
      }
      EXPECT_FALSE(reader->get(make_key(2), accept::same).ok());
      EXPECT_EQ(reader->stats().read_failures, 0u);
    }
  }
}

TEST_F(tls, case_63_a_certificate_for_another_host_is_refused) {
  const auto s = server("DNS:elsewhere.example,IP:192.0.2.1");
  if (s == nullptr) GTEST_SKIP() << "this redis-server has no TLS";
  expect_miss(options(s->port()), "the certificate of 127.0.0.1 is refused");
  expect_miss(options(s->port(), "localhost"), "the certificate of localhost is refused");
}

TEST_F(tls, case_63_a_certificate_by_an_authority_that_nobody_trusts_is_refused) {
  const auto s = server(own_names, true);
  if (s == nullptr) GTEST_SKIP() << "this redis-server has no TLS";
  expect_miss(options(s->port()), "is refused");
}

TEST_F(tls, neither_side_speaks_plainly_to_the_other) {
  const auto sealed = server(own_names);
  if (sealed == nullptr) GTEST_SKIP() << "this redis-server has no TLS";
  expect_miss(impatient(sealed->port(), false), "redis://");
  const redis_server plain;
  expect_miss(impatient(plain.port()), "TLS: no handshake");
}

TEST_F(tls, silence_and_rubbish_end_with_the_time_limit) {
  const rude_server silent([](int) { std::this_thread::sleep_for(1500ms); });
  expect_miss(impatient(silent.port()), "too slow");
  const rude_server drips([](int socket) {
    for (int i = 0; i < 30 && ::send(socket, "\x16\x03\x03\x40", 1, MSG_NOSIGNAL) > 0; ++i)
      std::this_thread::sleep_for(50ms);
  });
  expect_miss(impatient(drips.port()), "TLS");
  const rude_server rubbish(rowsmith::test::says("HTTP/1.1 400 Bad Request\r\n\r\n"));
  expect_miss(impatient(rubbish.port()), "TLS");
  const rude_server hangs_up([](int) {});
  expect_miss(impatient(hangs_up.port()), "TLS");
}

TEST_F(tls, killed_in_the_middle_it_is_left_alone_and_found_again) {
  const auto s = server(own_names);
  if (s == nullptr) GTEST_SKIP() << "this redis-server has no TLS";
  const auto store = open(options(s->port()));
  ASSERT_TRUE(store->put(make_entry(1)).ok());
  s->kill();
  EXPECT_FALSE(store->get(make_key(1), accept::same).ok());
  s->start();
  ASSERT_TRUE(s->ready());
  std::this_thread::sleep_for(200ms);
  ASSERT_TRUE(store->put(make_entry(1)).ok());
  EXPECT_TRUE(store->get(make_key(1), accept::same).ok());
}

TEST_F(tls, processes_share_kernels) {
  const auto s = server(own_names);
  if (s == nullptr) GTEST_SKIP() << "this redis-server has no TLS";
  rowsmith::test::private_folder folder;
  int home = 0;
  const auto call = [&](const std::string& query) {
    return rowsmith::test::run_child({"null", "512"},
                                     {"ROWSMITH_REMOTE=" + s->url(query),
                                      "ROWSMITH_CACHE_DIR=" + (folder.path() / std::to_string(home++)).string()});
  };
  EXPECT_EQ(call("?mode=rw")["compiled"], "1");
  EXPECT_EQ(call("?mode=ro")["compiled"], "0") << "a machine that never saw it";
}

}  // namespace
}  // namespace rowsmith::cache
