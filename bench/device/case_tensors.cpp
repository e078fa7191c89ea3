#include "case_tensors.h"

#include <algorithm>
#include <cstring>

#include "cli/call_memory.h"
#include "cli/number.h"
#include "cli/op_check.h"
#include "window_rows.h"

namespace rowsmith::bench {

namespace {

constexpr std::size_t rotate_bytes = std::size_t{400} << 20;  // several times the L2
constexpr std::size_t fewest_sets = 3, most_sets = 64;
constexpr std::size_t margin = 64;        // for bases that are off
constexpr std::int64_t period = 4194301;  // drawn once, then repeated; prime, so that no two rows are alike
constexpr std::int64_t elements_compared = std::int64_t{1} << 22;

// Normal values. Drawing hundreds of millions would take longer than everything else.
cli::host_memory draw_floats(const cli::tensor_setup& t, std::uint64_t seed) {
  const std::int64_t count = cli::elements(t.extents);
  if (count <= period) return cli::make_tensor(t.type, count, {}, seed);
  const cli::host_memory some = cli::make_tensor(t.type, period, {}, seed);
  const std::size_t chunk = static_cast<std::size_t>(period) * size_of(t.type);
  cli::host_memory all(t.bytes());
  for (std::size_t done = 0; done < t.bytes(); done += chunk) {
    std::memcpy(static_cast<char*>(all.data()) + done, some.data(), std::min(chunk, t.bytes() - done));
  }
  return all;
}

}  // namespace

status case_tensors::draw(const bench_case& c) {
  const cli::op_setup& s = *setup_;
  for (std::size_t k = 0; k < s.tensors.size(); ++k) {
    const cli::tensor_setup& t = s.tensors[k];
    std::size_t bytes = t.bytes();
    if (t.is_index && c.index) {
      auto rows = window_rows_of(*c.index, t);
      if (!rows) return rows.status();
      host_.push_back(std::move(rows->index));
      moved_.reads += static_cast<std::size_t>(rows->picked) * s.shape.back() * size_of(s.in);
    } else if (t.output) {
      host_.emplace_back(bytes);
    } else if (cli::is_float(t.type) && !t.is_mask) {
      host_.push_back(draw_floats(t, k));
    } else {
      cli::op_setup alone = s;
      alone.tensors = {t};
      host_.push_back(std::move(cli::draw_operands(alone, {}, k).front()));
    }
    if (!t.rows_from.empty()) bytes = 0;  // counted by its index
    (t.output ? moved_.writes : moved_.reads) += bytes;
  }
  return {};
}

status case_tensors::place(const bench_case& c) {
  const cli::op_setup& s = *setup_;
  const std::size_t sets = std::clamp(rotate_bytes / (moved_.reads + moved_.writes) + 1, fewest_sets, most_sets);
  for (std::size_t i = 0; i < sets; ++i) {
    std::vector<void*> pointers;
    for (std::size_t k = 0; k < s.tensors.size(); ++k) {
      const cli::tensor_setup& t = s.tensors[k];
      auto memory = cli::device_memory::make(where_, t.bytes() + margin);
      if (!memory) return memory.status();
      const std::size_t off = cli::is_float(t.type) ? static_cast<std::size_t>(c.shift) * size_of(t.type) : 0;
      pointers.push_back(static_cast<char*>(memory->data()) + off);
      held_.push_back(std::move(*memory));
      if (t.output) continue;
      const void* from = i == 0 ? host_[k].data() : pointers_[0][k];
      if (status copied = copy(where_, pointers.back(), from, t.bytes()); !copied) return copied;
    }
    pointers_.push_back(std::move(pointers));
  }
  return {};
}

// Of the case's own values: what is copied may matter to the time.
status case_tensors::place_copies() {
  const std::size_t bytes = std::max(moved_.reads, moved_.writes);
  const std::size_t main = static_cast<std::size_t>(&setup_->main_input() - setup_->tensors.data());
  const std::size_t chunk = std::min(setup_->tensors[main].bytes(), bytes);
  for (int i = 0; i < sets(); ++i) {
    for (int side = 0; side < 2; ++side) {
      auto memory = cli::device_memory::make(where_, bytes + margin);
      if (!memory) return memory.status();
      copies_.push_back(std::move(*memory));
    }
    char* const to = static_cast<char*>(copies_[copies_.size() - 2].data());
    for (std::size_t done = 0; done < bytes; done += chunk) {
      const std::size_t some = std::min(chunk, bytes - done);
      if (status copied = copy(where_, to + done, pointers_[0][main], some); !copied) return copied;
    }
  }
  return {};
}

result<case_tensors> case_tensors::make(const bench_case& c, const cli::op_setup& s, device where) {
  case_tensors t(s, where);
  if (status drawn = t.draw(c); !drawn) return drawn;
  if (status placed = t.place(c); !placed) return placed;
  if (status placed = t.place_copies(); !placed) return placed;
  return t;
}

status case_tensors::poison() {
  for (std::size_t k = 0; k < setup_->tensors.size(); ++k) {
    const cli::tensor_setup& t = setup_->tensors[k];
    if (!t.output) continue;
    std::memset(host_[k].data(), 0xff, t.bytes());
    if (status copied = copy(where_, pointers_[0][k], host_[k].data(), t.bytes()); !copied) return copied;
  }
  return {};
}

result<cli::comparison> case_tensors::check() {
  for (std::size_t k = 0; k < setup_->tensors.size(); ++k) {
    const cli::tensor_setup& t = setup_->tensors[k];
    if (!t.output) continue;
    if (status copied = copy(where_, host_[k].data(), pointers_[0][k], t.bytes()); !copied) return copied;
  }
  return cli::compare(cli::call_tensors(*setup_, host_), elements_compared);
}

}  // namespace rowsmith::bench
