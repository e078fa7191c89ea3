#include "own_kernels.h"

#include <algorithm>

#include "kernel_builder.h"

namespace rowsmith::bench {

namespace {

constexpr int vectors_a_thread = 4;

// What caches are told of the copied bytes. Which is fastest depends on the case.
constexpr const char* k_hints[] = {".cs", ""};

// The side that has more moves 1024 vectors a block, the other one as many as keep their ratio, from a multiple of 128
// bytes on.
constexpr const char* k_copy = R"(
struct args { const uint4* from; uint4* to; unsigned long long reads, writes; };
__device__ uint4 load(const uint4* from) {
  uint4 v;
  asm volatile("ld.global" HINT ".v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(from));
  return v;
}
__device__ void store(uint4* to, uint4 v) {
  asm volatile("st.global" HINT ".v4.u32 [%0], {%1,%2,%3,%4};" ::"l"(to), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w) : "memory");
}
__device__ unsigned long long edge(unsigned long long total, unsigned long long most, unsigned long long block) {
  if (block == gridDim.x) return total;
  return total == most ? block * 1024 : total * block / gridDim.x & ~7ull;
}
extern "C" __global__ void __launch_bounds__(256) bench_copy(const args a) {
  const unsigned long long most = a.reads > a.writes ? a.reads : a.writes, block = blockIdx.x;
  const unsigned long long read = edge(a.reads, most, block) + threadIdx.x, read_end = edge(a.reads, most, block + 1);
  const unsigned long long write = edge(a.writes, most, block) + threadIdx.x, write_end = edge(a.writes, most, block + 1);
  uint4 v[4] = {};
#pragma unroll
  for (int k = 0; k < 4; ++k) if (read + k * 256 < read_end) v[k] = load(a.from + read + k * 256);
  unsigned acc = 0;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    if (write + k * 256 < write_end) store(a.to + write + k * 256, v[k]);
    else acc |= v[k].x ^ v[k].y ^ v[k].z ^ v[k].w;
  }
  if (acc == 0x9e3779b9u && read > most + 1024) a.to[0] = v[0];  // never: what is only read must be read
}
)";

constexpr const char* k_empty = R"(
struct args { unsigned long long nothing; };
extern "C" __global__ void bench_empty(const args) {}
)";

}  // namespace

result<own_kernels> own_kernels::build() {
  own_kernels k;
  for (const char* hint : k_hints) {
    auto copy = build_own("bench_copy", std::string("#define HINT \"") + hint + "\"\n" + k_copy);
    if (!copy) return copy.status();
    k.copies_.push_back(std::move(*copy));
  }
  auto empty = build_own("bench_empty", k_empty);
  if (!empty) return empty.status();
  k.empty_ = std::move(*empty);
  return k;
}

status own_kernels::copy(int which, void* to, const void* from, std::size_t in_bytes, std::size_t out_bytes,
                         stream on) const {
  struct {
    const void* from;
    void* to;
    std::uint64_t reads, writes;
  } args = {from, to, (in_bytes + 15) / 16, (out_bytes + 15) / 16};
  const auto vectors = static_cast<std::int64_t>(std::max(args.reads, args.writes));
  constexpr std::int64_t a_block = own_threads * vectors_a_thread;
  return copies_[static_cast<std::size_t>(which)]->launch((vectors + a_block - 1) / a_block, &args, sizeof args, on);
}

status own_kernels::empty(stream on) const {
  const std::uint64_t nothing = 0;
  return empty_->launch(1, &nothing, sizeof nothing, on);
}

}  // namespace rowsmith::bench
