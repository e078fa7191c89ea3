#include "block_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <numeric>
#include <random>
#include <thread>

namespace rowsmith::gcn {
namespace {

constexpr u32 k_most_lds = 64 * 1024;
constexpr u32 k_most_scratch = 4096;
constexpr int k_packet_bytes = 64;

// What every block of a dispatch sees.
struct launch {
  const image& code;
  const dispatch& how;
  const kernel_entry& kernel;
  const memory_snapshot& memory;
  u64 kernarg;
  u64 packet;
  u32 threads;

  u64 blocks() const { return u64{how.grid[0]} * how.grid[1] * how.grid[2]; }
  u32 waves() const { return (threads + k_lanes - 1) / k_lanes; }
};

// Scalar registers at a kernel's start: those that its descriptor asks for, in the order of the ABI.
void set_scalars(const launch& l, const u32 block[3], wave& w) {
  const u16 asks = l.kernel.properties;
  int at = 0;
  const u64 scratch = private_memory::base, nothing = 0;
  const auto pair = [&](int bit, const u64* value) {
    if (!(asks >> bit & 1)) return;
    if (value != nullptr) w.set_scalar_pair(at, *value);
    at += 2;
  };
  pair(0, &scratch);
  if (asks & 1) at += 2;  // the rest of the buffer's descriptor
  pair(1, &l.packet);
  pair(2, nullptr);  // queue
  pair(3, &l.kernarg);
  pair(4, nullptr);   // dispatch number
  pair(5, &nothing);  // flat scratch: no flat access goes there
  at = static_cast<int>(l.kernel.resources >> 1 & 31);
  for (int n = 0; n < 3; ++n) {
    if (l.kernel.resources >> (7 + n) & 1) w.set_scalar(at++, block[n]);
  }
  if (l.kernel.resources >> 10 & 1) ++at;
  if (l.kernel.resources & 1) w.set_scalar(at, 0);  // where the wave's scratch begins
}

// Vector registers: the numbers of each lane's thread.
void set_threads(const launch& l, int number, wave& w) {
  u64 exec = 0;
  const u32 x_size = l.how.block[0], y_size = l.how.block[1];
  const bool packed = l.code.packs_thread_numbers();
  const int given = packed ? 1 : 1 + static_cast<int>(l.kernel.resources >> 11 & 3);
  for (int lane = 0; lane < k_lanes; ++lane) {
    const u32 thread = static_cast<u32>(number * k_lanes + lane);
    if (thread < l.threads) exec |= u64{1} << lane;
    const u32 x = thread % x_size, y = thread / x_size % y_size, z = thread / (x_size * y_size);
    w.v[0][lane] = packed ? x | y << 10 | z << 20 : x;
    if (given > 1) w.v[1][lane] = y;
    if (given > 2) w.v[2][lane] = z;
  }
  for (int n = 0; n < given && n < 3; ++n) w.low_written[n] = w.high_written[n] = k_every_lane;
  w.set_scalar_pair(k_exec, exec);
}

// Runs blocks one after another. One per host thread.
class runner {
 public:
  runner(const launch& l)
      : launch_(l),
        lds_(l.kernel.facts.lds_bytes + l.how.dynamic_lds),
        waves_(l.waves()),
        order_(l.waves()),
        executor_(l.code, l.memory, lds_, l.kernel.mode, {l.how.perturb_transcendentals, l.how.seed}) {
    std::iota(order_.begin(), order_.end(), 0);
    for (wave& w : waves_) w.own.resize(l.kernel.facts.scratch_bytes);
  }

  status run(u64 number) {
    const auto& grid = launch_.how.grid;
    const u32 block[3] = {static_cast<u32>(number % grid[0]), static_cast<u32>(number / grid[0] % grid[1]),
                          static_cast<u32>(number / (u64{grid[0]} * grid[1]))};
    lds_.forget();
    for (int n = 0; n < static_cast<int>(waves_.size()); ++n) {
      wave& w = waves_[n];
      w.forget();
      w.number = n;
      w.next = launch_.kernel.first;
      set_scalars(launch_, block, w);
      set_threads(launch_, n, w);
    }
    executed.waves += waves_.size();
    order_source_.seed(static_cast<u32>(launch_.how.seed * 0x9e3779b9u + number));
    while (phase(block)) lds_.barrier();
    return executor_.fault();
  }

  counts executed;

 private:
  // Every wave to its next barrier or its end, in an order of chance. False: all have ended, or one failed.
  bool phase(const u32 block[3]) {
    std::shuffle(order_.begin(), order_.end(), order_source_);
    bool waiting = false;
    for (bool again = true; again;) {
      again = false;
      for (const int n : order_) {
        wave& w = waves_[n];
        if (w.state == wave_state::ended || w.state == wave_state::at_barrier) continue;
        const wave_state now = executor_.run(w, executed);
        if (now == wave_state::failed) {
          where_ = fmt::format("block {},{},{}", block[0], block[1], block[2]);
          return false;
        }
        again |= now == wave_state::yielded;
      }
    }
    for (wave& w : waves_) {
      if (w.state != wave_state::at_barrier) continue;
      w.state = wave_state::running;
      waiting = true;
    }
    return waiting;
  }

 public:
  const std::string& where() const { return where_; }

 private:
  const launch& launch_;
  lds lds_;
  std::vector<wave> waves_;
  std::vector<int> order_;
  executor executor_;
  std::minstd_rand order_source_;
  std::string where_;
};

status refused(const dispatch& d, const std::string& why) {
  return {code::invalid_argument, "kernel " + d.kernel + ": " + why};
}

status check(const dispatch& d, const kernel_entry* kernel, u64 threads) {
  if (kernel == nullptr) return {code::not_found, "the code object holds no kernel \"" + d.kernel + "\""};
  const kernel_facts& facts = kernel->facts;
  if (kernel->first < 0) return {code::corrupt, "kernel " + d.kernel + ": no instruction at its entry"};
  if (facts.scratch_bytes > k_most_scratch) {
    return refused(
        d, fmt::format("{} bytes of scratch a lane, at most {} are interpreted", facts.scratch_bytes, k_most_scratch));
  }
  if (!kernel->nearest) return {code::unsupported, "kernel " + d.kernel + ": only rounding to nearest is interpreted"};
  if (threads == 0 || u64{d.grid[0]} * d.grid[1] * d.grid[2] == 0) return refused(d, "the grid or the block is empty");
  if (threads > facts.max_threads) {
    return refused(d, fmt::format("a block of {} threads, at most {} are allowed", threads, facts.max_threads));
  }
  if (u64{facts.lds_bytes} + d.dynamic_lds > k_most_lds) {
    return refused(
        d, fmt::format("{} bytes of LDS, at most {} are there", u64{facts.lds_bytes} + d.dynamic_lds, k_most_lds));
  }
  if (d.kernarg.size() > facts.kernarg_bytes) {
    return refused(d, fmt::format("{} bytes of arguments, the kernel takes {}", d.kernarg.size(), facts.kernarg_bytes));
  }
  return {};
}

// The dispatch packet that some kernels read their sizes from.
void fill_packet(const dispatch& d, u64 kernarg, std::byte* packet) {
  const auto put = [&](int at, auto value) { std::memcpy(packet + at, &value, sizeof value); };
  for (int n = 0; n < 3; ++n) put(4 + 2 * n, static_cast<u16>(d.block[n]));
  for (int n = 0; n < 3; ++n) put(12 + 4 * n, d.grid[n] * d.block[n]);
  put(28, d.dynamic_lds);
  put(40, kernarg);
}

}  // namespace

result<counts> run_blocks(const image& code, const dispatch& d, memory_map& memory) {
  const kernel_entry* kernel = code.entry(d.kernel);
  const u64 threads = u64{d.block[0]} * d.block[1] * d.block[2];
  if (status s = check(d, kernel, threads); !s.ok()) return s;
  std::vector<u64> kernarg((kernel->facts.kernarg_bytes + 15) / 8, 0);
  std::vector<u64> packet(k_packet_bytes / 8, 0);
  std::memcpy(kernarg.data(), d.kernarg.data(), d.kernarg.size());
  const u64 kernarg_at = reinterpret_cast<u64>(kernarg.data());
  fill_packet(d, kernarg_at, reinterpret_cast<std::byte*>(packet.data()));
  memory.add(kernarg.data(), std::max<u32>(kernel->facts.kernarg_bytes, 1), access::read);
  memory.add(packet.data(), k_packet_bytes, access::read);
  const memory_snapshot ranges = memory.snapshot();
  memory.remove(kernarg.data());
  memory.remove(packet.data());

  const launch l{code, d, *kernel, ranges, kernarg_at, reinterpret_cast<u64>(packet.data()), static_cast<u32>(threads)};
  std::atomic<u64> next{0};
  std::atomic<bool> stop{false};
  std::mutex guard;
  counts all;
  status first;
  const auto work = [&] {
    runner r(l);
    status s;
    for (u64 n; s.ok() && !stop && (n = next++) < l.blocks();) s = r.run(n);
    const std::lock_guard lock(guard);
    all += r.executed;
    if (s.ok()) return;
    stop = true;
    if (first.ok()) first = status(s.error(), fmt::format("kernel {}, {}: {}", d.kernel, r.where(), s.message()));
  };
  const int extra = static_cast<int>(std::min<u64>(static_cast<u64>(std::max(d.threads, 1)), l.blocks())) - 1;
  std::vector<std::thread> others;
  for (int n = 0; n < extra; ++n) others.emplace_back(work);
  work();
  for (std::thread& t : others) t.join();
  if (!first.ok()) return first;
  return all;
}

}  // namespace rowsmith::gcn
