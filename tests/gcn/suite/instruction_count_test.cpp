// Executed instructions a wave, held in instruction_counts.txt: a kernel that grows is seen. ROWSMITH_UPDATE_COUNTS=1
// writes the file anew (both cards in turn). The counts are those of comgr 2.4; another compiler's may differ.
#include "gcn/suite/instruction_count.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <map>

#include "gcn/suite/double.h"
#include "support/softmax_check.h"

namespace rowsmith::test {
namespace {

constexpr std::int64_t widths[] = {49, 64, 128, 512, 1000, 1024, 2048, 4096, 16384, 50257, 131072};
constexpr const char* const file = ROWSMITH_TEST_COUNTS;

// "gfx906 f16 1024" to the line behind it.
using table = std::map<std::string, std::string>;

table read_table() {
  table t;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    const std::size_t colon = line.find(": ");
    if (!line.empty() && line[0] != '#' && colon != std::string::npos)
      t[line.substr(0, colon)] = line.substr(colon + 2);
  }
  return t;
}

void write_table(const table& t) {
  std::ofstream out(file);
  out << "# Executed instructions of softmax, a wave, over the rows that it works on (rows / waves of them);\n"
         "# see instruction_count_test.cpp.\n";
  for (const auto& [key, line] : t) out << key << ": " << line << "\n";
}

class instruction_counts : public on_device {
 protected:
  static std::string count(std::int64_t width, dtypes type) {
    const auto c = count_call(
        parse_words("softmax --shape 65536x" + std::to_string(width) + " --dtype " + std::string(name_of(type.in))));
    EXPECT_TRUE(c) << c.status().to_string() << c.status().detail();
    return c ? c->text() : "";
  }
};

TEST_F(instruction_counts, are_those_of_the_table) {
  table known = read_table();
  const bool update = std::getenv("ROWSMITH_UPDATE_COUNTS") != nullptr;
  for (const dtypes type : {f16, bf16, f32}) {
    for (const std::int64_t width : widths) {
      char key[64];
      std::snprintf(key, sizeof key, "%s %s %6lld", std::getenv("HIPSIM_ARCH"), name_of(type).c_str(),
                    static_cast<long long>(width));
      const std::string line = count(width, type);
      if (update) known[key] = line;
      EXPECT_EQ(known[key], line) << key << ": if it is meant to, ROWSMITH_UPDATE_COUNTS=1 records it";
    }
  }
  if (update) write_table(known);
}

}  // namespace
}  // namespace rowsmith::test
