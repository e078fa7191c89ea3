#include "cache/key.h"

#include <fmt/format.h>

#include <algorithm>

#include "cache/hash.h"

namespace rowsmith::cache {
namespace {

constexpr std::string_view first_line = "rowsmith-key 1\n";

bool plain(char c) { return c > 0x20 && c < 0x7f && c != '\\'; }

// Names also lose their spaces: the first space after a name ends it.
void escape(std::string& to, std::string_view bytes, bool keep_spaces) {
  for (const char c : bytes) {
    if (plain(c) || (c == ' ' && keep_spaces)) {
      to += c;
    } else {
      fmt::format_to(std::back_inserter(to), "\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

// False unless `text` is what escape() would write for the bytes it stands for.
bool unescape(std::string_view text, bool keep_spaces, std::string& bytes) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      if (!plain(text[i]) && !(text[i] == ' ' && keep_spaces)) return false;
      bytes += text[i];
      continue;
    }
    if (text.size() - i < 4 || text[i + 1] != 'x') return false;
    const int high = hex_value(text[i + 2]);
    const int low = hex_value(text[i + 3]);
    if (high < 0 || low < 0) return false;
    const auto c = static_cast<char>(high * 16 + low);
    if (plain(c) || (c == ' ' && keep_spaces)) return false;
    bytes += c;
    i += 3;
  }
  return true;
}

std::string render(std::string_view part, const std::vector<field>& fields) {
  std::string text;
  for (const field& f : fields) {
    text += part;
    text += ' ';
    escape(text, f.name, false);
    text += f.digested ? " # " : " = ";
    escape(text, f.value, true);
    text += '\n';
  }
  return text;
}

bool parse_field(std::string_view line, field& f) {
  const std::size_t space = line.find(' ');
  if (space == std::string_view::npos) return false;
  const std::string_view sign = line.substr(space, 3);
  if (sign != " = " && sign != " # ") return false;
  f.digested = sign == " # ";
  return unescape(line.substr(0, space), false, f.name) && unescape(line.substr(space + 3), true, f.value);
}

digest128 digest_of(const std::vector<field>& fields) {
  field_hasher h;
  h.add(static_cast<std::uint64_t>(fields.size()));
  for (const field& f : fields) h.add(f.name).add(static_cast<std::uint64_t>(f.digested)).add(f.value);
  return h.finish();
}

std::vector<const field*> named(const std::vector<field>& fields, std::string_view name) {
  std::vector<const field*> found;
  for (const field& f : fields) {
    if (f.name == name) found.push_back(&f);
  }
  return found;
}

void differing(const std::vector<field>& a, const std::vector<field>& b, std::vector<std::string>& names) {
  if (a == b) return;
  std::vector<std::string> seen;
  bool any = false;
  for (const auto* side : {&a, &b}) {
    for (const field& f : *side) {
      if (std::find(seen.begin(), seen.end(), f.name) != seen.end()) continue;
      seen.push_back(f.name);
      const auto in_a = named(a, f.name);
      const auto in_b = named(b, f.name);
      const auto equal = [](const field* x, const field* y) { return *x == *y; };
      if (std::equal(in_a.begin(), in_a.end(), in_b.begin(), in_b.end(), equal)) continue;
      any = true;
      if (std::find(names.begin(), names.end(), f.name) == names.end()) names.push_back(f.name);
    }
  }
  if (!any) names.emplace_back("(order)");
}

}  // namespace

key& key::add_what(std::string_view name, std::string_view value) {
  what_.push_back({std::string(name), std::string(value), false});
  return *this;
}

key& key::add_what_digest(std::string_view name, std::string_view bytes) {
  what_.push_back({std::string(name), fmt::format("{} {}", hex(digest(bytes)), bytes.size()), true});
  return *this;
}

key& key::add_who(std::string_view name, std::string_view value) {
  who_.push_back({std::string(name), std::string(value), false});
  return *this;
}

std::string key::what_digest() const { return hex(digest_of(what_)); }
std::string key::who_digest() const { return hex(digest_of(who_)); }
std::string key::what_text() const { return render("what", what_); }
std::string key::who_text() const { return render("who", who_); }
std::string key::text() const { return std::string(first_line) + what_text() + who_text(); }

result<key> key::parse(std::string_view text) {
  const auto refuse = [](std::string why) { return status(code::corrupt, "key text: " + std::move(why)); };
  if (text.substr(0, first_line.size()) != first_line) return refuse("the first line is not 'rowsmith-key 1'");
  text.remove_prefix(first_line.size());

  key k;
  for (int number = 2; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return refuse(fmt::format("line {} has no end", number));
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);

    field f;
    if (line.substr(0, 5) == "what " && k.who_.empty()) {
      if (!parse_field(line.substr(5), f)) return refuse(fmt::format("line {} is not a field", number));
      k.what_.push_back(std::move(f));
    } else if (line.substr(0, 4) == "who ") {
      if (!parse_field(line.substr(4), f)) return refuse(fmt::format("line {} is not a field", number));
      k.who_.push_back(std::move(f));
    } else {
      return refuse(fmt::format("line {} begins with neither 'what' nor 'who'", number));
    }
  }
  return k;
}

std::vector<std::string> differing_fields(const key& a, const key& b) {
  std::vector<std::string> names;
  differing(a.what(), b.what(), names);
  differing(a.who(), b.who(), names);
  return names;
}

}  // namespace rowsmith::cache
