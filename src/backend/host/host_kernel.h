// host_kernel: a function over rows, run by the threads of oneTBB.
#pragma once

#include <cstdint>
#include <optional>

#include "backend/backend.h"
#include "backend/host/module.h"

namespace rowsmith::host {

// What every host kernel is: rows [begin, end) of the call described by the argument block.
using row_function = void (*)(const void* arguments, std::int64_t begin, std::int64_t end);

class host_kernel final : public loaded_kernel {
 public:
  // `code` is what `run` lives in; nothing for one that is compiled into the library.
  host_kernel(row_function run, int rows_per_block, std::optional<module> code) noexcept
      : run_(run), rows_per_block_(rows_per_block > 0 ? rows_per_block : 1), code_(std::move(code)) {}

  status launch(std::int64_t blocks, const void* arguments, std::size_t size, stream on) const noexcept override;

 private:
  row_function run_;
  std::int64_t rows_per_block_;
  std::optional<module> code_;
};

}  // namespace rowsmith::host
