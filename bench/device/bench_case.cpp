#include "bench_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "own_kernels.h"
#include "rowsmith/rowsmith.h"

namespace rowsmith::bench {

namespace {

constexpr device gpu{device_kind::cuda, 0};
constexpr std::size_t rotate_bytes = std::size_t{400}
                                     << 20;  // several times the L2, so that no replay finds its input there
constexpr int most_sets = 64;

float widen(std::uint16_t h, dtype t) {
  if (t == dtype::bf16) {
    const std::uint32_t bits = std::uint32_t{h} << 16;
    float f;
    std::memcpy(&f, &bits, sizeof f);
    return f;
  }
  _Float16 f;
  std::memcpy(&f, &h, sizeof f);
  return static_cast<float>(f);
}

std::uint16_t narrow(float f, dtype t) {
  std::uint16_t h;
  if (t == dtype::bf16) {
    std::uint32_t bits;
    std::memcpy(&bits, &f, sizeof f);
    return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
  }
  const auto half = static_cast<_Float16>(f);
  std::memcpy(&h, &half, sizeof h);
  return h;
}

double element(const std::vector<char>& data, std::size_t i, dtype t) {
  if (size_of(t) == 4) {
    float f;
    std::memcpy(&f, data.data() + i * 4, 4);
    return f;
  }
  std::uint16_t h;
  std::memcpy(&h, data.data() + i * 2, 2);
  return widen(h, t);
}

// Memory of one device that goes back by itself.
class device_memory {
 public:
  explicit device_memory(std::size_t bytes) : memory_(allocate(gpu, bytes).value()) {}
  ~device_memory() { (void)release(gpu, memory_); }
  device_memory(device_memory&& other) noexcept : memory_(std::exchange(other.memory_, nullptr)) {}
  char* get() const { return static_cast<char*>(memory_); }

 private:
  void* memory_;
};

std::vector<char> random_values(std::size_t count, dtype t) {
  std::mt19937 bits(1);
  std::normal_distribution<float> normal;
  std::vector<char> data(count * size_of(t));
  constexpr std::size_t period = 1 << 20;  // drawn once, then repeated: the values do not matter to the time
  for (std::size_t i = 0; i < std::min(count, period); ++i) {
    const float v = normal(bits);
    if (size_of(t) == 4)
      std::memcpy(data.data() + i * 4, &v, 4);
    else {
      const std::uint16_t h = narrow(v, t);
      std::memcpy(data.data() + i * 2, &h, 2);
    }
  }
  for (std::size_t done = period * size_of(t); done < data.size(); done *= 2) {
    std::memcpy(data.data() + done, data.data(), std::min(done, data.size() - done));
  }
  return data;
}

// The largest error against float64 over some rows, and whether it is inside the tolerance of 16-bit or fp32 output.
double largest_error(const bench_case& c, const std::vector<char>& x, const std::vector<char>& y) {
  double worst = 0;
  const std::int64_t step = std::max<std::int64_t>(1, c.rows * c.width / (std::int64_t{1} << 22));
  for (std::int64_t row = 0; row < c.rows; row += step) {
    const auto at = static_cast<std::size_t>(row * c.width);
    double top = -INFINITY, sum = 0;
    for (std::int64_t i = 0; i < c.width; ++i) top = std::max(top, element(x, at + static_cast<std::size_t>(i), c.in));
    for (std::int64_t i = 0; i < c.width; ++i)
      sum += std::exp(element(x, at + static_cast<std::size_t>(i), c.in) - top);
    for (std::int64_t i = 0; i < c.width; ++i) {
      const double want = std::exp(element(x, at + static_cast<std::size_t>(i), c.in) - top) / sum;
      const double error = std::abs(element(y, at + static_cast<std::size_t>(i), c.out) - want);
      worst = std::isnan(error) ? INFINITY : std::max(worst, error);
    }
  }
  return worst;
}

}  // namespace

std::string shape_text(const bench_case& c) { return fmt::format("{}x{}", c.rows, c.width); }

result<nlohmann::json> run_case(const bench_case& c, const graph_timer& timer) {
  const auto count = static_cast<std::size_t>(c.rows * c.width);
  const std::size_t in_bytes = count * size_of(c.in), out_bytes = count * size_of(c.out);
  const int sets = static_cast<int>(std::clamp<std::size_t>(rotate_bytes / (in_bytes + out_bytes) + 1, 3, most_sets));
  const std::vector<char> x = random_values(count, c.in);
  std::vector<device_memory> in, out;
  for (int i = 0; i < sets; ++i) {
    in.emplace_back(in_bytes + 64);
    out.emplace_back(out_bytes + 64);
    if (status s = copy(gpu, in.back().get() + static_cast<std::size_t>(c.shift) * size_of(c.in), x.data(), in_bytes);
        !s.ok())
      return s;
  }
  const auto kernels = own_kernels::build(c.in, c.out);
  if (!kernels) return kernels.status();

  const auto x_at = [&](int i) {
    return in[static_cast<std::size_t>(i % sets)].get() + static_cast<std::size_t>(c.shift) * size_of(c.in);
  };
  const auto y_at = [&](int i) {
    return out[static_cast<std::size_t>(i % sets)].get() + static_cast<std::size_t>(c.shift) * size_of(c.out);
  };
  const auto ours = [&](int i, stream on) {
    return softmax(const_tensor_view(dense(x_at(i), c.in, {c.rows, c.width}, gpu)),
                   dense(y_at(i), c.out, {c.rows, c.width}, gpu), {}, on);
  };
  const std::vector<char> poison(out_bytes, '\xff');
  if (status s = copy(gpu, y_at(0), poison.data(), out_bytes); !s.ok()) return s;
  forget_kernels();                                         // so that the trace tells of this case, whatever ran before
  if (status s = ours(0, timer.work()); !s.ok()) return s;  // loads the kernel: a capture would refuse to
  if (status s = synchronize(gpu, timer.work()); !s.ok()) return s;
  const call_trace trace = last_cold_call();
  std::vector<char> y(out_bytes);
  if (status s = copy(gpu, y.data(), y_at(0), out_bytes); !s.ok()) return s;

  const int calls = std::max(sets, 8), replays = 11;
  struct {
    const char* name;
    std::function<status(int, stream)> enqueue;
    double us = 0;
  } all[] = {{"ours", ours},
             {"runtime copy",
              [&](int i, stream on) { return timer.copy(y_at(i), x_at(i), std::min(in_bytes, out_bytes), on); }},
             {"own copy",
              [&](int i, stream on) {
                return kernels->copy(out[static_cast<std::size_t>(i % sets)].get(),
                                     in[static_cast<std::size_t>(i % sets)].get(), in_bytes / 16 * 16,
                                     out_bytes / 16 * 16, on);
              }},
             {"empty", [&](int, stream on) { return kernels->empty(on); }},
             {"naive", [&](int i, stream on) { return kernels->naive(x_at(i), y_at(i), c.rows, c.width, on); }}};
  for (auto& one : all) {
    const bool slow = std::string_view(one.name) == "naive";
    const auto us = timer.median_us(slow ? 3 : calls, slow ? 1 : replays, one.enqueue);
    if (!us) return us.status();
    one.us = *us;
  }
  const double bytes = static_cast<double>(in_bytes + out_bytes);
  double copy_us = all[2].us;
  if (in_bytes == out_bytes) copy_us = std::min(copy_us, all[1].us);
  nlohmann::json row = {
      {"case", c.name},
      {"op", "softmax"},
      {"dtype", c.in == c.out ? std::string(name_of(c.in)) : fmt::format("{}->{}", name_of(c.in), name_of(c.out))},
      {"shape", shape_text(c)},
      {"strategy", trace.strategy},
      {"naive_us", all[4].us},
      {"ours_us", all[0].us},
      {"ours_gbps", bytes / all[0].us / 1e3},
      {"copy_gbps", bytes / copy_us / 1e3},
      {"x_copy", copy_us / all[0].us},
      {"goal", c.goal},
      {"empty_us", all[3].us},
      {"goal_us", c.goal_us == 0 ? 0.0 : all[3].us + c.goal_us},
      {"max_abs_err", largest_error(c, x, y)}};
  return row;
}

}  // namespace rowsmith::bench
