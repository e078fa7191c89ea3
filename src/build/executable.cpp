#include "build/executable.h"

#include <algorithm>

#include "base/failure.h"
#include "model/arguments.h"

namespace rowsmith {

std::string_view name_of(origin o) noexcept {
  switch (o) {
    case origin::memory:
      return "memory";
    case origin::disk:
      return "disk";
    case origin::compiled:
      return "compiled";
    case origin::fallback:
      return "fallback";
  }
  return "unknown";
}

namespace {

std::int64_t items_of(const call_data& c, const executable::step& s) noexcept {
  switch (s.items) {
    case work::rows:
      return c.rows * s.parts;
    case work::table_rows:
      return c.table_rows;
    case work::columns:
      return c.width;
    case work::elements:
      return c.rows * c.width;
  }
  return c.rows;
}

// So many rows, one after the other, see different rows of what repeats along the slowest axis; 0: nothing repeats.
std::int64_t period_of(const facts& f, std::uint16_t repeating) noexcept {
  for (int k = 0; k < f.fixed.operand_count; ++k) {
    if ((repeating >> k & 1) != 0 && f.call.operands[k].stride[0] == 0) return f.call.rows / f.call.extent[0];
  }
  return 0;
}

// At least one block runs even where there are no rows: it writes what nothing adds up to.
std::int64_t blocks_of(const executable::step& s, const facts& f, std::int64_t items) noexcept {
  const std::int64_t all = std::max<std::int64_t>((items - 1) / s.rows_per_block + 1, 1);
  std::int64_t most = s.most_blocks / s.cluster;
  if (s.repeating != 0 && all > most) {
    const std::int64_t period = period_of(f, s.repeating), blocks = period / s.rows_per_block;  // that a period takes
    const bool in_step = period % s.rows_per_block == 0 && blocks > 0 && blocks <= most;
    most = in_step ? most / blocks * blocks : all;
  }
  return std::min(all, most) * s.cluster;
}

}  // namespace

std::size_t executable::workspace_bytes(const facts& f) const noexcept {
  const step& first = steps_.front();
  return need_.bytes + need_.per_row * static_cast<std::size_t>(f.call.rows) +
         need_.per_table_row * static_cast<std::size_t>(f.call.table_rows) +
         (need_.per_block + need_.per_block_column * static_cast<std::size_t>(f.call.width)) *
             static_cast<std::size_t>(blocks_of(first, f, items_of(f.call, first)));
}

status executable::run_with(const facts& f, void* workspace, stream on) const noexcept {
  for (const step& s : steps_) {
    const std::int64_t items = items_of(f.call, s);
    const std::int64_t blocks = blocks_of(s, f, items);
    const arguments args(f, s.layout, items, blocks, workspace);
    if (status failed = s.kernel->launch(blocks, args.data(), args.size(), on); !failed.ok()) return failed;
  }
  return {};
}

std::optional<executable::single_launch> executable::single(const facts& f) const {
  if (steps_.size() != 1 || need_.vendor != nullptr) return std::nullopt;
  const step& s = steps_.front();
  const std::int64_t items = items_of(f.call, s), blocks = blocks_of(s, f, items);
  return single_launch{s.kernel.get(), &s.layout, blocks, arguments(f, s.layout, items, blocks, nullptr)};
}

status executable::run(const facts& f, stream on) const noexcept {
  if (need_.vendor == nullptr) [[likely]]
    return run_with(f, nullptr, on);
  const std::size_t bytes = workspace_bytes(f);
  if (f.call.workspace != nullptr) {
    if (f.call.workspace_bytes >= bytes) return run_with(f, f.call.workspace, on);
    return failure(code::invalid_argument, "workspace: {} bytes given, this call needs {}", f.call.workspace_bytes,
                   bytes);
  }
  const int device = static_cast<int>(f.fixed.device_index);
  const result<void*> own = need_.vendor->borrow(device, bytes, on);
  if (!own) return own.status();
  status ran = run_with(f, *own, on);
  status returned = need_.vendor->give_back(device, *own, on);
  return ran.ok() ? std::move(returned) : std::move(ran);
}

}  // namespace rowsmith
