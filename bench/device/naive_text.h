// naive_text: the words that a naive kernel is put together of.
#pragma once

#include <string_view>

namespace rowsmith::bench {

// Operands by role: x_at(i) reads element i of this thread's row, y_at.put(i, v) writes it. One that is not there reads
// as 0, a weight as 1.
constexpr std::string_view naive_roles[] = {"x", "y", "residual", "sum", "weight", "bias", "mask", "in1", "dy", "dx"};

constexpr std::string_view naive_prelude = R"(
struct operand { char* data; long long stride[8]; long long inside; };
struct args { long long rows, width, causal, extent[8]; int axes; float scalar; operand at[8]; };

struct t_f32 {
  typedef float stored;
  static __device__ float wide(float v) { return v; }
  static __device__ float narrow(float v) { return v; }
};
struct t_f16 {
  typedef unsigned short stored;
  static __device__ float wide(stored h) { float r; asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(h)); return r; }
  static __device__ stored narrow(float f) { stored r; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r) : "f"(f)); return r; }
};
struct t_bf16 {
  typedef unsigned short stored;
  static __device__ float wide(stored h) { return __uint_as_float((unsigned)h << 16); }
  static __device__ stored narrow(float f) { const unsigned u = __float_as_uint(f); return (u + 0x7fffu + (u >> 16 & 1)) >> 16; }
};
struct t_i32 { typedef int stored; };
struct t_i64 { typedef long long stored; };

template <class T> struct row {
  typename T::stored* data; long long inside; bool there;
  __device__ float operator()(long long i) const { return there ? T::wide(data[i * inside]) : 0.0f; }
  __device__ void put(long long i, float v) const { data[i * inside] = T::narrow(v); }
  __device__ float rounded(float v) const { return T::wide(T::narrow(v)); }
};
struct none {
  float value;
  __device__ float operator()(long long) const { return value; }
  __device__ void put(long long, float) const {}
  __device__ float rounded(float v) const { return v; }
};

template <class T> __device__ row<T> row_of(const args& a, int k, const long long* c) {
  typename T::stored* p = (typename T::stored*)a.at[k].data;
  for (int i = 0; i < a.axes; ++i) p += c[i] * a.at[k].stride[i];
  return {p, a.at[k].inside, true};
}
template <class T, class I> __device__ row<T> picked(const args& a, int k, int index, const long long* c) {
  const long long at = *row_of<I>(a, index, c).data;
  return {(typename T::stored*)a.at[k].data + at * a.at[k].stride[0], a.at[k].inside, at >= 0};
}

__device__ float sigmoid(float v) { return 1.0f / (1.0f + expf(-v)); }
__device__ float silu(float v) { return v * sigmoid(v); }
__device__ float gelu_tanh(float v) { return v * sigmoid(1.595769122f * (v + 0.044715f * v * v * v)); }  // (1 + tanh u) / 2

extern "C" __global__ void bench_naive(const args a) {
  const long long r = (long long)blockIdx.x * 256 + threadIdx.x, n = a.width;
  if (r >= a.rows) return;
  long long c[8];
  for (long long i = a.axes - 1, rest = r; i >= 0; rest /= a.extent[i], --i) c[i] = rest % a.extent[i];
)";

struct naive_body {
  std::string_view op;
  std::string_view text;
  bool by_element = false;  // a row is one element
};

constexpr std::string_view naive_softmax = R"(
  const long long last = a.axes > 0 ? c[a.axes - 1] + a.causal : a.causal;
  const auto in = [&](long long i) { return i <= last ? x_at(i) * a.scalar + mask_at(i) + bias_at(i) : __uint_as_float(0xff800000u); };
  float m = __uint_as_float(0xff800000u), s = 0;
  for (long long i = 0; i < n; ++i) m = fmaxf(m, in(i));
  for (long long i = 0; i < n; ++i) s += expf(in(i) - m);
  for (long long i = 0; i < n; ++i) y_at.put(i, expf(in(i) - m) / s);
)";

constexpr std::string_view naive_log_softmax = R"(
  float m = __uint_as_float(0xff800000u), s = 0;
  for (long long i = 0; i < n; ++i) m = fmaxf(m, x_at(i) * a.scalar);
  for (long long i = 0; i < n; ++i) s += expf(x_at(i) * a.scalar - m);
  for (long long i = 0; i < n; ++i) y_at.put(i, x_at(i) * a.scalar - m - logf(s));
)";

constexpr std::string_view naive_softmax_backward = R"(
  float s = 0;
  for (long long i = 0; i < n; ++i) s += y_at(i) * dy_at(i);
  for (long long i = 0; i < n; ++i) dx_at.put(i, (dy_at(i) - s) * y_at(i) * a.scalar);
)";

constexpr std::string_view naive_layer_norm = R"(
  const auto in = [&](long long i) { return sum_at.rounded(x_at(i) + residual_at(i)); };
  float mean = 0, square = 0;
  for (long long i = 0; i < n; ++i) mean += in(i);
  mean /= n;
  for (long long i = 0; i < n; ++i) square += (in(i) - mean) * (in(i) - mean);
  const float rstd = rsqrtf(square / n + a.scalar);
  for (long long i = 0; i < n; ++i) {
    const float v = in(i);
    sum_at.put(i, v);
    y_at.put(i, (v - mean) * rstd * weight_at(i) + bias_at(i));
  }
)";

constexpr std::string_view naive_rms_norm = R"(
  const auto in = [&](long long i) { return sum_at.rounded(x_at(i) + residual_at(i)); };
  float square = 0;
  for (long long i = 0; i < n; ++i) square += in(i) * in(i);
  const float rstd = rsqrtf(square / n + a.scalar);
  for (long long i = 0; i < n; ++i) {
    const float v = in(i);
    sum_at.put(i, v);
    y_at.put(i, v * rstd * weight_at(i) + bias_at(i));
  }
)";

constexpr naive_body naive_bodies[] = {
    {"softmax", naive_softmax},
    {"log_softmax", naive_log_softmax},
    {"softmax_backward", naive_softmax_backward},
    {"layer_norm", naive_layer_norm},
    {"rms_norm", naive_rms_norm},
    {"add_layer_norm", naive_layer_norm},
    {"add_rms_norm", naive_rms_norm},
    {"gather_rows", "  for (long long i = 0; i < n; ++i) y_at.put(i, x_at(i));\n"},
    {"copy", "  y_at.put(0, x_at(0));\n", true},
    {"elementwise", "  const float x = x_at(0), in1 = in1_at(0);\n", true},  // the expression follows
};

}  // namespace rowsmith::bench
