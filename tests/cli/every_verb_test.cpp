// Every verb of the command, also of those that are yet to come: with --json stdout is one object, whether it ends well
// or not, and the exit code is the one that --help tells. Verbs are taken from the command's own parser.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "cli/exit_codes.h"
#include "cli/verbs.h"
#include "command.h"
#include "support/private_folder.h"

namespace rowsmith::cli_test {
namespace {

using namespace rowsmith::cli;

// "cache list", …: those that have no verbs of their own.
void gather(const CLI::App& of, const std::string& before, std::vector<std::string>* names,
            std::vector<const CLI::App*>* apps) {
  for (const CLI::App* verb : of.get_subcommands([](const CLI::App*) { return true; })) {
    const std::string name = before + verb->get_name();
    if (!verb->get_subcommands([](const CLI::App*) { return true; }).empty()) {
      gather(*verb, name + " ", names, apps);
      continue;
    }
    names->push_back(name);
    apps->push_back(verb);
  }
}

struct command_line {
  CLI::App app{"", "rowsmith"};
  int exit = 0;
  std::vector<std::string> names;
  std::vector<const CLI::App*> verbs;

  command_line() {
    add_verbs(app, &exit);
    gather(app, "", &names, &verbs);
  }
};

struct use {
  const char* verb;
  const char* arguments;  // DIR: a folder of the test's own
  exit_code ends;
  const char* field;  // of the object
};

// In this order: later ones use what earlier ones leave.
const use k_uses[] = {
    {"version", "", exit_ok, "version"},
    {"devices", "", exit_ok, "devices"},
    {"doctor", "", exit_ok, "options"},
    {"run", "softmax --shape 8x40 --dtype f32 --device host --repeat 1", exit_ok, "source"},
    {"run", "softmax --shape 8x40 --dtype f32 --device cuda:97", exit_not_found, "error"},
    {"run", "softmin --shape 8x40 --dtype f32", exit_invalid_argument, "error"},
    {"explain", "softmax --shape 8x40 --dtype f32 --no-compile --target sm_90", exit_ok, "plan"},
    {"explain", "softmax --shape 8x40 --dtype f32 --target z80", exit_unsupported, "error"},
    {"warm", "DIR/requests.jsonl --target null", exit_ok, "targets"},
    {"warm", "DIR/requests.jsonl --target null --target sm_1", exit_partial, "targets"},
    {"warm", "DIR/none.jsonl --target null", exit_not_found, "error"},
    {"warm", "DIR --target null", exit_io_error, "error"},
    {"cache list", "", exit_ok, "entries"},
    {"cache stats", "", exit_ok, "layers"},
    {"cache coverage", "DIR/requests.jsonl --target null", exit_ok, "targets"},
    {"cache coverage", "DIR/more.jsonl --target null", exit_would_compile, "targets"},
    {"warm", "DIR/nothing.jsonl --target null", exit_invalid_argument, "error"},
    {"warm", "DIR/requests.jsonl --target null --cache-dir /proc/none", exit_not_found, "error"},
    {"cache list", "--cache-dir DIR/none", exit_not_found, "error"},
    {"cache stats", "--cache-dir DIR/cache", exit_ok, "layers"},
    {"cache stats", "--cache-dir DIR/none", exit_not_found, "error"},
    {"cache show", "'' --cache-dir DIR/cache", exit_ok, "entries"},
    {"cache show", "'' --cache-dir DIR/none", exit_not_found, "error"},
    {"cache coverage", "DIR/nothing.jsonl --target null", exit_invalid_argument, "error"},
    {"cache coverage", "DIR/requests.jsonl --target null --cache-dir DIR/none", exit_not_found, "error"},
    {"cache export", "DIR/bundle.rsb --cache-dir DIR/none", exit_not_found, "error"},
    {"cache verify", "--cache-dir DIR/none", exit_not_found, "error"},
    {"cache prune", "--max-bytes 0 --cache-dir DIR/none", exit_not_found, "error"},
    {"cache clear", "--cache-dir DIR/none", exit_not_found, "error"},
    {"cache coverage", "DIR/none.jsonl --target null", exit_not_found, "error"},
    {"cache export", "DIR/bundle.rsb", exit_ok, "file"},
    {"cache export", "DIR/none/bundle.rsb", exit_not_found, "error"},
    {"cache import", "DIR/bundle.rsb --dry-run", exit_partial, "file"},  // CPU code that nobody signed is left out
    {"cache import", "DIR/bundle.rsb --dry-run --allow-host", exit_ok, "file"},
    {"cache import", "DIR/requests.jsonl", exit_verify_failed, "error"},
    {"cache import", "DIR", exit_io_error, "error"},
    {"cache show", "''", exit_ok, "entries"},
    {"cache show", "no-digest", exit_not_found, "error"},
    {"cache verify", "", exit_ok, "damaged"},
    {"cache verify", "--cache-dir relative", exit_invalid_argument, "error"},
    {"cache prune", "--max-bytes 1G", exit_ok, "removed"},
    {"cache prune", "--max-bytes much", exit_invalid_argument, "error"},
    {"cache clear", "", exit_ok, "removed"},
    {"cache clear", "--cache-dir DIR/requests.jsonl", exit_unsupported, "error"},
};

std::string replaced(std::string text, const std::string& word, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += by.size()) {
    text.replace(at, word.size(), by);
  }
  return text;
}

std::string request_line(int width) {
  const std::string shape = R"("dtype":"f16","shape":[64,)" + std::to_string(width) + "]}";
  return R"({"rowsmith":1,"op":"softmax","options":0,"operands":[{"role":"x",)" + shape + R"(,{"role":"y",)" + shape +
         "]}\n";
}

TEST(every_verb, has_json_and_is_tried_here) {
  const command_line c;
  ASSERT_GE(c.names.size(), 15u);
  for (std::size_t i = 0; i < c.names.size(); ++i) {
    EXPECT_NE(c.verbs[i]->get_option_no_throw("--json"), nullptr) << c.names[i];
    EXPECT_TRUE(std::any_of(std::begin(k_uses), std::end(k_uses),
                            [&](const use& u) { return u.verb == c.names[i] && u.ends == exit_ok; }))
        << c.names[i] << " is not in the list of uses";
  }
  for (const use& u : k_uses) EXPECT_THAT(c.names, testing::Contains(u.verb));
}

TEST(every_verb, prints_one_object_and_ends_as_help_tells) {
  const test::private_folder folder("verbs");
  const std::string dir = folder.path().string();
  std::ofstream(dir + "/requests.jsonl") << request_line(40) << request_line(512);
  std::ofstream(dir + "/more.jsonl") << request_line(40) << request_line(513);
  std::ofstream(dir + "/nothing.jsonl") << "# nothing\n\n";
  std::set<exit_code> met;
  for (const use& u : k_uses) {
    SCOPED_TRACE(std::string(u.verb) + " " + u.arguments);
    const std::string words = std::string(u.verb) + " " + replaced(u.arguments, "DIR", "'" + dir + "'") + " --json";
    const outcome o = rowsmith(words, "ROWSMITH_CACHE_DIR='" + dir + "/cache'");
    EXPECT_EQ(o.exit, u.ends) << o.err;
    const auto object = o.object();
    ASSERT_TRUE(object.is_object()) << o.out;
    EXPECT_TRUE(object.contains(u.field)) << o.out;
    EXPECT_EQ(object.contains("error"), std::string(u.field) == "error") << o.out;
    if (object.contains("error")) {
      const auto& e = object["error"];
      EXPECT_NE(e["message"].get<std::string>(), "");
      EXPECT_THAT(o.err, testing::HasSubstr(e["code"].get<std::string>()));
      EXPECT_THAT(o.err, testing::HasSubstr(e["message"].get<std::string>()));
    }
    met.insert(u.ends);
  }
  for (const exit_code e : {exit_ok, exit_invalid_argument, exit_not_found, exit_verify_failed, exit_would_compile,
                            exit_io_error, exit_unsupported, exit_partial}) {
    EXPECT_EQ(met.count(e), 1u) << e;
  }
}

TEST(every_verb, says_so_in_an_object_when_it_is_not_understood) {
  const command_line c;
  for (const std::string& name : c.names) {
    SCOPED_TRACE(name);
    const outcome o = rowsmith(name + " --no-such-option --json");
    EXPECT_EQ(o.exit, exit_usage);
    const auto object = o.object();
    ASSERT_TRUE(object.is_object()) << o.out;
    EXPECT_EQ(object["error"]["code"], "usage");
    EXPECT_NE(object["error"]["message"], "");
    EXPECT_NE(o.err, "");
    EXPECT_EQ(rowsmith(name + " --no-such-option").out, "");
  }
  EXPECT_EQ(rowsmith("fly --json").object()["error"]["code"], "usage");
}

// Every status that a library call may end with has an exit code of its own, and --help tells what it means.
TEST(every_verb, exit_codes_are_those_of_the_statuses) {
  for (const code c : {code::invalid_argument, code::unsupported, code::not_found, code::compile_failed,
                       code::device_error, code::out_of_memory, code::io_error, code::corrupt, code::would_compile}) {
    EXPECT_NE(exit_of(c), exit_internal) << name_of(c);
    for (const exit_row& row : exit_table) EXPECT_EQ(row.cause == c, row.exit == exit_of(c)) << name_of(c);
  }
  EXPECT_EQ(exit_of(code::ok), exit_ok);
}

}  // namespace
}  // namespace rowsmith::cli_test
