#include "cli/call_memory.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cli/number.h"
#include "cli/parallel.h"

namespace rowsmith::cli {

namespace {

constexpr double k_tenth = 0.1;
constexpr std::uint64_t k_next_sequence = 1000003;

double drawn_unit(std::uint64_t seed, std::int64_t i) {
  const two both = draw({distribution::shape::uniform, 0, 1}, seed, static_cast<std::uint64_t>(i / 2));
  return i % 2 == 0 ? both.first : both.second;
}

void store_whole(void* memory, dtype type, std::int64_t i, std::int64_t value) {
  if (type == dtype::i64) static_cast<std::int64_t*>(memory)[i] = value;
  if (type == dtype::i32) static_cast<std::int32_t*>(memory)[i] = static_cast<std::int32_t>(value);
  if (type == dtype::b8) static_cast<std::uint8_t*>(memory)[i] = value != 0 ? 1 : 0;
}

template <class F>
host_memory filled(const tensor_setup& t, F&& element) {
  host_memory memory(t.bytes());
  parallel(elements(t.extents), 1 << 14, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) element(memory.data(), i);
  });
  return memory;
}

host_memory draw_index(const tensor_setup& t, std::int64_t table_rows, std::uint64_t seed) {
  return filled(t, [&](void* memory, std::int64_t i) {
    const double u = drawn_unit(seed, i);
    const bool none = u < k_tenth || table_rows == 0;
    const auto row = static_cast<std::int64_t>((u - k_tenth) / (1 - k_tenth) * static_cast<double>(table_rows));
    store_whole(memory, t.type, i, none ? -1 : std::min(row, table_rows - 1));
  });
}

// A tenth of the positions are removed.
host_memory draw_mask(const tensor_setup& t, const std::string& form, const distribution& d, std::uint64_t seed) {
  const bool keeps = form != "drop_mask";
  return filled(t, [&](void* memory, std::int64_t i) {
    const bool removed = drawn_unit(seed, i) < k_tenth;
    if (t.type == dtype::b8) return store_whole(memory, t.type, i, removed != keeps ? 1 : 0);
    const two both = draw(d, seed + 1, static_cast<std::uint64_t>(i / 2));
    const double value = i % 2 == 0 ? both.first : both.second;
    const double flag = removed != keeps ? 1 : 0;
    const double stored = form != "additive_mask" ? flag : removed ? -std::numeric_limits<double>::infinity() : value;
    store(memory, t.type, i, static_cast<float>(stored));
  });
}

host_memory draw_whole(const tensor_setup& t, std::uint64_t seed) {
  return filled(t, [&](void* memory, std::int64_t i) {
    const double u = drawn_unit(seed, i);
    store_whole(memory, t.type, i, t.type == dtype::b8 ? u < 0.5 : static_cast<std::int64_t>((u - 0.5) * 2e9));
  });
}

}  // namespace

std::vector<host_memory> draw_operands(const op_setup& s, const distribution& d, std::uint64_t seed) {
  std::vector<host_memory> all;
  for (const tensor_setup& t : s.tensors) {
    if (t.output) {
      all.emplace_back(t.bytes());
    } else if (t.is_index) {
      all.push_back(draw_index(t, s.table_rows, seed));
    } else if (t.is_mask) {
      all.push_back(draw_mask(t, s.setting("mask"), d, seed));
    } else if (is_float(t.type)) {
      all.push_back(make_tensor(t.type, elements(t.extents), d, seed));
    } else {
      all.push_back(draw_whole(t, seed));
    }
    if (!t.output) seed += k_next_sequence;
  }
  return all;
}

result<call_memory> call_memory::make(const op_setup& s, device where, bool in_place) {
  call_memory memory(where);
  std::size_t shared = s.tensors.size();
  for (std::size_t k = 0; k < s.tensors.size(); ++k) {
    const bool is_shared = in_place && &s.tensors[k] == &s.main_output();
    auto one = device_memory::make(where, is_shared ? 0 : s.tensors[k].bytes());
    if (!one) return one.status();
    if (&s.tensors[k] == &s.main_input()) shared = k;
    memory.data_.push_back(is_shared && shared < k ? memory.data_[shared] : one->data());
    memory.held_.push_back(std::move(*one));
  }
  return memory;
}

status call_memory::write(const op_setup& s, const std::vector<host_memory>& drawn) const {
  for (std::size_t k = 0; k < s.tensors.size(); ++k) {
    if (s.tensors[k].output) continue;
    if (status copied = copy(where_, data_[k], drawn[k].data(), s.tensors[k].bytes()); !copied) return copied;
  }
  return synchronize(where_);
}

status call_memory::read(const op_setup& s, std::vector<host_memory>* found) const {
  for (std::size_t k = 0; k < s.tensors.size(); ++k) {
    if (!s.tensors[k].output) continue;
    if (status copied = copy(where_, (*found)[k].data(), data_[k], s.tensors[k].bytes()); !copied) return copied;
  }
  return synchronize(where_);
}

double bytes_moved(const op_setup& s) {
  double sum = 0;
  for (const tensor_setup& t : s.tensors) {
    const bool picked = !t.rows_from.empty() && !t.output;
    sum += picked ? static_cast<double>(elements(s.shape)) * static_cast<double>(size_of(t.type))
                  : static_cast<double>(t.bytes());
  }
  return sum;
}

}  // namespace rowsmith::cli
