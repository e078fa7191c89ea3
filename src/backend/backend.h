// backend: the one door to a vendor. A backend finds its libraries at run time by name, describes its devices, turns a
// source into machine code and runs it. Nothing outside src/backend/<vendor>/ knows a vendor's declarations.
//
// Thread promise: every member may be called from any thread. Nothing of a vendor is touched before the first call that
// needs it; construction is free.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/plan.h"
#include "model/source.h"
#include "model/traits.h"
#include "rowsmith/status.h"
#include "rowsmith/tensor_view.h"

namespace rowsmith {

// One library that was looked for.
struct library_probe {
  std::string purpose;             // "driver", "compiler"
  std::string found;               // its path or soname; empty when none of them opened
  std::string version;             // as it tells itself; may be empty
  std::vector<std::string> tried;  // every name and path tried, in order, each with why it was passed over
};

struct device_info {
  rowsmith::traits traits;
  rowsmith::card card;
};

// Who compiles: its first three are the *who* half of a cache key.
struct compiler_id {
  std::string name;     // "nvrtc", "hiprtc", "g++"
  std::string version;  // "13.0"
  std::string build;    // identifies this very build: a hash of the file's size and build note, never its path or mtime
};

using bytes = std::vector<std::byte>;

struct binary {
  bytes code;       // the raw ELF
  std::string log;  // the compiler's remarks
  double compile_ms = 0;
};

// Read from the machine code, no device needed. -1: this format does not tell.
struct code_report {
  int registers = -1;
  int spills = -1;  // spilled registers, or 1 when local memory is used for any reason and the format tells no more
  int local_bytes = -1;   // per thread
  int shared_bytes = -1;  // static
  int wide_loads = -1;    // 16-byte (host: native-width) global loads
  int wide_stores = -1;
  int narrow_loads = -1;  // all narrower global loads
  int narrow_stores = -1;
  int barriers = -1;
  int instructions = -1;
};

// A kernel on one device. Launching is the hot path: no allocation, no lock, no string.
class loaded_kernel {
 public:
  virtual ~loaded_kernel() = default;
  // Enqueues `blocks` blocks (host: runs `blocks` chunks of rows_per_block rows, then returns).
  // `arguments` points to `size` bytes as model/arguments.h lays them out; they are copied.
  virtual status launch(std::int64_t blocks, const void* arguments, std::size_t size, stream on) const noexcept = 0;
};

class backend {
 public:
  virtual ~backend() = default;

  virtual device_kind kind() const noexcept = 0;

  // What was looked for and found. Never fails; never aborts without a device.
  virtual std::vector<library_probe> probe() = 0;

  virtual int device_count() noexcept = 0;
  virtual result<device_info> describe(int index) = 0;

  // Traits of a target by name ("sm_90", "gfx906:sramecc+:xnack-", "host"), no device needed.
  virtual result<traits> traits_of(std::string_view target) const = 0;

  // The compiler that would be used for `target`, without loading it where the platform allows. not_found with every
  // path tried when there is none.
  virtual result<compiler_id> compiler(const traits& target) = 0;

  // compiler().build alone, where files tell at once what would be used, and two compilers of one build are the same:
  // no library is loaded and no program run. Else empty.
  virtual std::string compiler_build(const traits&) { return {}; }

  // Machine code for the target. compile_failed carries the log in detail(). May take 10 to 500 ms.
  virtual result<binary> compile(const source& s, const traits& target) = 0;

  // The same beside other compiles, where compile() would wait for them: in a copy of this process. For programs that
  // build many kernels.
  virtual result<binary> compile_apart(const source& s, const traits& target) { return compile(s, target); }

  // Is this machine code of the target's own architecture, and does it hold `entry`? Pure, bounds-checked.
  virtual status check(std::span<const std::byte> code, const traits& target, std::string_view entry) const = 0;

  virtual result<code_report> report(std::span<const std::byte> code, const traits& target,
                                     std::string_view entry) const = 0;

  // Loads code for one launch on one device. The code is copied where the vendor keeps a reference to it.
  virtual result<std::unique_ptr<loaded_kernel>> load(int index, std::span<const std::byte> code,
                                                      const launch_plan& how) = 0;

  // Is work on this stream being captured into a graph? A stream of another device is invalid_argument.
  virtual result<bool> capturing(int index, stream on) = 0;

  // Memory that a stream's work may use until it is given back, in the stream's order: legal in a capture where the
  // vendor's pools are.
  virtual result<void*> borrow(int index, std::size_t size, stream on) noexcept = 0;
  virtual status give_back(int index, void* memory, stream on) noexcept = 0;

  // Memory and order, for programs without a framework (the command, the tests).
  virtual result<void*> allocate(int index, std::size_t size) = 0;
  virtual status release(int index, void* memory) = 0;
  virtual status copy(int index, void* to, const void* from, std::size_t size) = 0;  // any direction; synchronous
  virtual status synchronize(int index, stream on) = 0;
};

// The backends of this process, built on first use and never destroyed. null where a kind is not built in.
backend* backend_for(device_kind kind) noexcept;

std::unique_ptr<backend> make_cuda_backend();
std::unique_ptr<backend> make_hip_backend();
std::unique_ptr<backend> make_host_backend();
std::unique_ptr<backend> make_null_backend();

}  // namespace rowsmith
