#include "render/headers.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "render/embedded.h"

namespace rowsmith {

namespace {

class gatherer {
 public:
  status add(std::string_view name) {
    if (std::find(seen_.begin(), seen_.end(), name) != seen_.end()) return {};
    seen_.emplace_back(name);
    const auto all = embedded_headers();
    const auto header = std::find_if(all.begin(), all.end(), [&](const auto& h) { return h.path == name; });
    if (header == all.end()) {
      return status(code::internal, fmt::format("kernel source \"{}\" is not part of this build", name));
    }
    return add_lines(name, header->text);
  }

  std::string take() { return std::move(text_); }

 private:
  // Copies a header line by line; an #include of ours is replaced by what it names.
  status add_lines(std::string_view name, std::string_view text) {
    constexpr std::string_view include = "#include \"";
    std::string body = fmt::format("#line 1 \"{}\"\n", name);
    for (int line = 1; !text.empty(); ++line) {
      const auto end = std::min(text.find('\n'), text.size() - 1);
      const std::string_view this_line = text.substr(0, end + 1);
      text.remove_prefix(end + 1);
      if (this_line.starts_with("#pragma once")) {
        body += "\n";
      } else if (this_line.starts_with(include)) {
        const std::string_view rest = this_line.substr(include.size());
        if (status s = add(rest.substr(0, rest.find('"'))); !s.ok()) return s;
        body += "\n";
      } else {
        body += this_line;
      }
    }
    text_ += body;
    return {};
  }

  std::vector<std::string> seen_;
  std::string text_;
};

}  // namespace

result<std::string> gather_headers(std::span<const std::string> names) {
  gatherer g;
  for (const std::string& name : names) {
    if (status s = g.add(name); !s.ok()) return s;
  }
  return g.take();
}

}  // namespace rowsmith
