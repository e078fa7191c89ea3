#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "mutants/mutant.h"
#include "render/embedded.h"

namespace rowsmith::mutants {
namespace {

TEST(mutant_list, every_right_text_stands_there_exactly_once) {
  std::set<std::string> names;
  for (const mutant& m : all_mutants()) {
    EXPECT_TRUE(names.insert(m.name).second) << m.name << " is there twice";
    EXPECT_STRNE(m.right, m.wrong) << m.name;
    EXPECT_NE(m.on, 0u) << m.name;
    const auto all = embedded_headers();
    const auto header = std::find_if(all.begin(), all.end(), [&](const auto& h) { return h.path == m.file; });
    ASSERT_NE(header, all.end()) << m.name << ": " << m.file;
    EXPECT_FALSE(mutated(m, header->text).empty()) << m.name << ": " << m.file << " has not once " << m.right;
  }
}

}  // namespace
}  // namespace rowsmith::mutants
