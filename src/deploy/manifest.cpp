#include "deploy/manifest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <unordered_set>

#include "base/whole_file.h"
#include "inspect/expressions.h"
#include "inspect/inspect.h"
#include "model/expression/intern.h"
#include "model/op_table.h"

namespace rowsmith {

namespace {

using json = nlohmann::json;

constexpr std::size_t longest_line = 64 << 10;
constexpr std::uint64_t largest_file = std::uint64_t{256} << 20;
constexpr int deepest = 4;  // {operands: [{shape: []}]}

// Extents and strides beyond these are no memory of anybody's; below them no address that is made of them overflows.
constexpr std::int64_t largest_number = std::int64_t{1} << 40;
constexpr std::int64_t largest_span = std::int64_t{1} << 44;  // bytes between two elements of one operand
constexpr std::uintptr_t first_base = std::uintptr_t{1} << 50;
constexpr std::uintptr_t base_step = std::uintptr_t{1} << 46;
constexpr std::uintptr_t base_period = 16;  // addresses count modulo this

constexpr std::int64_t largest_axis = (1 << max_rank) - 1;  // a set of axes is a number too

// What a line is refused with.
struct bad_line {
  std::string why;
};

template <class... A>
[[noreturn]] void refuse(fmt::format_string<A...> format, A&&... values) {
  throw bad_line{fmt::format(format, std::forward<A>(values)...)};
}

// The parser itself does not recurse, but what it builds is walked by code that does.
bool is_shallow(std::string_view line) {
  int depth = 0;
  bool in_text = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (in_text) {
      if (c == '\\') ++i;
      if (c == '"') in_text = false;
    } else if (c == '"') {
      in_text = true;
    } else if (c == '{' || c == '[') {
      if (++depth > deepest) return false;
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return true;
}

void only_known(const json& o, std::initializer_list<std::string_view> names) {
  for (const auto& [name, value] : o.items()) {
    if (std::find(names.begin(), names.end(), name) == names.end()) refuse("a field \"{}\" that nobody knows", name);
  }
}

const json* find(const json& o, const char* name) {
  const auto at = o.find(name);
  return at == o.end() ? nullptr : &*at;
}

const json& need(const json& o, const char* name) {
  const json* v = find(o, name);
  if (v == nullptr) refuse("no field \"{}\"", name);
  return *v;
}

std::string text_in(const json& o, const char* name) {
  const json& v = need(o, name);
  if (!v.is_string()) refuse("\"{}\" is no text", name);
  return v.get<std::string>();
}

std::int64_t whole(const json& v, const char* name, std::int64_t least, std::int64_t most) {
  const bool fits =
      v.is_number_unsigned() ? v.get<std::uint64_t>() <= static_cast<std::uint64_t>(INT64_MAX) : v.is_number_integer();
  const std::int64_t n = fits ? v.get<std::int64_t>() : 0;
  if (!fits || n < least || n > most) refuse("\"{}\": a whole number from {} to {} is needed", name, least, most);
  return n;
}

std::int64_t whole_in(const json& o, const char* name, std::int64_t least, std::int64_t most, std::int64_t otherwise) {
  const json* v = find(o, name);
  return v == nullptr ? otherwise : whole(*v, name, least, most);
}

int numbers_in(const json& list, const char* name, std::int64_t least, std::int64_t (&into)[max_rank]) {
  if (!list.is_array() || list.size() > max_rank)
    refuse("\"{}\": a list of at most {} numbers is needed", name, max_rank);
  int n = 0;
  for (const json& v : list) into[n++] = whole(v, name, least, largest_number);
  return n;
}

void check_span(const tensor_view& v) {
  const auto size = static_cast<std::int64_t>(size_of(v.dtype));
  std::int64_t span = 0;
  for (int i = 0; i < v.rank; ++i) {
    std::int64_t step = 0;
    if (v.shape[i] > 1 && __builtin_mul_overflow((v.shape[i] - 1) * size, std::abs(v.stride[i]), &step)) {
      span = largest_span;
    } else {
      span = std::min(largest_span, span + std::min(step, largest_span));
    }
  }
  if (span >= largest_span) refuse("an operand of more than 2^44 bytes");
}

void read_strides(const json& o, tensor_view* v) {
  if (const json* strides = find(o, "stride")) {
    if (numbers_in(*strides, "stride", -largest_number, v->stride) != v->rank)
      refuse("\"stride\": one an axis is needed");
    return;
  }
  std::int64_t step = 1;
  for (int i = v->rank; i-- > 0;) {
    v->stride[i] = step;
    if (__builtin_mul_overflow(step, std::max<std::int64_t>(v->shape[i], 1), &step) || step > largest_span) {
      refuse("\"shape\": more than 2^44 elements");
    }
  }
}

bool has_no_memory(const operand& o, const op_row& op) { return find_spec(op, o.what)->extent == reach::no_memory; }

void read_operand(const json& o, const op_row& op, device where, request* r) {
  if (!o.is_object()) refuse("an operand that is no object");
  only_known(o, {"role", "dtype", "shape", "stride", "base", "same_as", "rows_from"});
  const std::string role_name = text_in(o, "role"), dtype_name = text_in(o, "dtype");
  const auto spec = std::find_if(op.operands.begin(), op.operands.end(),
                                 [&](const operand_spec& s) { return name_of(s.what) == role_name; });
  if (spec == op.operands.end()) refuse("{} has no operand \"{}\"", op.name, role_name);

  tensor_view v;
  v.device = where;
  if (!parse(dtype_name, &v.dtype)) refuse("\"dtype\": \"{}\" is none", dtype_name);
  v.rank = numbers_in(need(o, "shape"), "shape", 0, v.shape);
  read_strides(o, &v);
  check_span(v);

  const int index = r->operand_count;
  if (spec->extent == reach::no_memory) {  // its address is a number, and no part of the class
    if (find(o, "base") != nullptr || find(o, "same_as") != nullptr) refuse("{} has no memory", role_name);
    return r->add(spec->what, v);
  }
  const std::int64_t same = whole_in(o, "same_as", 0, index - 1, -1);
  if (same >= 0 && has_no_memory(r->operands[same], op)) refuse("\"same_as\": operand {} has no memory", same);
  const std::int64_t base = whole_in(o, "base", 0, base_period - 1, 0);
  v.data = same >= 0 ? r->operands[same].view.data
                     : reinterpret_cast<void*>(first_base + static_cast<std::uintptr_t>(index) * base_step +
                                               static_cast<std::uintptr_t>(base));
  r->add(spec->what, v, static_cast<int>(whole_in(o, "rows_from", 0, max_operands - 1, -1)));
}

// An expression's words, known to this process afterwards.
expression_id read_expression(const json& o, const char* name) {
  const json* list = find(o, name);
  if (list == nullptr) return {};
  if (!list->is_array() || list->size() > max_expression_words) {
    refuse("\"{}\": a list of at most {} words is needed", name, max_expression_words);
  }
  std::vector<std::uint64_t> words;
  for (const json& w : *list) {
    if (!w.is_number_unsigned()) refuse("\"{}\": a word that is no number of at least 0", name);
    words.push_back(w.get<std::uint64_t>());
  }
  const result<expression> e = expression::from_words(words.data(), words.size());
  if (!e) refuse("\"{}\": {}", name, e.status().message());
  return intern(*e);
}

void read_asks(const json& o, request* r) {
  if (find(o, "width") != nullptr) {
    const std::string width = text_in(o, "width");
    if (width != "any" && width != "exact") refuse("\"width\": \"{}\" is none, exact and any are", width);
    if (width == "any") r->flags |= request_any_width;
  }
  if (const json* invariant = find(o, "batch_invariant")) {
    if (!invariant->is_boolean()) refuse("\"batch_invariant\": true or false is needed");
    if (invariant->get<bool>()) r->flags |= request_batch_invariant;
  }
}

request read_request(const json& o) {
  if (!o.is_object()) refuse("no JSON object");
  if (whole(need(o, "rowsmith"), "rowsmith", 0, INT32_MAX) != manifest_version) {
    refuse("form {}, this version reads {}", o["rowsmith"].get<std::int64_t>(), manifest_version);
  }
  only_known(o, {"rowsmith", "op", "axis", "options", "width", "batch_invariant", "pre", "post", "device", "operands",
                 "note"});
  const std::string op_name = text_in(o, "op");
  const op_row& op = describe(op_name);
  if (op.id == op_id::none) refuse("\"op\": \"{}\" is none that this version has", op_name);

  request r;
  r.op = op.id;
  r.axis = static_cast<int>(whole_in(o, "axis", -max_rank, largest_axis, -1));
  const json& options = need(o, "options");
  if (!options.is_number_unsigned()) refuse("\"options\": a number of at least 0 is needed");
  r.options = options.get<std::uint64_t>();
  read_asks(o, &r);
  device where;
  if (find(o, "device") != nullptr && !parse(text_in(o, "device"), &where))
    refuse("\"device\": none of these is known");
  const json& operands = need(o, "operands");
  if (!operands.is_array() || operands.empty() || operands.size() > max_operands) {
    refuse("\"operands\": a list of 1 to {} is needed", max_operands);
  }
  for (const json& one : operands) read_operand(one, op, where, &r);
  r.pre = read_expression(o, "pre");
  r.post = read_expression(o, "post");
  return r;
}

std::string list_of(const std::int64_t* numbers, int count) {
  return fmt::format("[{}]", fmt::join(numbers, numbers + count, ","));
}

std::string operand_text(const request& r, int k) {
  const op_row& op = describe(r.op);
  const tensor_view& v = r.operands[k].view;
  std::string text =
      fmt::format(R"({}{{"role":"{}","dtype":"{}","shape":{},"stride":{})", k == 0 ? "" : ",",
                  name_of(r.operands[k].what), name_of(v.dtype), list_of(v.shape, v.rank), list_of(v.stride, v.rank));
  if (has_no_memory(r.operands[k], op)) return text + '}';
  text += fmt::format(R"(,"base":{})", reinterpret_cast<std::uintptr_t>(v.data) % base_period);
  for (int earlier = 0; earlier < k; ++earlier) {
    if (r.operands[earlier].view.data != v.data || has_no_memory(r.operands[earlier], op)) continue;
    text += fmt::format(R"(,"same_as":{})", earlier);
    break;
  }
  if (r.operands[k].rows_from >= 0) text += fmt::format(R"(,"rows_from":{})", r.operands[k].rows_from);
  return text + '}';
}

// "\"pre\":[1,2]," or nothing.
std::string words_field(std::string_view name, const expression_id& id) {
  const expression* e = id ? find(id) : nullptr;
  return e == nullptr ? std::string() : fmt::format("\"{}\":[{}],", name, fmt::join(e->words(), ","));
}

// What a request asks of its kernel's class: "\"width\":\"any\"," or nothing.
std::string asks_of(const request& r) {
  std::string text;
  if ((r.flags & request_any_width) != 0) text += R"("width":"any",)";
  if ((r.flags & request_batch_invariant) != 0) text += R"("batch_invariant":true,)";
  return text;
}

struct class_hash {
  std::size_t operator()(const shape_class& c) const noexcept {
    return std::hash<std::string_view>{}({reinterpret_cast<const char*>(&c), sizeof c});
  }
};

}  // namespace

std::string to_line(const request& r) {
  std::string line =
      fmt::format(R"({{"rowsmith":{},"op":"{}","axis":{},"options":{},{}{}{}"device":"{}","operands":[)",
                  manifest_version, describe(r.op).name, r.axis, r.options, asks_of(r), words_field("pre", r.pre),
                  words_field("post", r.post), name_of(r.operands[0].view.device.kind));
  for (int k = 0; k < r.operand_count; ++k) line += operand_text(r, k);
  return line + "]}\n";
}

result<request> parse_line(std::string_view line) try {
  if (line.size() > longest_line) refuse("{} bytes, a line has at most {}", line.size(), longest_line);
  if (!is_shallow(line)) refuse("nested more than {} deep", deepest);
  const json parsed = json::parse(line, nullptr, false);
  if (parsed.is_discarded()) refuse("not JSON");
  const request r = read_request(parsed);
  facts f;
  if (status s = inspect(r, &f); !s) return s;
  if (status s = check_expressions(f.fixed); !s) return s;
  return r;
} catch (const bad_line& bad) {
  return status(code::invalid_argument, bad.why);
} catch (const json::exception& e) {
  return status(code::invalid_argument, e.what());
}

manifest parse_manifest(std::string_view text) {
  manifest m;
  std::unordered_set<shape_class, class_hash> seen;
  for (std::int64_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (const std::size_t first = line.find_first_not_of(" \t\r");
        first == std::string_view::npos || line[first] == '#')
      continue;
    const result<request> r = parse_line(line);
    if (!r) {
      m.problems.push_back({number, r.status().message()});
      continue;
    }
    facts f;
    if (!inspect(*r, &f).ok() || f.call.nothing) continue;  // nothing is launched for it
    if (seen.insert(f.fixed).second) m.entries.push_back({*r, f.fixed, number});
  }
  return m;
}

result<manifest> read_manifest(const std::string& path) {
  const result<std::string> text = read_whole_file(path, largest_file);
  if (!text) return text.status();
  return parse_manifest(*text);
}

status check_asks(const manifest& m, const std::string& path) {
  if (!m.entries.empty() || !m.problems.empty()) return {};
  return status(code::invalid_argument, fmt::format("manifest: {} asks for nothing: it has no requests", path));
}

}  // namespace rowsmith
