// The remote tier: what is shared is found, what cannot be trusted is not used, and what is broken costs nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "build/signing_key.h"
#include "cache/remote_store.h"
#include "servers.h"
#include "unit/cache/support.h"

namespace rowsmith::cache {
namespace {

using namespace std::chrono_literals;
using rowsmith::test::free_port;
using rowsmith::test::private_folder;
using rowsmith::test::redis_server;
using rowsmith::test::rude_server;
using rowsmith::test::says;
using test::make_entry;
using test::make_key;
using testing::HasSubstr;

std::string key_file(const private_folder& folder, const std::string& name, char letter, unsigned mode = 0600) {
  const std::string path = (folder.path() / name).string();
  std::ofstream(path) << std::string(32, letter);
  ::chmod(path.c_str(), mode);
  return path;
}

double ms_of(const std::function<void()>& f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

class remote : public testing::Test {
 protected:
  remote_options options(int port, bool writable = true) {
    remote_options o;
    o.url.host = "127.0.0.1";
    o.url.port = static_cast<std::uint16_t>(port);
    o.url.writable = writable;
    o.mac = *signing_key(key_file(folder_, "key", 'k'));
    o.connect_timeout = o.command_timeout = 200ms;
    o.first_pause = 100ms;
    return o;
  }
  static std::unique_ptr<store> open(remote_options o) { return std::move(*make_remote_store(std::move(o))); }

  private_folder folder_;
};

class remote_server : public remote {
 protected:
  void SetUp() override {
    if (!redis_server::installed()) GTEST_SKIP() << "redis-server is not installed";
    ASSERT_TRUE(server_.ready());
  }
  redis_server server_;
};

TEST_F(remote_server, what_one_stores_another_fetches) {
  const auto a = open(options(server_.port())), b = open(options(server_.port(), false));
  EXPECT_EQ(b->get(make_key(1), accept::same).status().error(), code::not_found);
  ASSERT_TRUE(a->put(make_entry(1)).ok());
  const result<entry> found = b->get(make_key(1), accept::same);
  ASSERT_TRUE(found.ok()) << found.status().to_string();
  EXPECT_EQ(found->payload, make_entry(1).payload);
  EXPECT_EQ(found->metadata, make_entry(1).metadata);
  EXPECT_THAT(found->layer, HasSubstr("remote redis://127.0.0.1"));
  EXPECT_EQ(b->stats().hits, 1u);
  EXPECT_EQ(b->stats().misses, 1u);
}

TEST_F(remote_server, builders_are_kept_apart_and_any_finds_each) {
  const auto s = open(options(server_.port()));
  ASSERT_TRUE(s->put(make_entry(1, 300, "cc 1")).ok());
  ASSERT_TRUE(s->put(make_entry(1, 400, "cc 2")).ok());
  EXPECT_EQ(s->get(make_key(1, "cc 1"), accept::same)->payload.size(), 300u);
  EXPECT_EQ(s->get(make_key(1, "cc 2"), accept::same)->payload.size(), 400u);
  EXPECT_FALSE(s->get(make_key(1, "cc 3"), accept::same).ok());
  EXPECT_TRUE(s->get(make_key(1, "cc 3"), accept::any).ok());
}

TEST_F(remote_server, prefixes_and_databases_are_worlds_of_their_own) {
  remote_options other = options(server_.port());
  other.url.prefix = "team:";
  remote_options third = options(server_.port());
  third.url.db = 3;
  ASSERT_TRUE(open(options(server_.port()))->put(make_entry(1)).ok());
  EXPECT_FALSE(open(other)->get(make_key(1), accept::any).ok());
  EXPECT_FALSE(open(third)->get(make_key(1), accept::any).ok());
  ASSERT_TRUE(open(third)->put(make_entry(1)).ok());
  EXPECT_TRUE(open(third)->get(make_key(1), accept::any).ok());
  third.url.db = 99;  // 16 is usual
  EXPECT_FALSE(open(third)->get(make_key(1), accept::any).ok());
}

TEST_F(remote_server, read_only_means_that) {
  const auto s = open(options(server_.port(), false));
  EXPECT_FALSE(s->writable());
  EXPECT_EQ(s->put(make_entry(1)).error(), code::unsupported);
  EXPECT_FALSE(open(options(server_.port()))->get(make_key(1), accept::any).ok());
}

TEST_F(remote_server, case_63_case_32_no_entry_without_the_right_mac) {
  remote_options no_key = options(server_.port()), wrong = no_key;
  no_key.mac = {};
  no_key.needs_mac = [](const key&) { return false; };
  wrong.mac = *signing_key(key_file(folder_, "other", 'o'));

  ASSERT_TRUE(open(wrong)->put(make_entry(1)).ok());
  ASSERT_TRUE(open(no_key)->put(make_entry(2)).ok());
  const auto s = open(options(server_.port()));
  for (const int n : {1, 2}) {
    const result<entry> found = s->get(make_key(n), accept::any);
    ASSERT_FALSE(found.ok());
    EXPECT_THAT(found.status().message(), HasSubstr("MAC"));
  }
  EXPECT_EQ(s->stats().damaged, 2u);
  ASSERT_TRUE(s->put(make_entry(1)).ok()) << "built again, it takes the place of the other";
  EXPECT_TRUE(s->get(make_key(1), accept::same).ok());
  EXPECT_TRUE(open(no_key)->get(make_key(2), accept::same).ok()) << "where no MAC is needed, none is wanted";
}

TEST_F(remote_server, what_needs_a_mac_is_neither_sent_nor_fetched_without_a_key) {
  ASSERT_TRUE(open(options(server_.port()))->put(make_entry(1)).ok());
  remote_options o = options(server_.port());
  o.mac = {};
  const auto s = open(o);
  EXPECT_FALSE(s->get(make_key(1), accept::any).ok());
  EXPECT_TRUE(s->put(make_entry(2)).ok()) << "no failure";
  EXPECT_EQ(s->stats().stores, 0u);
  EXPECT_FALSE(open(options(server_.port()))->get(make_key(2), accept::any).ok());
}

TEST_F(remote_server, an_entry_that_the_owner_refuses_is_a_miss) {
  ASSERT_TRUE(open(options(server_.port()))->put(make_entry(1)).ok());
  remote_options o = options(server_.port());
  o.check = [](const entry&) { return status(code::corrupt, "not for this machine"); };
  const auto s = open(o);
  EXPECT_THAT(s->get(make_key(1), accept::same).status().message(), HasSubstr("not for this machine"));
  EXPECT_EQ(s->stats().damaged, 1u);
}

TEST_F(remote_server, sizes_have_an_end_both_ways) {
  ASSERT_TRUE(open(options(server_.port()))->put(make_entry(1, 300'000)).ok());
  remote_options o = options(server_.port());
  o.max_bytes = 100'000;
  const auto s = open(o);
  EXPECT_FALSE(s->get(make_key(1), accept::same).ok());
  EXPECT_EQ(s->stats().read_failures, 1u);
  EXPECT_FALSE(s->put(make_entry(2, 300'000)).ok());
  std::this_thread::sleep_for(150ms);
  ASSERT_TRUE(s->put(make_entry(3)).ok()) << "what follows goes on";
  EXPECT_TRUE(s->get(make_key(3), accept::same).ok());
}

TEST_F(remote_server, a_full_server_refuses_and_nobody_minds) {
  redis_server full({"--maxmemory", "1", "--maxmemory-policy", "noeviction"});
  ASSERT_TRUE(full.ready());
  const auto s = open(options(full.port()));
  const status refused = s->put(make_entry(1));
  EXPECT_FALSE(refused.ok());
  EXPECT_THAT(refused.vendor_text(), HasSubstr("OOM"));
  EXPECT_EQ(s->stats().store_failures, 1u);
  EXPECT_FALSE(s->get(make_key(1), accept::same).ok());
  EXPECT_EQ(s->stats().read_failures, 0u) << "it is there, only full";
}

TEST_F(remote_server, another_kind_of_value_under_our_name_is_a_failure_not_a_crash) {
  remote_options o = options(server_.port());
  o.url.prefix = "x";
  const auto s = open(o);
  ASSERT_TRUE(s->put(make_entry(1)).ok());
  const std::string command =
      "DEL x" + make_key(1).what_digest() + "\r\nSET x" + make_key(1).what_digest() + " 1\r\nQUIT\r\n";
  const auto sent = rowsmith::run(
      {"bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/" + std::to_string(server_.port()) + "; cat >&3; cat <&3"}, command);
  ASSERT_TRUE(sent.ok());
  EXPECT_FALSE(s->get(make_key(1), accept::any).ok());
  EXPECT_FALSE(s->put(make_entry(1)).ok());
}

TEST_F(remote_server, killed_in_the_middle_it_is_left_alone_and_found_again) {
  const auto s = open(options(server_.port()));
  ASSERT_TRUE(s->put(make_entry(1)).ok());
  server_.kill();
  EXPECT_FALSE(s->get(make_key(1), accept::same).ok());
  EXPECT_FALSE(s->put(make_entry(2)).ok());
  const double left_alone = ms_of([&] {
    for (int i = 0; i < 1000; ++i) EXPECT_FALSE(s->get(make_key(1), accept::same).ok());
  });
  EXPECT_LT(left_alone, 500) << "a thousand misses while the breaker is open";
  EXPECT_LE(s->stats().read_failures, 6u);
  server_.start();
  ASSERT_TRUE(server_.ready());
  bool back = false;
  for (int i = 0; i < 100 && !back; ++i, std::this_thread::sleep_for(20ms)) back = s->put(make_entry(1)).ok();
  EXPECT_TRUE(back);
  EXPECT_TRUE(s->get(make_key(1), accept::same).ok());
}

TEST_F(remote_server, killed_while_threads_ask_no_answer_is_wrong) {
  const auto s = open(options(server_.port()));
  for (int n = 0; n < 20; ++n) ASSERT_TRUE(s->put(make_entry(n, 20'000)).ok());
  std::atomic<int> wrong{0}, hits{0};
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = t; !stop; ++i) {
        const result<entry> e = s->get(make_key(i % 20), accept::same);
        if (!e) continue;
        ++hits;
        if (e->payload != test::payload_of(i % 20, 20'000)) ++wrong;
      }
    });
  }
  for (int i = 0; i < 3; ++i) {
    std::this_thread::sleep_for(100ms);
    server_.kill();
    server_.start();
  }
  stop = true;
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(hits, 0);
}

// --- servers that misbehave ---

TEST_F(remote, nobody_there) {
  const auto s = open(options(free_port()));
  EXPECT_LT(ms_of([&] { EXPECT_FALSE(s->get(make_key(1), accept::any).ok()); }), 1000);
  EXPECT_FALSE(s->put(make_entry(1)).ok());
  EXPECT_EQ(s->stats().read_failures, 1u) << "the second was not even tried";
  EXPECT_EQ(s->stats().store_failures, 1u);
}

TEST_F(remote, rubbish_is_a_miss) {
  const std::string entry_bytes = encode(make_entry(1));
  const std::vector<std::string> rubbish = {
      "",
      "\r\n",
      "HTTP/1.1 400 Bad Request\r\n\r\n",
      "$-2\r\n",
      "$5\r\nab",
      "$99999999999999999999\r\n",
      "$5\r\nabcde\r\n",
      "$4\r\nRSR1\r\n",
      "$40\r\nRSR1" + std::string(36, 'x') + "\r\n",
      "*1000000000\r\n",
      "*-5\r\n",
      "*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n",
      ":7\r\n",
      "+OK\r\n",
      "-ERR no\r\n",
      std::string(100'000, '\0'),
      std::string(3'000'000, 'x'),
      "$" + std::to_string(entry_bytes.size() + 4) + "\r\nRSR0" + entry_bytes + "\r\n",  // unsigned
  };
  for (const std::string& bytes : rubbish) {
    rude_server server(says(bytes));
    remote_options o = options(server.port());
    o.max_bytes = 1 << 20;
    const auto s = open(o);
    EXPECT_LT(ms_of([&] { EXPECT_FALSE(s->get(make_key(1), accept::same).ok()) << bytes.substr(0, 40); }), 1000);
    EXPECT_LT(ms_of([&] { EXPECT_FALSE(s->get(make_key(1), accept::any).ok()) << bytes.substr(0, 40); }), 1000);
  }
}

TEST_F(remote, every_byte_of_a_good_answer_flipped_is_a_miss) {
  const std::string entry_bytes = encode(make_entry(1, 30));
  const std::string good = seal(entry_bytes, *options(1).mac(mac_input(entry_bytes)));
  for (std::size_t at = 0; at < good.size(); at += 7) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x20);
    rude_server server(says("$" + std::to_string(bad.size()) + "\r\n" + bad + "\r\n"));
    ASSERT_FALSE(open(options(server.port()))->get(make_key(1), accept::same).ok()) << at;
  }
  rude_server server(says("$" + std::to_string(good.size()) + "\r\n" + good + "\r\n"));
  EXPECT_TRUE(open(options(server.port()))->get(make_key(1), accept::same).ok());
  EXPECT_FALSE(open(options(server.port()))->get(make_key(2), accept::same).ok()) << "an entry under another's name";
}

TEST_F(remote, silence_and_dripping_end_with_the_time_limit) {
  std::atomic<bool> stop{false};
  const auto silent = [&](int) {
    while (!stop) std::this_thread::sleep_for(5ms);
  };
  const auto dripping = [&](int socket) {
    (void)::send(socket, "$1000\r\n", 7, MSG_NOSIGNAL);
    while (!stop && ::send(socket, "x", 1, MSG_NOSIGNAL) == 1) std::this_thread::sleep_for(50ms);
  };
  for (const std::function<void(int)>& talk : {std::function<void(int)>(silent), std::function<void(int)>(dripping)}) {
    stop = false;
    rude_server server(talk);
    const auto s = open(options(server.port()));
    EXPECT_LT(ms_of([&] { EXPECT_FALSE(s->get(make_key(1), accept::same).ok()); }), 1000);
    EXPECT_EQ(s->stats().read_failures, 1u);
    EXPECT_LT(ms_of([&] { EXPECT_FALSE(s->get(make_key(1), accept::same).ok()); }), 20) << "left alone";
    stop = true;
  }
}

TEST_F(remote, pauses_grow) {
  rude_server server([](int) {});  // hangs up
  remote_options o = options(server.port());
  o.first_pause = 20ms;
  o.longest_pause = 10s;
  const auto s = open(o);
  const auto start = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - start < 700ms) {
    (void)s->get(make_key(1), accept::same);
    std::this_thread::sleep_for(1ms);
  }
  EXPECT_LE(server.connections(), 7) << "0, 20, 60, 140, 300, 620 ms";
  EXPECT_GE(server.connections(), 3);
}

TEST_F(remote, a_server_that_hangs_up_ends_no_process) {
  ::signal(SIGPIPE, SIG_DFL);
  rude_server server([](int socket) { ::shutdown(socket, SHUT_RDWR); });
  remote_options o = options(server.port());
  o.first_pause = 0ms;
  const auto s = open(o);
  for (int i = 0; i < 20; ++i) EXPECT_FALSE(s->put(make_entry(i, 1'000'000)).ok());
}

// --- the key, and whole processes ---

TEST_F(remote, a_key_that_others_can_read_is_refused) {
  EXPECT_TRUE(signing_key(key_file(folder_, "good", 'k')).ok());
  EXPECT_THAT(signing_key(key_file(folder_, "open", 'k', 0644)).status().message(), HasSubstr("chmod 600"));
  EXPECT_EQ(signing_key((folder_.path() / "none").string()).status().error(), code::not_found);
  EXPECT_FALSE(signing_key(folder_.path().string()).ok());
  std::ofstream(folder_.path() / "short") << "short";
  ::chmod((folder_.path() / "short").c_str(), 0600);
  EXPECT_FALSE(signing_key((folder_.path() / "short").string()).ok());
}

TEST_F(remote, the_mac_is_hmac_sha256) {
  std::ofstream(folder_.path() / "rfc") << std::string(20, '\x0b');  // RFC 4231, test case 1
  ::chmod((folder_.path() / "rfc").c_str(), 0600);
  const std::string mac = *(*signing_key((folder_.path() / "rfc").string()))("Hi There");
  EXPECT_EQ(static_cast<unsigned char>(mac[0]), 0xb0u);
  EXPECT_EQ(static_cast<unsigned char>(mac[1]), 0x34u);
  EXPECT_EQ(static_cast<unsigned char>(mac[31]), 0xf7u);
}

TEST_F(remote_server, processes_share_host_kernels_with_a_key_and_null_kernels_without) {
  const std::string key = "ROWSMITH_REMOTE_KEY_FILE=" + key_file(folder_, "shared", 's');
  const std::string rw = "ROWSMITH_REMOTE=" + server_.url("?mode=rw&prefix=t:"),
                    ro = "ROWSMITH_REMOTE=" + server_.url("?prefix=t:");
  int home = 0;
  const auto call = [&](const char* device, std::vector<std::string> environment) {
    environment.push_back("ROWSMITH_CACHE_DIR=" + (folder_.path() / std::to_string(home++)).string());
    return rowsmith::test::run_child({device, "512"}, environment);
  };
  EXPECT_EQ(call("host", {rw, key})["compiled"], "1");
  EXPECT_EQ(call("host", {ro, key})["compiled"], "0") << "a machine that never saw it";
  EXPECT_EQ(call("host", {ro})["compiled"], "1") << "code of this CPU is not taken without a MAC";
  EXPECT_EQ(call("host", {ro, "ROWSMITH_REMOTE_KEY_FILE=" + key_file(folder_, "stranger", 'x')})["compiled"], "1");
  EXPECT_EQ(call("null", {rw})["compiled"], "1");
  EXPECT_EQ(call("null", {ro})["compiled"], "0");
  EXPECT_EQ(call("null", {"ROWSMITH_REMOTE=redis://nonsense:x/"})["compiled"], "1");
  server_.kill();
  const auto alone = call("host", {rw, key});
  EXPECT_EQ(alone.exit_status, 0) << alone.output;
  EXPECT_EQ(alone["compiled"], "1");
}

TEST(remote_url, is_read_strictly) {
  const auto u = parse_remote_url("redis://cache.example:6380/2?mode=rw&prefix=a:b/");
  ASSERT_TRUE(u.ok());
  EXPECT_EQ(u->host, "cache.example");
  EXPECT_EQ(u->port, 6380);
  EXPECT_EQ(u->db, 2);
  EXPECT_TRUE(u->writable);
  EXPECT_EQ(u->prefix, "a:b/");
  EXPECT_FALSE(parse_remote_url("redis://h")->writable);
  EXPECT_TRUE(parse_remote_url("rediss://h/")->tls);
  EXPECT_EQ(to_string(*parse_remote_url("redis://[::1]:7/")), "redis://[::1]:7/0");
  for (const char* bad : {"",
                          "redis:",
                          "redis://",
                          "redis:///0",
                          "http://h",
                          "redis://h:",
                          "redis://h:0",
                          "redis://h:65536",
                          "redis://h:1x",
                          "redis://h:-1",
                          "redis://u:p@h",
                          "redis://h/x",
                          "redis://h/0/1",
                          "redis://h/0?",
                          "redis://h/0?mode=w",
                          "redis://h/0?mode=ro&mode=rw",
                          "redis://h/0?what=1",
                          "redis://h/0?prefix=a b",
                          "redis://h/0?mode=rw&",
                          "redis://[::1",
                          "redis://[x]",
                          "redis://h h/",
                          "redis://[::1]x",
                          "redis://h?prefix=a%20b"}) {
    const auto r = parse_remote_url(bad);
    EXPECT_FALSE(r.ok()) << bad;
    EXPECT_THAT(r.status().message(), HasSubstr("allowed is redis[s]://")) << bad;
  }
}

}  // namespace
}  // namespace rowsmith::cache
