// rowsmith_device_check [--device=hip:0] [--megabytes=256]: on a machine with an AMD or Hygon card, what no test
// without one can show: that every exchange between lanes does what the kernels take it to do, and how fast softmax is
// against a copy. `./dev device-check` runs it and the numbers, and keeps what they print.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "backend/backend.h"
#include "rowsmith/rowsmith.h"

namespace {

using namespace rowsmith;

int failures = 0;

void line(bool good, const std::string& what, const std::string& found) {
  std::printf("%-6s %-46s %s\n", good ? "ok" : "FAILED", what.c_str(), found.c_str());
  std::fflush(stdout);
  if (!good) ++failures;
}

// An exchange of machine/hip.h alone: lane l holds l + 1 before, and source(l) + 1 after; -1: nobody's, which is 0.
struct exchange {
  const char* name;
  const char* text;  // of v
  int (*source)(int lane);
};

constexpr exchange exchanges[] = {
    {"quad_perm 0xb1 (lane ^ 1)", "__builtin_amdgcn_mov_dpp(v, 0xb1, 0xf, 0xf, true)", [](int l) { return l ^ 1; }},
    {"quad_perm 0x4e (lane ^ 2)", "__builtin_amdgcn_mov_dpp(v, 0x4e, 0xf, 0xf, true)", [](int l) { return l ^ 2; }},
    {"row_half_mirror 0x141", "__builtin_amdgcn_mov_dpp(v, 0x141, 0xf, 0xf, true)", [](int l) { return l ^ 7; }},
    {"row_mirror 0x140", "__builtin_amdgcn_mov_dpp(v, 0x140, 0xf, 0xf, true)", [](int l) { return l ^ 15; }},
    {"row_bcast:15 0x142", "__builtin_amdgcn_mov_dpp(v, 0x142, 0xf, 0xf, true)",
     [](int l) { return l < 16 ? -1 : l / 16 * 16 - 1; }},
    {"row_bcast:31 0x143", "__builtin_amdgcn_mov_dpp(v, 0x143, 0xf, 0xf, true)",
     [](int l) { return l < 32 ? -1 : 31; }},
    {"readlane 31", "__builtin_amdgcn_readlane(v, 31)", [](int) { return 31; }},
    {"readlane 63", "__builtin_amdgcn_readlane(v, 63)", [](int) { return 63; }},
    {"readfirstlane", "__builtin_amdgcn_readfirstlane(v)", [](int) { return 0; }},
};

void check_exchange(backend& b, const device_info& card, int index, const exchange& e) {
  source s;
  s.name = "exchange.hip";
  s.entry = "k";
  s.text =
      "extern \"C\" __attribute__((global, amdgpu_flat_work_group_size(64, 64))) void k(int* y) {\n"
      "  const int lane = __builtin_amdgcn_workitem_id_x();\n  int v = lane + 1;\n"
      "  asm volatile(\"\" : \"+v\"(v));\n  y[lane] = " +
      std::string(e.text) + ";\n}\n";
  const auto made = b.compile(s, card.traits);
  if (!made) return line(false, e.name, made.status().to_string());
  launch_plan how;
  how.entry = "k";
  how.threads = 64;
  auto kernel = b.load(index, made->code, how);
  if (!kernel) return line(false, e.name, kernel.status().to_string());
  constexpr int lanes = 64;
  std::vector<int> got(lanes, -7);
  auto memory = b.allocate(index, lanes * sizeof(int));
  if (!memory) return line(false, e.name, memory.status().to_string());
  const void* argument = *memory;
  status done = (*kernel)->launch(1, &argument, sizeof argument, {});
  if (done.ok()) done = b.synchronize(index, {});
  if (done.ok()) done = b.copy(index, got.data(), *memory, lanes * sizeof(int));
  (void)b.release(index, *memory).ok();
  if (!done.ok()) return line(false, e.name, done.to_string());
  for (int l = 0; l < lanes; ++l) {
    if (const int want = e.source(l) + 1; got[static_cast<std::size_t>(l)] != want) {
      return line(false, e.name,
                  "lane " + std::to_string(l) + " holds lane " + std::to_string(got[static_cast<std::size_t>(l)] - 1) +
                      "'s value, expected " + std::to_string(want - 1) + "'s");
    }
  }
  line(true, e.name, "");
}

// Best of five batches, in seconds a call.
double seconds(const std::function<status()>& call, const std::function<status()>& wait) {
  using clock = std::chrono::steady_clock;
  constexpr int calls = 10;
  double best = 1e9;
  if (!call().ok() || !wait().ok()) return 0;
  for (int batch = 0; batch < 5; ++batch) {
    const auto start = clock::now();
    for (int i = 0; i < calls; ++i) {
      if (!call().ok()) return 0;
    }
    if (!wait().ok()) return 0;
    best = std::min(best, std::chrono::duration<double>(clock::now() - start).count() / calls);
  }
  return best;
}

void check_speed(device where, std::size_t bytes) {
  const auto x = allocate(where, bytes), y = allocate(where, bytes);
  if (!x || !y) return line(false, "memory for timing", (x ? y : x).status().to_string());
  const std::vector<char> zeros(bytes);
  (void)copy(where, *x, zeros.data(), bytes).ok();
  const auto wait = [&] { return synchronize(where); };
  const double per_copy = seconds([&] { return copy(where, *y, *x, bytes); }, wait);
  const auto rate = [&](double moved, double s) { return s > 0 ? 2e-9 * moved / s : 0; };
  const double copied = rate(static_cast<double>(bytes), per_copy);
  char text[96];
  std::snprintf(text, sizeof text, "%.1f GB/s read and written", copied);
  line(per_copy > 0, "copy of " + std::to_string(bytes >> 20) + " MiB", text);
  for (const dtype type : {dtype::f16, dtype::f32}) {
    for (const std::int64_t width : {49, 64, 512, 1000, 1024, 2048, 4096, 16384, 50257, 131072}) {
      const auto size = static_cast<std::int64_t>(size_of(type));
      const std::int64_t rows = static_cast<std::int64_t>(bytes) / (width * size);
      if (rows == 0) continue;
      const tensor_view in = dense(*x, type, {rows, width}, where), out = dense(*y, type, {rows, width}, where);
      const double s = seconds([&] { return softmax(in, out); }, wait);
      const double r = rate(static_cast<double>(rows * width * size), s);
      std::snprintf(text, sizeof text, "%.1f GB/s, %.2f of copy, %s", r, copied > 0 ? r / copied : 0,
                    std::string(last_cold_call().strategy).c_str());
      line(s > 0,
           "softmax " + std::string(name_of(type)) + " of " + std::to_string(rows) + " x " + std::to_string(width),
           text);
    }
  }
  (void)release(where, *x).ok();
  (void)release(where, *y).ok();
}

}  // namespace

int main(int argc, char** argv) {
  device where{device_kind::hip, 0};
  std::size_t megabytes = 256;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word.rfind("--device=", 0) == 0 && parse(word.substr(9), &where)) continue;
    if (word.rfind("--megabytes=", 0) == 0 && (megabytes = std::strtoull(argv[i] + 12, nullptr, 10)) > 0) continue;
    return std::fprintf(stderr, "usage: %s [--device=hip:0] [--megabytes=256]\n", argv[0]), 2;
  }
  backend& b = *backend_for(device_kind::hip);
  const auto card = b.describe(where.index);
  if (!card)
    return std::fprintf(stderr, "%s\n%s\n", card.status().to_string().c_str(), card.status().detail().c_str()), 1;
  std::printf("card   %s, %s, waves of %d\n", card->card.name.c_str(), card->traits.arch.c_str(), card->traits.wave);
  if (const auto who = b.compiler(card->traits); who) {
    std::printf("by     %s %s\n", who->name.c_str(), who->version.c_str());
  } else {
    line(false, "compiler", who.status().to_string());
  }
  if (card->traits.wave == 64) {
    for (const exchange& e : exchanges) check_exchange(b, *card, where.index, e);
  } else {
    std::printf("       the exchanges of 64 lanes are left out\n");
  }
  check_speed(where, megabytes << 20);
  std::printf("%s\n", failures == 0 ? "device check: all as expected" : "device check: FAILURES, see above");
  return failures == 0 ? 0 : 1;
}
