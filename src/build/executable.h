// executable: a plan with its kernels loaded on one device. What the kernel table holds and the hot path runs.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backend/backend.h"
#include "model/facts.h"

namespace rowsmith {

// Where an executable's code came from. The slowest of its launches tells.
enum class origin : std::uint8_t { memory, disk, compiled, fallback };

std::string_view name_of(origin o) noexcept;

class executable {
 public:
  struct step {
    std::unique_ptr<loaded_kernel> kernel;
    std::int64_t rows_per_block = 1;
    std::int64_t most_blocks = 0;  // of a launch on this device
    int arg_operands = 0;
    int arg_outer = 0;
  };

  executable(std::vector<step> steps, std::size_t workspace_bytes, mechanism how, origin from, std::string digest)
      : steps_(std::move(steps)), workspace_bytes_(workspace_bytes), how_(how), from_(from), digest_(std::move(digest)) {}

  // Enqueues all launches. REQUIRES: rows > 0, and a workspace where the plan asks for one. Neither allocates nor locks.
  status run(const facts& f, stream on) const noexcept;

  mechanism how() const noexcept { return how_; }
  origin from() const noexcept { return from_; }
  const std::string& digest() const noexcept { return digest_; }

 private:
  std::vector<step> steps_;
  std::size_t workspace_bytes_;
  mechanism how_;
  origin from_;
  std::string digest_;
};

}  // namespace rowsmith
