// op_call::parts: what a call by name has been told, and the request that it makes.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/op_table.h"
#include "model/request.h"
#include "rowsmith/call.h"

namespace rowsmith {

template <class... A>
status wrong(fmt::format_string<A...> format, A&&... values) {
  return status(code::invalid_argument, fmt::format(format, std::forward<A>(values)...));
}

struct op_call::parts {
  struct given {
    role what;
    tensor_view view;
    std::string rows_from;
  };

  const op_row* op = nullptr;
  const op_alias* as = nullptr;  // the second name that it was called by
  std::string asked;             // the op's name, as the caller said it
  std::vector<given> operands;
  std::optional<std::int64_t> causal_offset;
  request r;
  bool axis_given = false;
  std::uint64_t settings_given = 0;  // bit i: field i of the op
  status failed;

  void fail(status s) {
    if (failed.ok()) failed = std::move(s);
  }

  // Null, with what is wrong kept, where the op has no such operand.
  const operand_spec* spec(std::string_view role_name);
  const given* find(std::string_view role_name) const;
  void set(std::size_t field, std::uint64_t value);

  // The first output of the op's shape: the one that its exponentials are made for.
  const given* main_output() const;

  // A setting that has an operand's name says what that operand means. The first choice means nothing, or the usual.
  status settle_meaning(const option_field& f, std::uint64_t choice) const;

  // Whether a call says so or not: exponentials as exact as the output shows, operands that say what they mean.
  status settle(request* out) const;

  // The operands in the op's order, with what is derived from others.
  result<request> assemble() const;
};

}  // namespace rowsmith
