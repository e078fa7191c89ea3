// An op is a row of model/op_table.cpp and its files in kernel_src: the rooms between a call and a kernel know what a
// row says, and no op by its name. So that a new op is written into its own files, and none of theirs.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "model/op_table.h"

namespace rowsmith {
namespace {

namespace fs = std::filesystem;

// Ops that are verbs of the rooms themselves: what is fused, what only moves.
const std::set<std::string_view> k_verbs = {"copy", "elementwise"};

std::string code_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return std::regex_replace(text.str(), std::regex("//[^\n]*"), "");
}

TEST(ops, no_room_between_a_call_and_a_kernel_knows_one_by_its_name) {
  int files = 0;
  for (const char* room : {"inspect", "plan", "render", "build"}) {
    for (const fs::directory_entry& e :
         fs::recursive_directory_iterator(fs::path(ROWSMITH_TESTS_FOLDER "/../src") / room)) {
      if (e.path().extension() != ".cpp" && e.path().extension() != ".h") continue;
      ++files;
      const std::string code = code_of(e.path());
      for (const op_row& op : all_ops()) {
        if (op.id == op_id::none || k_verbs.contains(op.name)) continue;
        const std::regex named("op_id::" + std::string(op.name) + "\\b|\"" + std::string(op.name) + "[\"<]");
        EXPECT_FALSE(std::regex_search(code, named)) << e.path() << " knows " << op.name;
      }
    }
  }
  EXPECT_GT(files, 20);
}

}  // namespace
}  // namespace rowsmith
