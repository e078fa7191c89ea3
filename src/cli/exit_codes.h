// exit_codes: what the command says to the shell. Stable; the table is printed by --help.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "rowsmith/status.h"

namespace rowsmith::cli {

enum exit_code : int {
  exit_ok = 0,
  exit_usage = 2,
  exit_invalid_argument = 3,
  exit_not_found = 4,
  exit_compile_failed = 5,
  exit_device_error = 6,
  exit_verify_failed = 7,
  exit_would_compile = 8,
  exit_io_error = 9,
  exit_unsupported = 10,
  exit_out_of_memory = 11,
  exit_internal = 12,
  exit_partial = 13,
};

struct exit_row {
  exit_code exit;
  code cause;  // code::ok where no status leads here
  std::string_view meaning;
};

constexpr std::array exit_table = {
    exit_row{exit_ok, code::ok, "done"},
    exit_row{exit_usage, code::ok, "the command line is not understood"},
    exit_row{exit_invalid_argument, code::invalid_argument, "an argument has a value that is not allowed"},
    exit_row{exit_not_found, code::not_found, "no such device, library or file"},
    exit_row{exit_compile_failed, code::compile_failed, "a compiler refused a kernel"},
    exit_row{exit_device_error, code::device_error, "the vendor's runtime refused"},
    exit_row{exit_verify_failed, code::corrupt, "a check failed: a damaged cache entry, a result out of tolerance"},
    exit_row{exit_would_compile, code::would_compile, "a compile was needed and is forbidden; coverage is not whole"},
    exit_row{exit_io_error, code::io_error, "a file could not be read or written"},
    exit_row{exit_unsupported, code::unsupported, "legal, but this build or device cannot do it"},
    exit_row{exit_out_of_memory, code::out_of_memory, "out of memory"},
    exit_row{exit_internal, code::internal, "a fault of Rowsmith itself"},
    exit_row{exit_partial, code::ok, "done in part: the report tells what was left out and why"},
};

constexpr exit_code exit_of(code c) noexcept {
  if (c == code::ok) return exit_ok;
  for (const exit_row& row : exit_table) {
    if (row.cause == c) return row.exit;
  }
  return exit_internal;
}

// The table as --help shows it.
inline std::string exit_help() {
  std::string text = "Exit codes:\n";
  for (const exit_row& row : exit_table) {
    const std::string number = std::to_string(static_cast<int>(row.exit));
    text += std::string(4 - number.size(), ' ') + number + "  " + std::string(row.meaning) + "\n";
  }
  return text;
}

}  // namespace rowsmith::cli
