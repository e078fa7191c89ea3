#include "gcn/suite/instruction_count.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <numeric>

#include "gcn/suite/double.h"
#include "rowsmith/explain.h"
#include "rowsmith/runtime.h"

namespace rowsmith::test {
namespace {

constexpr device card{device_kind::hip, 0};
constexpr std::int64_t most_elements = 1 << 18;

// Zeros on the card, given back at the end.
class zeros {
 public:
  explicit zeros(std::size_t bytes) : data_(allocate(card, bytes).value()) {
    const std::vector<char> all(bytes);
    const status s = copy(card, data_, all.data(), bytes);
    if (!s.ok()) throw bad_result(s);
  }
  ~zeros() { (void)release(card, data_).ok(); }
  zeros(const zeros&) = delete;
  zeros& operator=(const zeros&) = delete;
  void* data() const { return data_; }

 private:
  void* data_;
};

}  // namespace

std::string instruction_count::text() const {
  char number[32];
  std::snprintf(number, sizeof number, "%.1f", per_wave());
  std::string all = std::string(number) + " a wave:";
  for (const auto& [name, value] : classes) {
    std::snprintf(number, sizeof number, "%.1f", static_cast<double>(value) / static_cast<double>(waves));
    all += std::string(all.back() == ':' ? " " : ", ") + number + " " + name;
  }
  return all;
}

result<instruction_count> count_softmax(std::int64_t rows, std::int64_t width, dtype in, dtype out,
                                        const softmax_options& options) {
  simulated_hip& hip = simulated_hip::get();
  if (!hip.problem.empty()) return status(code::not_found, "the double of the HIP runtime: " + hip.problem);
  rows = std::clamp<std::int64_t>(most_elements / width, 1, rows);
  const auto n = static_cast<std::size_t>(rows * width);
  const zeros x(n * size_of(in)), y(n * size_of(out));
  const auto view = [&](const zeros& memory, dtype type) { return dense(memory.data(), type, {rows, width}, card); };
  hip.forget_counts();
  status s = softmax(view(x, in), view(y, out), options);
  if (s.ok()) s = synchronize(card);
  if (!s.ok()) return s.with_detail(s.detail() + hip.report());
  instruction_count c;
  c.strategy = last_cold_call().strategy;
  c.rows = rows;
  const char* name = nullptr;
  std::uint64_t value = 0;
  for (int i = 0; hip.count(i, &name, &value); ++i) {
    if (i == 0) {
      c.waves = value;
    } else if (value != 0) {
      c.instructions += value;
      c.classes.emplace_back(name, value);
    }
  }
  return c;
}

}  // namespace rowsmith::test
