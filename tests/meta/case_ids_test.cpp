// Every id in *_case_ids.txt is part of a test's name.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

// The ids in the names of all tests: words between underscores that are a capital and a number, or "case" and a number.
std::set<std::string> ids_of_tests() {
  static const std::regex test(R"(\bTEST(_F|_P)?\(\s*\w+,\s*(\w+)\))"), id("^[A-Z][0-9]+$"), number("^[0-9]+$");
  std::set<std::string> ids;
  for (const fs::directory_entry& e : fs::recursive_directory_iterator(ROWSMITH_TESTS_FOLDER)) {
    if (e.path().extension() != ".cpp") continue;
    const std::string text = text_of(e.path());
    for (std::sregex_iterator i(text.begin(), text.end(), test), end; i != end; ++i) {
      std::istringstream name((*i)[2]);
      for (std::string word, before; std::getline(name, word, '_'); before = word) {
        if (std::regex_match(word, id)) ids.insert(word);
        if (before == "case" && std::regex_match(word, number)) ids.insert("case_" + word);
      }
    }
  }
  return ids;
}

TEST(case_ids, every_one_has_a_test) {
  const std::set<std::string> tested = ids_of_tests();
  int lists = 0;
  for (const fs::directory_entry& e : fs::directory_iterator(ROWSMITH_TESTS_FOLDER "/meta")) {
    if (!e.path().string().ends_with("_case_ids.txt")) continue;
    ++lists;
    std::istringstream lines(text_of(e.path()));
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("#")) continue;
      std::istringstream words(line);
      for (std::string id; words >> id;) EXPECT_TRUE(tested.contains(id)) << id << " of " << e.path().filename();
    }
  }
  EXPECT_GT(lists, 0);
}

}  // namespace
