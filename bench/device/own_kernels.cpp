#include "own_kernels.h"

#include <fmt/format.h>

#include <algorithm>

namespace rowsmith::bench {

namespace {

constexpr int threads = 256;
constexpr int vectors_a_thread = 4;

constexpr std::string_view k_copy = R"(
struct args { const uint4* from; uint4* to; unsigned long long reads, writes; };
extern "C" __global__ void __launch_bounds__(256) bench_copy(const args a) {
  const unsigned long long most = a.reads > a.writes ? a.reads : a.writes;
  unsigned long long base = (unsigned long long)blockIdx.x * 1024 + threadIdx.x;
  uint4 v[4] = {};
#pragma unroll
  for (int k = 0; k < 4; ++k) if (base + k * 256 < a.reads) v[k] = __ldcs(a.from + base + k * 256);
  unsigned acc = 0;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    if (base + k * 256 < a.writes) __stcs(a.to + base + k * 256, v[k]);
    else acc |= v[k].x ^ v[k].y ^ v[k].z ^ v[k].w;
  }
  if (acc == 0x9e3779b9u && base > most) a.to[0] = v[0];
}
)";

constexpr std::string_view k_empty = R"(
struct args { unsigned long long nothing; };
extern "C" __global__ void bench_empty(const args) {}
)";

constexpr std::string_view k_naive = R"(
struct args {{ const void* x; void* y; unsigned long long rows, width; }};
__device__ float f16_to_float(unsigned short h) {{ float r; asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(h)); return r; }}
__device__ unsigned short float_to_f16(float f) {{ unsigned short r; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r) : "f"(f)); return r; }}
__device__ float bf16_to_float(unsigned short h) {{ return __uint_as_float((unsigned)h << 16); }}
__device__ unsigned short float_to_bf16(float f) {{ unsigned u = __float_as_uint(f); return (u + 0x7fffu + ((u >> 16) & 1)) >> 16; }}
__device__ float same(float f) {{ return f; }}
extern "C" __global__ void bench_naive(const args a) {{
  const unsigned long long row = (unsigned long long)blockIdx.x * 256 + threadIdx.x;
  if (row >= a.rows) return;
  const {0}* x = (const {0}*)a.x + row * a.width;
  {2}* y = ({2}*)a.y + row * a.width;
  float m = __uint_as_float(0xff800000u), s = 0;
  for (unsigned long long i = 0; i < a.width; ++i) m = fmaxf(m, {1}(x[i]));
  for (unsigned long long i = 0; i < a.width; ++i) s += expf({1}(x[i]) - m);
  for (unsigned long long i = 0; i < a.width; ++i) y[i] = {3}(expf({1}(x[i]) - m) / s);
}}
)";

struct accessor {
  const char *type, *load, *store;
};

accessor accessor_of(dtype t) {
  if (t == dtype::f16) return {"unsigned short", "f16_to_float", "float_to_f16"};
  if (t == dtype::bf16) return {"unsigned short", "bf16_to_float", "float_to_bf16"};
  return {"float", "same", "same"};
}

result<std::unique_ptr<loaded_kernel>> make(const char* entry, std::string text) {
  backend& b = *backend_for(device_kind::cuda);
  const auto info = b.describe(0);
  if (!info) return info.status();
  source s;
  s.name = fmt::format("{}.cu", entry);
  s.entry = entry;
  s.text = std::move(text);
  const auto made = b.compile(s, info->traits);
  if (!made) return status(made.status().error(), made.status().message() + "\n" + made.status().detail());
  launch_plan l;
  l.entry = entry;
  l.threads = threads;
  return b.load(0, made->code, l);
}

}  // namespace

result<own_kernels> own_kernels::build(dtype in, dtype out) {
  own_kernels k;
  const accessor a = accessor_of(in), b = accessor_of(out);
  struct {
    std::unique_ptr<loaded_kernel>* to;
    const char* entry;
    std::string text;
  } all[] = {{&k.copy_, "bench_copy", std::string(k_copy)},
             {&k.empty_, "bench_empty", std::string(k_empty)},
             {&k.naive_, "bench_naive", fmt::format(fmt::runtime(k_naive), a.type, a.load, b.type, b.store)}};
  for (auto& one : all) {
    auto made = make(one.entry, one.text);
    if (!made) return made.status();
    *one.to = std::move(*made);
  }
  return k;
}

status own_kernels::copy(void* to, const void* from, std::size_t in_bytes, std::size_t out_bytes, stream on) const {
  struct {
    const void* from;
    void* to;
    std::uint64_t reads, writes;
  } args = {from, to, in_bytes / 16, out_bytes / 16};
  const auto vectors = static_cast<std::int64_t>(std::max(args.reads, args.writes));
  constexpr std::int64_t a_block = threads * vectors_a_thread;
  return copy_->launch((vectors + a_block - 1) / a_block, &args, sizeof args, on);
}

status own_kernels::empty(stream on) const {
  const std::uint64_t nothing = 0;
  return empty_->launch(1, &nothing, sizeof nothing, on);
}

status own_kernels::naive(const void* x, void* y, std::int64_t rows, std::int64_t width, stream on) const {
  struct {
    const void* x;
    void* y;
    std::uint64_t rows, width;
  } args = {x, y, static_cast<std::uint64_t>(rows), static_cast<std::uint64_t>(width)};
  return naive_->launch((rows + threads - 1) / threads, &args, sizeof args, on);
}

}  // namespace rowsmith::bench
