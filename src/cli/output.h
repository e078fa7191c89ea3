// output: what a verb found, as one JSON object or as aligned text. Results go to stdout, failures to stderr.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/exit_codes.h"
#include "rowsmith/status.h"

namespace rowsmith::cli {

using json = nlohmann::ordered_json;

// The command line has --json: stdout gets one object whatever happens.
void promise_json() noexcept;

// Prints `value` as the verb's one object.
void print_json(const json& value);

// {"error": {"code": …, "message": …}}, where JSON was promised and nothing was printed yet.
void print_error(std::string_view code, std::string_view message, std::string_view detail = {});

// Prints to stdout.
void print_text(std::string_view text);

// "name   value" lines with the values in one column.
std::string aligned(const std::vector<std::pair<std::string, std::string>>& rows);

// Columns under their headings, as wide as their widest cell.
std::string table(const std::vector<std::string>& headings, const std::vector<std::vector<std::string>>& rows);

// `text` with every line moved `by` spaces to the right.
std::string indented(std::string_view text, int by);

// "12.3 MiB".
std::string human_bytes(std::int64_t bytes);

// Tells a failure on stderr, and by print_error(), and gives the exit code that belongs to it.
int fail(const status& s);

}  // namespace rowsmith::cli
