#include "gcn/suite/instruction_count.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "cli/call_memory.h"
#include "gcn/suite/double.h"
#include "rowsmith/runtime.h"

namespace rowsmith::test {
namespace {

constexpr device card{device_kind::hip, 0};
constexpr std::int64_t most_elements = 1 << 18, most_at_all = 1 << 22;

// "24.0"
std::string a_wave(std::uint64_t n, const kernel_count& k) {
  char number[32];
  std::snprintf(number, sizeof number, "%.1f", static_cast<double>(n) / static_cast<double>(k.waves));
  return number;
}

// The same call with fewer rows, where its first axis counts rows alone and nothing else was said about it.
result<cli::op_setup> shortened(cli::op_words words) {
  auto whole = cli::setup_of(words);
  if (!whole) return whole;
  const std::int64_t all = cli::elements(whole->shape);
  const bool reduced = std::find(whole->inner.begin(), whole->inner.end(), 0) != whole->inner.end();
  if (all > most_elements && !reduced && words.shape_of.empty() && words.table_rows.empty()) {
    cli::shape fewer = whole->shape;
    fewer[0] = std::max<std::int64_t>(1, most_elements / (all / fewer[0]));
    words.shape = cli::to_string(fewer);
    whole = cli::setup_of(words);
  }
  if (whole && cli::elements(whole->shape) > most_at_all) {
    return status(code::unsupported, "--count: a simulated card takes too long over " +
                                         std::to_string(cli::elements(whole->shape)) + " elements, " +
                                         std::to_string(most_at_all) + " are allowed");
  }
  return whole;
}

std::vector<kernel_count> counted() {
  const simulated_hip& hip = simulated_hip::get();
  std::vector<kernel_count> all;
  for (int i = 0; hip.kernel(i) != nullptr; ++i) {
    kernel_count k;
    k.kernel = hip.kernel(i);
    const char* name = nullptr;
    std::uint64_t value = 0;
    for (int line = 0; hip.count(i, line, &name, &value); ++line) {
      if (line == 0) {
        k.waves = value;
      } else if (value != 0) {
        k.instructions += value;
        k.classes.emplace_back(name, value);
      }
    }
    all.push_back(std::move(k));
  }
  return all;
}

}  // namespace

std::string call_count::text() const {
  std::string all;
  for (const kernel_count& k : kernels) {
    if (!all.empty()) all += "\n";
    all += k.kernel + ": " + std::to_string(rows) + " rows, " + std::to_string(k.waves) + " waves, " +
           a_wave(k.instructions, k) + " a wave:";
    for (std::size_t i = 0; i < k.classes.size(); ++i) {
      all += (i == 0 ? " " : ", ") + a_wave(k.classes[i].second, k) + " " + k.classes[i].first;
    }
  }
  return all;
}

result<call_count> count_call(cli::op_words words) {
  simulated_hip& hip = simulated_hip::get();
  if (!hip.problem.empty()) return status(code::not_found, "the double of the HIP runtime: " + hip.problem);
  const auto s = shortened(std::move(words));
  if (!s) return s.status();
  const auto memory = cli::call_memory::make(*s, card, false);
  if (!memory) return memory.status();
  const auto drawn = cli::draw_operands(*s, {}, 0);
  if (status written = memory->write(*s, drawn); !written.ok()) return written;
  hip.forget_counts();
  status done = cli::call_of(*s, card, memory->data()).run();
  if (done.ok()) done = synchronize(card);
  if (!done.ok()) return done.with_detail(done.detail() + hip.report());
  return call_count{s->rows(), counted()};
}

cli::op_words parse_words(const std::string& line) {
  CLI::App app;
  cli::op_words words;
  cli::add_op_words(&app, &words);
  app.parse(line);
  return words;
}

}  // namespace rowsmith::test
