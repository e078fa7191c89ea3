#include "cache/remote_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>
#include <vector>

#include "base/log.h"
#include "cache/remote_tls.h"

#ifdef ROWSMITH_HIREDIS
#include <fcntl.h>
#include <hiredis/hiredis.h>
#include <signal.h>
#include <sys/time.h>
#endif

namespace rowsmith::cache {
namespace {

constexpr std::size_t mac_bytes = 32;
constexpr std::string_view unsigned_mark = "RSR0", signed_mark = "RSR1";

// Says nothing about where two codes differ by the time it takes.
[[maybe_unused]] bool same_code(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned char differ = 0;
  for (std::size_t i = 0; i < a.size(); ++i) differ |= static_cast<unsigned char>(a[i] ^ b[i]);
  return differ == 0;
}

}  // namespace

std::string seal(std::string_view entry_bytes, std::string_view mac) {
  std::string value(mac.empty() ? unsigned_mark : signed_mark);
  value += mac;
  value += entry_bytes;
  return value;
}

result<sealed> unseal(std::string_view value) {
  const std::string_view mark = value.substr(0, 4);
  if (mark == unsigned_mark) return sealed{value.substr(4), {}};
  if (mark == signed_mark && value.size() >= 4 + mac_bytes) {
    return sealed{value.substr(4 + mac_bytes), value.substr(4, mac_bytes)};
  }
  return status(code::corrupt, "remote: the value is not one of ours");
}

std::string mac_input(std::string_view entry_bytes) { return std::string("rowsmith remote entry 1\n") += entry_bytes; }

#ifdef ROWSMITH_HIREDIS

namespace {

using clock = std::chrono::steady_clock;

timeval to_timeval(std::chrono::milliseconds t) {
  return {static_cast<time_t>(t.count() / 1000), static_cast<suseconds_t>(t.count() % 1000 * 1000)};
}

// hiredis writes without MSG_NOSIGNAL: a server that went away must not end the program.
class no_sigpipe {
 public:
  no_sigpipe() {
    sigset_t pending;
    ::sigpending(&pending);
    was_pending_ = ::sigismember(&pending, SIGPIPE) == 1;
    ::sigemptyset(&pipe_);
    ::sigaddset(&pipe_, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~no_sigpipe() {
    const timespec at_once = {};
    if (!was_pending_) (void)::sigtimedwait(&pipe_, nullptr, &at_once);
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  no_sigpipe(const no_sigpipe&) = delete;
  no_sigpipe& operator=(const no_sigpipe&) = delete;

 private:
  sigset_t pipe_, before_;
  bool was_pending_ = false;
};

struct free_context {
  void operator()(redisContext* c) const { ::redisFree(c); }
};
struct free_reply {
  void operator()(redisReply* r) const { ::freeReplyObject(r); }
};
using reply = std::unique_ptr<redisReply, free_reply>;

class connection {
 public:
  explicit connection(const remote_options& o) : o_(o) {}

  bool open() const noexcept { return context_ != nullptr; }
  void close() noexcept {
    tls_.reset();  // before the socket it stands on
    context_.reset();
  }

  status connect() {
    close();
    context_.reset(::redisConnectWithTimeout(o_.url.host.c_str(), o_.url.port, to_timeval(o_.connect_timeout)));
    if (context_ == nullptr) return status(code::out_of_memory, "remote: no memory for a connection");
    if (context_->err != 0) return failed("cannot be reached");
    (void)::fcntl(context_->fd, F_SETFD, FD_CLOEXEC);  // not for the compilers that are started meanwhile
    if (::redisSetTimeout(context_.get(), to_timeval(o_.command_timeout)) != REDIS_OK)
      return failed("takes no timeout");
    if (status s = start_tls(); !s) return s;
    if (o_.url.db == 0) return {};
    const result<reply> r = ask({"SELECT", std::to_string(o_.url.db)});
    if (!r) return r.status();
    if ((*r)->type == REDIS_REPLY_ERROR) return refused("SELECT", **r);
    return {};
  }

  // One command and its reply, of at most max_bytes and within the time of a command. A failure closes.
  result<reply> ask(const std::vector<std::string>& words) {
    std::vector<const char*> texts;
    std::vector<std::size_t> lengths;
    for (const std::string& w : words) {
      texts.push_back(w.data());
      lengths.push_back(w.size());
    }
    const clock::time_point until = clock::now() + o_.command_timeout;
    redisContext* c = context_.get();
    if (status s = tls_ ? send_sealed(texts, lengths, until) : send(texts, lengths, until); !s) return s;
    while (true) {
      // No command of ours is answered by a list; hiredis would set aside memory for as many items as one announces.
      const redisReader& in = *c->reader;
      if (in.pos < in.len && in.ridx == -1 && std::string_view("$:+-").find(in.buf[in.pos]) == std::string_view::npos) {
        return failed("does not speak the protocol");
      }
      void* got = nullptr;
      if (::redisReaderGetReply(c->reader, &got) != REDIS_OK) return failed("does not speak the protocol");
      if (got != nullptr) return reply(static_cast<redisReply*>(got));
      if (c->reader->len > o_.max_bytes + 4096) return failed("answers with more than is taken");
      if (clock::now() > until) return failed("is too slow");
      if (status s = tls_ ? receive_sealed(until) : receive(); !s) return s;
    }
  }

  static status refused(std::string_view what, const redisReply& r) {
    return status(code::io_error, fmt::format("remote: {} was refused", what), 0, std::string(r.str, r.len));
  }

 private:
  status send(std::vector<const char*>& texts, const std::vector<std::size_t>& lengths, clock::time_point until) {
    redisContext* c = context_.get();
    if (::redisAppendCommandArgv(c, static_cast<int>(texts.size()), texts.data(), lengths.data()) != REDIS_OK) {
      return failed("takes no command");
    }
    for (int done = 0; done == 0;) {
      if (::redisBufferWrite(c, &done) != REDIS_OK) return failed("takes no command");
      if (clock::now() > until) return failed("is too slow");
    }
    return {};
  }
  status receive() { return ::redisBufferRead(context_.get()) == REDIS_OK ? status() : failed("does not answer"); }

  // hiredis makes the command and reads the reply; what passes between goes through TLS.
  status send_sealed(std::vector<const char*>& texts, const std::vector<std::size_t>& lengths,
                     clock::time_point until) {
    char* command = nullptr;
    const auto bytes = ::redisFormatCommandArgv(&command, static_cast<int>(texts.size()), texts.data(), lengths.data());
    if (bytes < 0) return failed("takes no command");
    status sent = tls_->write({command, static_cast<std::size_t>(bytes)}, until);
    ::redisFreeCommand(command);
    return sent.ok() ? sent : failed(sent);
  }
  status receive_sealed(clock::time_point until) {
    char buffer[16 * 1024];
    const result<std::size_t> n = tls_->read(buffer, sizeof buffer, until);
    if (!n) return failed(n.status());
    return ::redisReaderFeed(context_->reader, buffer, *n) == REDIS_OK ? status()
                                                                       : failed("does not speak the protocol");
  }

  status start_tls() {
    if (!o_.url.tls) return {};
    result<std::unique_ptr<tls_stream>> t =
        tls_stream::open(context_->fd, o_.url.host, clock::now() + o_.command_timeout);
    if (!t) return failed(t.status());
    tls_ = std::move(*t);
    return {};
  }

  status failed(std::string_view what) {
    const int number = context_->err;
    std::string text = number != 0 ? context_->errstr : context_->reader->errstr;
    close();
    return status(code::io_error, fmt::format("{}: {}", to_string(o_.url), what), number, std::move(text));
  }
  status failed(const status& why) {
    close();
    return status(code::io_error, fmt::format("{}: {}", to_string(o_.url), why.message()), why.vendor_code(),
                  why.vendor_text());
  }

  const remote_options& o_;
  std::unique_ptr<redisContext, free_context> context_;
  std::unique_ptr<tls_stream> tls_;
};

// The field of a hash that names the builder who stored last.
const std::string latest = "latest";

// One hash of the server per *what*; its fields are builders, its values sealed entries.
class redis_store final : public store {
 public:
  explicit redis_store(remote_options o) : o_(std::move(o)), server_(o_) {}

  bool writable() const override { return o_.url.writable; }
  bool remote() const override { return true; }
  std::string name() const override { return "remote " + to_string(o_.url); }
  std::vector<entry_info> list() override { return {}; }  // it is not ours to be walked through
  counters stats() const override {
    const std::lock_guard lock(mutex_);
    return counters_;
  }

  result<entry> get(const key& k, accept a) override {
    const std::lock_guard lock(mutex_);
    if (needs_mac(k) && !o_.mac)
      return miss("not asked: such entries need a MAC, and there is no key to check it with");
    const no_sigpipe quiet;
    if (status s = ready(); !s) return miss(s.message());

    std::vector<std::string> builders = {builder_of(k)};
    if (a == accept::any) {
      const result<reply> r = server_.ask({"HGET", name_of(k), latest});
      if (!r) return failed_read(r.status());
      const std::string_view b = (*r)->type == REDIS_REPLY_STRING ? std::string_view((*r)->str, (*r)->len) : "";
      if (b.size() == 16 && b != builders.front()) builders.emplace_back(b);
    }
    std::string why = "no such entry";
    for (const std::string& b : builders) {
      const result<reply> r = server_.ask({"HGET", name_of(k), b});
      if (!r) return failed_read(r.status());
      if ((*r)->type == REDIS_REPLY_NIL) continue;
      if ((*r)->type != REDIS_REPLY_STRING) return failed_read(connection::refused("HGET", **r));
      result<entry> e = open(std::string_view((*r)->str, (*r)->len), k, a);
      if (e) {
        ++counters_.hits;
        recovered();
        return e;
      }
      if (e.status().error() == code::not_found) continue;
      ++counters_.damaged;
      why = e.status().message();
      report_once("an entry was refused", e.status());
    }
    recovered();
    return miss(why);
  }

  status put(const entry& e) override {
    if (!writable()) return status(code::unsupported, name() + ": is read-only");
    const std::lock_guard lock(mutex_);
    if (needs_mac(e.key) && !o_.mac) return {};  // a matter of policy, not a failure
    const std::string bytes = encode(e);
    if (bytes.size() + mac_bytes + 4 > o_.max_bytes) {
      return failed_write(status(code::unsupported, fmt::format("{}: an entry of {} bytes, at most {} are sent", name(),
                                                                bytes.size(), o_.max_bytes)));
    }
    std::string mac;
    if (o_.mac) {
      result<std::string> made = o_.mac(mac_input(bytes));
      if (!made) return failed_write(made.status());
      mac = std::move(*made);
    }
    const no_sigpipe quiet;
    if (status s = ready(); !s) {
      ++counters_.store_failures;
      return s;
    }
    const result<reply> r =
        server_.ask({"HSET", name_of(e.key), builder_of(e.key), seal(bytes, mac), latest, builder_of(e.key)});
    if (!r) return failed_write(trip(r.status()));
    if ((*r)->type != REDIS_REPLY_INTEGER) return failed_write(connection::refused("HSET", **r));
    ++counters_.stores;
    recovered();
    return {};
  }

 private:
  std::string name_of(const key& k) const { return o_.url.prefix + k.what_digest(); }
  static std::string builder_of(const key& k) { return k.who_digest().substr(0, 16); }
  bool needs_mac(const key& k) const { return !o_.needs_mac || o_.needs_mac(k); }

  result<entry> open(std::string_view value, const key& wanted, accept a) {
    const auto refuse = [](std::string why) { return status(code::corrupt, "remote: " + std::move(why)); };
    if (value.size() > o_.max_bytes) return refuse(fmt::format("a value of {} bytes", value.size()));
    const result<sealed> s = unseal(value);
    if (!s) return s.status();
    if (o_.mac) {
      if (s->mac.empty()) return refuse("the entry has no MAC");
      const result<std::string> right = o_.mac(mac_input(s->entry_bytes));
      if (!right) return right.status();
      if (!same_code(*right, s->mac)) return refuse("the MAC is not the one of this key");
    }
    result<entry> e = decode(s->entry_bytes);
    if (!e) return e;
    if (!e->key.same_what(wanted)) return status(code::not_found, "another kernel has the same digest");
    if (a == accept::same && !e->key.same_who(wanted)) return status(code::not_found, "another compiler's");
    e->layer = name();
    if (o_.check) {
      if (status bad = o_.check(*e); !bad) return status(code::corrupt, bad.message());
    }
    return e;
  }

  // Connected, or why not: the server is being left alone, or has just failed.
  status ready() {
    if (clock::now() < closed_until_) {
      return status(code::io_error,
                    fmt::format("left alone for {} ms after a failure",
                                std::chrono::ceil<std::chrono::milliseconds>(closed_until_ - clock::now()).count()));
    }
    if (server_.open()) return {};
    status s = server_.connect();
    if (s) return s;
    ++counters_.read_failures;
    return trip(std::move(s));
  }

  status trip(status why) {
    server_.close();
    pause_ = failing_ ? std::min(pause_ * 2, o_.longest_pause) : o_.first_pause;
    closed_until_ = clock::now() + pause_;
    if (!failing_) {
      log(log_level::warn,
          fmt::format("{}; kernels come from elsewhere, and it is tried again from time to time", why.to_string()));
    }
    failing_ = true;
    return why;
  }

  void recovered() {
    if (failing_) log(log_level::info, fmt::format("{}: answers again", name()));
    failing_ = false;
  }

  result<entry> miss(const std::string& why) {
    ++counters_.misses;
    return status(code::not_found, fmt::format("{}: {}", name(), why));
  }

  result<entry> failed_read(status why) {
    ++counters_.read_failures;
    if (!server_.open()) {
      why = trip(std::move(why));
    } else {
      report_once("reading", why);
    }
    return miss(why.message());
  }

  status failed_write(const status& why) {
    ++counters_.store_failures;
    if (server_.open()) report_once("writing", why);
    return why;
  }

  void report_once(const std::string& what, const status& why) {
    if (!reported_.insert(what + why.message()).second || reported_.size() > 100) return;
    log(log_level::warn, fmt::format("{}: {}: {} (said once)", name(), what, why.to_string()));
  }

  const remote_options o_;
  mutable std::mutex mutex_;  // what follows
  connection server_;
  counters counters_;
  std::set<std::string> reported_;
  bool failing_ = false;
  std::chrono::milliseconds pause_{};
  clock::time_point closed_until_{};
};

}  // namespace

result<std::unique_ptr<store>> make_remote_store(remote_options options) {
  if (options.url.tls) {
    if (status s = tls_stream::available(); !s)
      return status(code::unsupported, to_string(options.url) + ": " + s.message());
  }
  return std::unique_ptr<store>(std::make_unique<redis_store>(std::move(options)));
}

#else

result<std::unique_ptr<store>> make_remote_store(remote_options options) {
  return status(code::unsupported, to_string(options.url) + ": this build has no remote tier (hiredis was not found)");
}

#endif

}  // namespace rowsmith::cache
