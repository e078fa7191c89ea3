// The ops by number and by name. Values are frozen: they are part of records and of cache keys.
#pragma once

#include <cstdint>
#include <string_view>

namespace rowsmith {

enum class op_id : std::uint16_t { none = 0, softmax = 1 };

// What an operand is to its op. Values are frozen.
enum class role : std::uint8_t { x = 1, y = 2 };

constexpr bool is_output(role r) noexcept { return r == role::y; }

std::string_view name_of(role r) noexcept;

constexpr int max_operands = 8;
constexpr int max_params = 4;

}  // namespace rowsmith
