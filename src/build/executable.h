// executable: a plan with its kernels loaded on one device. What the kernel table holds and the hot path runs.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backend/backend.h"
#include "model/arguments.h"
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
    std::uint16_t repeating = 0;   // see launch_plan
    int cluster = 1;               // blocks that share a row
    work items = work::rows;
    int parts = 1;
    argument_layout layout;
  };
  // Memory between the launches, see model/plan.h; and who has it, where the caller brings none.
  struct workspace_need {
    std::size_t bytes = 0;
    std::size_t per_block = 0;
    std::size_t per_block_column = 0;
    std::size_t per_row = 0;
    std::size_t per_table_row = 0;
    backend* vendor = nullptr;
  };

  executable(std::vector<step> steps, workspace_need need, mechanism how, origin from, std::string digest)
      : steps_(std::move(steps)), need_(need), how_(how), from_(from), digest_(std::move(digest)) {}

  // Enqueues all launches. Neither allocates nor locks, but for a workspace that the plan needs and the caller did not
  // bring: that comes from the device's stream-ordered pool.
  status run(const facts& f, stream on) const noexcept;

  // Bytes of workspace that this call needs.
  std::size_t workspace_bytes(const facts& f) const noexcept;

  // Its one launch of this call, where it is one that needs no workspace. It stays right for a call that differs in
  // addresses and scalars alone, once they are put in the arguments.
  struct single_launch {
    const loaded_kernel* kernel;
    const argument_layout* layout;
    std::int64_t blocks;
    arguments args;
  };
  std::optional<single_launch> single(const facts& f) const;

  mechanism how() const noexcept { return how_; }
  origin from() const noexcept { return from_; }
  const std::string& digest() const noexcept { return digest_; }

 private:
  status run_with(const facts& f, void* workspace, stream on) const noexcept;

  std::vector<step> steps_;
  workspace_need need_;
  mechanism how_;
  origin from_;
  std::string digest_;
};

}  // namespace rowsmith
