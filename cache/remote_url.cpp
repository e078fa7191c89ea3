#include "cache/remote_url.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace rowsmith::cache {
namespace {

constexpr std::size_t longest_prefix = 128;

bool plain(char c) { return c > 0x20 && c < 0x7f && c != '&' && c != '?' && c != '#' && c != '%'; }

bool host_letter(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '-' || c == '_';
}

template <class Number>
bool read_number(std::string_view text, Number most, Number* out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *out);
  return error == std::errc() && end == text.data() + text.size() && *out <= most && text.front() != '-';
}

// The part before the first `mark`, which is dropped; all of it when there is none.
std::string_view cut(std::string_view& rest, char mark, bool* found) {
  const std::size_t at = rest.find(mark);
  *found = at != std::string_view::npos;
  const std::string_view part = rest.substr(0, at);
  rest = *found ? rest.substr(at + 1) : std::string_view();
  return part;
}

}  // namespace

result<remote_url> parse_remote_url(std::string_view text) {
  const auto refuse = [&](std::string_view why) {
    return status(code::invalid_argument,
                  fmt::format("remote cache \"{}\": {}; allowed is redis[s]://host[:port][/db][?mode=ro|rw][&prefix=…]",
                              text, why));
  };
  remote_url url;
  std::string_view rest = text;
  if (rest.substr(0, 8) == "redis://") {
    rest.remove_prefix(8);
  } else if (rest.substr(0, 9) == "rediss://") {
    rest.remove_prefix(9);
    url.tls = true;
  } else {
    return refuse("it begins with neither redis:// nor rediss://");
  }
  bool has_query = false, has_path = false, has_port = false;
  std::string_view query = rest;
  rest = cut(query, '?', &has_query);
  std::string_view path = rest;
  std::string_view host = cut(path, '/', &has_path);
  if (host.find('@') != std::string_view::npos) return refuse("user names and passwords are not taken");

  if (!host.empty() && host.front() == '[') {
    const std::size_t close = host.find(']');
    if (close == std::string_view::npos) return refuse("the bracket of the address is not closed");
    url.host = host.substr(1, close - 1);
    if (url.host.find_first_not_of("0123456789abcdefABCDEF:.") != std::string::npos || url.host.empty()) {
      return refuse("between the brackets is no IPv6 address");
    }
    host.remove_prefix(close + 1);
    if (!host.empty() && host.front() != ':') return refuse("after the bracket only a port can follow");
    has_port = !host.empty();
    if (has_port) host.remove_prefix(1);
  } else {
    std::string_view port = host;
    url.host = cut(port, ':', &has_port);
    if (url.host.empty() || !std::all_of(url.host.begin(), url.host.end(), host_letter)) {
      return refuse("there is no host name in it");
    }
    host = port;
  }
  if (has_port && (host.empty() || !read_number<std::uint16_t>(host, 65535, &url.port) || url.port == 0)) {
    return refuse("the port is no number from 1 to 65535");
  }
  if (!path.empty() && !read_number(path, 1'000'000, &url.db)) return refuse("the database is no number");

  bool seen_mode = false, seen_prefix = false, more = has_query;
  while (more) {
    const std::string_view item = cut(query, '&', &more);
    if (item.substr(0, 5) == "mode=" && !seen_mode) {
      seen_mode = true;
      if (item != "mode=ro" && item != "mode=rw") return refuse("mode is ro or rw");
      url.writable = item == "mode=rw";
    } else if (item.substr(0, 7) == "prefix=" && !seen_prefix) {
      seen_prefix = true;
      url.prefix = item.substr(7);
      if (url.prefix.size() > longest_prefix || !std::all_of(url.prefix.begin(), url.prefix.end(), plain)) {
        return refuse("the prefix has at most 128 printable characters and no space, &, ?, # or %");
      }
    } else {
      return refuse(fmt::format("\"{}\" is not known there, or said twice", item));
    }
  }
  return url;
}

std::string to_string(const remote_url& url) {
  const bool v6 = url.host.find(':') != std::string::npos;
  return fmt::format("redis{}://{}{}{}:{}/{}", url.tls ? "s" : "", v6 ? "[" : "", url.host, v6 ? "]" : "", url.port,
                     url.db);
}

}  // namespace rowsmith::cache
