#include "parser.h"

#include <charconv>
#include <cstdlib>
#include <vector>

#include "executor.h"
#include "opcode.h"

namespace rowsmith::gcn {
namespace {

bool begins(std::string_view text, std::string_view with) { return text.substr(0, with.size()) == with; }

bool drop_suffix(std::string_view& text, std::string_view suffix) {
  if (text.size() <= suffix.size() || text.substr(text.size() - suffix.size()) != suffix) return false;
  text.remove_suffix(suffix.size());
  return true;
}

bool drop_prefix(std::string_view& text, std::string_view prefix) {
  if (!begins(text, prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

long long number_in(std::string_view text) { return std::strtoll(std::string(text).c_str(), nullptr, 0); }

void unknown_opcode(executor& e, const instruction& i) {
  e.fail(i, code::unsupported, "the interpreter has no such opcode");
}
void unknown_operand(executor& e, const instruction& i) {
  e.fail(i, code::unsupported, "the interpreter does not understand an operand or modifier");
}

struct tokens {
  std::string_view mnemonic;
  std::vector<std::string_view> operands;   // what commas separate
  std::vector<std::string_view> modifiers;  // what only spaces separate
};

tokens split(std::string_view text) {
  tokens made;
  bool after_comma = true;
  std::size_t at = 0;
  const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\n'; };
  while (at < text.size()) {
    while (at < text.size() && is_space(text[at])) ++at;
    const std::size_t begin = at;
    int depth = 0;
    for (; at < text.size(); ++at) {
      const char c = text[at];
      if (c == '[' || c == '(') ++depth;
      if (c == ']' || c == ')') --depth;
      if (depth == 0 && (c == ',' || is_space(c))) break;
    }
    const std::string_view token = text.substr(begin, at - begin);
    if (token.empty() && at >= text.size()) break;
    if (made.mnemonic.empty()) {
      made.mnemonic = token;
    } else {
      (after_comma ? made.operands : made.modifiers).push_back(token);
      after_comma = false;
    }
    while (at < text.size() && is_space(text[at])) ++at;
    if (at < text.size() && text[at] == ',') {
      after_comma = true;
      ++at;
    }
  }
  return made;
}

struct named_register {
  std::string_view name;
  u16 index;
  u16 registers;
};
constexpr named_register k_named[] = {
    {"vcc", k_vcc, 2},
    {"vcc_lo", k_vcc, 1},
    {"vcc_hi", k_vcc + 1, 1},
    {"exec", k_exec, 2},
    {"exec_lo", k_exec, 1},
    {"exec_hi", k_exec + 1, 1},
    {"m0", k_m0, 1},
    {"flat_scratch", k_flat_scratch, 2},
    {"flat_scratch_lo", k_flat_scratch, 1},
    {"flat_scratch_hi", k_flat_scratch + 1, 1},
    {"xnack_mask", 104, 2},
    {"xnack_mask_lo", 104, 1},
    {"xnack_mask_hi", 105, 1},
};

// "v3", "s[4:7]", "a0", "vcc".
bool parse_register(std::string_view text, operand& o) {
  for (const named_register& n : k_named) {
    if (text != n.name) continue;
    o.kind = operand_kind::scalar;
    o.index = n.index;
    o.registers = n.registers;
    return true;
  }
  if (text.size() < 2 || (text[0] != 'v' && text[0] != 's' && text[0] != 'a')) return false;
  const operand_kind kind = text[0] == 's' ? operand_kind::scalar : operand_kind::vector;
  const bool range = text[1] == '[';
  const char* at = text.data() + (range ? 2 : 1);
  const char* end = text.data() + text.size();
  unsigned first = 0, last = 0;
  const auto one = std::from_chars(at, end, first);
  if (one.ec != std::errc()) return false;
  last = first;
  if (range && *one.ptr == ':') {
    if (std::from_chars(one.ptr + 1, end, last).ec != std::errc()) return false;
  } else if (!range && one.ptr != end) {
    return false;
  }
  if (last < first || last >= (kind == operand_kind::vector ? k_first_accumulator : k_flat_scratch)) return false;
  o.kind = kind;
  o.index = static_cast<u16>(first + (text[0] == 'a' ? k_first_accumulator : 0));
  o.registers = static_cast<u16>(last - first + 1);
  return true;
}

// Numbers that stand in the instruction. A point makes it a float of the opcode's size; a hexadecimal literal of an
// opcode of doubles is the upper half of one.
bool parse_constant(std::string_view text, literal number, operand& o) {
  o.kind = operand_kind::constant;
  const std::string copy(text);
  char* end = nullptr;
  if (text.find('.') != std::string_view::npos) {
    const double value = std::strtod(copy.c_str(), &end);
    if (number == literal::f16) o.value = float_to_half(static_cast<float>(value));
    if (number == literal::f32) o.value = as_u32(static_cast<float>(value));
    if (number == literal::f64 || number == literal::b64) o.value = as_u64(value);
    return end != copy.c_str();
  }
  o.value = static_cast<u64>(std::strtoll(copy.c_str(), &end, 0));
  if (number == literal::f64 && begins(text, "0x")) o.value <<= 32;
  return end != copy.c_str() && *end == '\0';
}

bool parse_operand(std::string_view text, literal number, operand& o) {
  if (text == "off") {
    o.kind = operand_kind::off;
    return true;
  }
  std::string_view inner = text;
  if (drop_prefix(inner, "sext(") && drop_suffix(inner, ")")) {
    o.sign_extend = true;
    return parse_register(inner, o);
  }
  inner = text;
  if (drop_prefix(inner, "neg(") && drop_suffix(inner, ")")) {  // of a constant: "-1" would be one of its own
    o.negate = true;
    return parse_constant(inner, number, o);
  }
  inner = text;
  o.negate = drop_prefix(inner, "-");
  o.absolute = drop_prefix(inner, "|") && drop_suffix(inner, "|");
  if (parse_register(inner, o)) return true;
  if (!o.absolute) {
    o.negate = false;
    inner = text;
  }
  return parse_constant(inner, number, o);
}

part part_of(std::string_view name) {
  constexpr std::string_view names[] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD"};
  for (int n = 0; n < 7; ++n) {
    if (name == names[n]) return static_cast<part>(n);
  }
  return part::dword;
}

// "[0,1,1]" to bits, the first lowest.
u8 bits_of(std::string_view list) {
  u8 bits = 0;
  int n = 0;
  for (const char c : list) {
    if (c == '1') bits |= static_cast<u8>(1 << n);
    if (c == '0' || c == '1') ++n;
  }
  return bits;
}

int quad_bits(std::string_view list) {
  int bits = 0, n = 0;
  for (const char c : list) {
    if (c >= '0' && c <= '3') bits |= (c - '0') << 2 * n++;
  }
  return bits;
}

class modifier_parser {
 public:
  explicit modifier_parser(instruction& into) : i_(into) {}

  bool parse(std::string_view text) {
    const std::size_t colon = text.find(':');
    const std::string_view name = text.substr(0, colon);
    const std::string_view value = colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
    return hint(name) || memory(name, value) || dpp(name, value) || sdwa(name, value) || arithmetic(name, value);
  }

  void finish(bool mixed) {
    if (mixed && !halves_given_) i_.high_half_above = 0;
    if (moves_ == nullptr) return;
    moves_->enabled = 0;
    for (int l = 0; l < k_lanes; ++l) {
      const bool on = (row_mask_ >> (l / 16) & 1) && (bank_mask_ >> (l % 16 / 4) & 1);
      moves_->enabled |= u64{on} << l;
    }
    moves_->zero_fill = zero_fill_;
    i_.moves = moves_;
    if (i_.kind == op_class::valu) i_.kind = op_class::dpp;
  }

 private:
  // Of caches, without effect here; glc of an atomic is seen to before. And offen: its operand says it.
  static bool hint(std::string_view name) {
    for (const std::string_view known : {"glc", "slc", "scc", "nt", "sc0", "sc1", "dlc", "offen"}) {
      if (name == known) return true;
    }
    return false;
  }
  bool memory(std::string_view name, std::string_view value) {
    if (name == "offset1") {
      i_.offset_second = static_cast<i32>(number_in(value));
      return true;
    }
    if (name != "offset" && name != "offset0") return false;
    if (!begins(value, "swizzle")) i_.offset = static_cast<i32>(number_in(value));
    return true;
  }
  bool dpp(std::string_view name, std::string_view value) {
    if (name == "row_mask") return row_mask_ = static_cast<int>(number_in(value)), true;
    if (name == "bank_mask") return bank_mask_ = static_cast<int>(number_in(value)), true;
    if (name == "bound_ctrl") return zero_fill_ = true;
    const int number = name == "quad_perm" ? quad_bits(value) : static_cast<int>(number_in(value));
    auto moves = moves_of(name, number);
    if (moves == nullptr) return false;
    moves_ = std::move(moves);
    return true;
  }
  bool sdwa(std::string_view name, std::string_view value) {
    if (name == "dst_sel") return i_.result_part = part_of(value), true;
    if (name == "src0_sel") return i_.source[0].select = part_of(value), true;
    if (name == "src1_sel") return i_.source[1].select = part_of(value), true;
    if (name != "dst_unused") return false;
    i_.rest = value == "UNUSED_SEXT"       ? unused_part::sign_extend
              : value == "UNUSED_PRESERVE" ? unused_part::preserve
                                           : unused_part::zero;
    return true;
  }
  bool arithmetic(std::string_view name, std::string_view value) {
    if (name == "clamp") return i_.clamp = true;
    if (name == "mul") return i_.scale = static_cast<float>(number_in(value)), true;
    if (name == "div") return i_.scale = 0.5f, true;
    if (name == "op_sel") return i_.high_half = bits_of(value), true;
    if (name == "op_sel_hi") return i_.high_half_above = bits_of(value), halves_given_ = true;
    if (name == "neg_lo") return i_.negate_low = bits_of(value), true;
    if (name == "neg_hi") return i_.negate_high = bits_of(value), true;
    return false;
  }

  instruction& i_;
  std::shared_ptr<lane_moves> moves_;
  int row_mask_ = 0xf, bank_mask_ = 0xf;
  bool zero_fill_ = false, halves_given_ = false;
};

// Registers that an opcode reads without saying so.
void add_silent_sources(std::string_view name, instruction& i) {
  operand vcc;
  vcc.kind = operand_kind::scalar;
  vcc.index = k_vcc;
  vcc.registers = 2;
  if (begins(name, "s_cbranch_vcc")) i.source[i.sources++] = vcc;
  if (begins(name, "v_div_fmas")) i.source[i.sources++] = vcc;
  if (name == "v_cndmask_b32" && i.sources == 2) i.source[i.sources++] = vcc;
  if (begins(name, "v_mac_") || begins(name, "v_fmac_") || begins(name, "v_dot2c_")) {
    i.source[i.sources++] = i.result[0];
  }
}

bool takes_operands(const opcode& row) {
  const bool control = row.kind == op_class::branch || row.kind == op_class::other || row.kind == op_class::wait;
  return !(row.results == 0 && control) || row.name == "s_setpc_b64";
}

bool fill(instruction& i, const opcode& row, const tokens& t) {
  for (const std::string_view m : t.modifiers) {
    if (row.kind == op_class::atomic && m == "glc") i.results = 1;
  }
  if (takes_operands(row)) {
    for (std::size_t n = 0; n < t.operands.size(); ++n) {
      const bool result = n < i.results;
      if (!result && i.sources == 4) return false;
      operand& o = result ? i.result[n] : i.source[i.sources++];
      if (!parse_operand(t.operands[n], row.number, o)) return false;
    }
    if (t.operands.size() < i.results) return false;
    modifier_parser modifiers(i);
    for (const std::string_view m : t.modifiers) {
      if (!modifiers.parse(m)) return false;
    }
    modifiers.finish(row.mixed);
  }
  add_silent_sources(row.name, i);
  return true;
}

}  // namespace

std::shared_ptr<lane_moves> moves_of(std::string_view control, int number) {
  auto made = std::make_shared<lane_moves>();
  for (int l = 0; l < k_lanes; ++l) {
    const int row = l & ~15, at = l & 15;
    int from = -1;
    if (control == "quad_perm")
      from = (l & ~3) | (number >> (2 * (l & 3)) & 3);
    else if (control == "row_shl")
      from = at + number < 16 ? l + number : -1;
    else if (control == "row_shr")
      from = at >= number ? l - number : -1;
    else if (control == "row_ror")
      from = row + ((at - number) & 15);
    else if (control == "wave_shl")
      from = l < 63 ? l + 1 : -1;
    else if (control == "wave_rol")
      from = (l + 1) & 63;
    else if (control == "wave_shr")
      from = l > 0 ? l - 1 : -1;
    else if (control == "wave_ror")
      from = (l - 1) & 63;
    else if (control == "row_mirror")
      from = row + 15 - at;
    else if (control == "row_half_mirror")
      from = (l & ~7) + 7 - (l & 7);
    else if (control == "row_bcast" && number == 15)
      from = l >= 16 ? row - 1 : -1;
    else if (control == "row_bcast" && number == 31)
      from = l >= 32 ? 31 : -1;
    else if (control == "row_newbcast")
      from = row + (number & 15);
    else
      return nullptr;
    made->from[l] = static_cast<u8>(from < 0 ? 0 : from);
    made->inside |= u64{from >= 0} << l;
  }
  return made;
}

instruction parse_instruction(std::string_view text) {
  instruction i;
  const tokens t = split(text);
  const std::size_t begin = text.find_first_not_of(" \t"), end = text.find_last_not_of(" \t\n");
  if (begin != std::string_view::npos) i.text = text.substr(begin, end - begin + 1);
  i.run = unknown_opcode;
  std::string_view name = t.mnemonic;
  if (drop_suffix(name, "_sdwa")) {
    i.sdwa = true;
  } else if (!drop_suffix(name, "_dpp") && !drop_suffix(name, "_e32")) {
    drop_suffix(name, "_e64");
  }
  const opcode* row = find_opcode(name);
  if (row == nullptr) return i;
  i.kind = row->kind;
  i.results = row->results;
  i.flat = begins(name, "flat_");
  i.run = fill(i, *row, t) ? row->run : unknown_operand;
  return i;
}

}  // namespace rowsmith::gcn
