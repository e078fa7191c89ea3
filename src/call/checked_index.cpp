#include "call/checked_index.h"

#include <fmt/format.h>

#include <cstring>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "model/byte_span.h"

namespace rowsmith {

namespace {

std::int64_t entry_at(const std::byte* from, dtype type) noexcept {
  if (type == dtype::i32) {
    std::int32_t v;
    std::memcpy(&v, from, sizeof v);
    return v;
  }
  std::int64_t v;
  std::memcpy(&v, from, sizeof v);
  return v;
}

status wrong_entry(const tensor_view& v, const std::int64_t* at, std::int64_t entry, std::int64_t rows) {
  std::string place;
  for (int i = 0; i < v.rank; ++i) place += fmt::format("{}{}", i == 0 ? "" : ", ", at[i]);
  return status(code::invalid_argument, fmt::format("index[{}]: is {}, allowed is -1 to {}: the table has {} rows",
                                                    place, entry, rows - 1, rows));
}

// `first`: where element 0 can be read.
status check_entries(const tensor_view& v, const std::byte* first, std::int64_t rows) {
  std::int64_t at[max_rank] = {}, offset = 0;
  for (;;) {
    const std::int64_t entry = entry_at(first + offset * static_cast<std::int64_t>(size_of(v.dtype)), v.dtype);
    if (entry < -1 || entry >= rows) return wrong_entry(v, at, entry, rows);
    int axis = v.rank - 1;
    for (; axis >= 0; --axis) {
      offset += v.stride[axis];
      if (++at[axis] < v.shape[axis]) break;
      offset -= v.stride[axis] * v.shape[axis];
      at[axis] = 0;
    }
    if (axis < 0) return {};
  }
}

}  // namespace

status check_index(const request& r, int index, std::int64_t rows) noexcept try {
  const tensor_view& v = r.operands[index].view;
  for (int i = 0; i < v.rank; ++i) {
    if (v.shape[i] == 0) return {};
  }
  const auto* first = static_cast<const std::byte*>(v.data);
  backend* b = backend_for(v.device.kind);
  if (b == nullptr) return {};  // the call itself says so
  const result<bool> capturing = b->capturing(v.device.index, r.on);
  if (!capturing) return capturing.status();
  if (*capturing) {
    return status(code::unsupported,
                  "index: cannot be checked while its stream is being captured: the check waits for it");
  }
  if (status waited = b->synchronize(v.device.index, r.on); !waited.ok()) return waited;
  if (v.device.kind == device_kind::host) return check_entries(v, first, rows);
  const byte_span s = byte_span_of(v);
  std::vector<std::byte> here(static_cast<std::size_t>(s.high - s.low));
  if (status copied = b->copy(v.device.index, here.data(), first + s.low, here.size()); !copied.ok()) return copied;
  return check_entries(v, here.data() - s.low, rows);
} catch (const std::bad_alloc&) {
  return status(code::out_of_memory, "no host memory for a copy of the index");
} catch (const std::exception& e) {
  return status(code::internal, fmt::format("checking the index threw: {}", e.what()));
}

}  // namespace rowsmith
