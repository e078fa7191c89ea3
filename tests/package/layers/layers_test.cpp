// The layer rule, read off the #include lines: which room may see which.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace fs = std::filesystem;

// A room sees itself and what stands here: a folder (with its slash), or one header, the door of another room. The
// first room whose folder begins a file's path is the file's room.
struct room {
  std::string_view folder;
  std::vector<std::string_view> sees;
};

const std::vector<room>& rooms() {
  static const std::vector<room> table{
      {"include/rowsmith/", {"rowsmith/"}},
      {"kernel_src/", {"machine/", "row/", "math/", "op/", "scalar/"}},
      {"cache/", {"rowsmith/status.h", "base/log.h", "base/no_destructor.h", "base/shared_object.h"}},

      // Leaves and values: seen by all.
      {"src/base/", {"rowsmith/"}},
      {"src/model/", {"rowsmith/", "base/"}},

      // From a request to a source text: values in, values out.
      {"src/inspect/", {"rowsmith/", "base/", "model/"}},
      {"src/plan/", {"rowsmith/", "base/", "model/"}},
      {"src/render/", {"rowsmith/", "base/", "model/"}},

      // A vendor sees the door that it implements and what backends share, never another vendor.
      {"src/backend/cuda/", {"rowsmith/", "base/", "model/", "backend/*"}},
      {"src/backend/hip/", {"rowsmith/", "base/", "model/", "backend/*"}},
      {"src/backend/host/",
       {"rowsmith/", "base/", "model/", "backend/*", "machine/host.h", "row/arguments.h",
        "scalar/"}},  // its scalar fallback is the kernels' own, compiled in
      {"src/backend/null/", {"rowsmith/", "base/", "model/", "backend/*"}},
      {"src/backend/",
       {"rowsmith/", "base/", "model/", "backend/cuda/cuda_backend.h", "backend/hip/hip_backend.h",
        "backend/host/host_backend.h", "backend/null/null_backend.h"}},

      // The cold path sees doors, the hot path sees every door.
      {"src/build/",
       {"rowsmith/", "base/", "model/", "inspect/inspect.h", "plan/plan.h", "render/render.h", "render/headers.h",
        "render/embedded.h", "backend/backend.h", "cache/"}},
      {"src/call/",
       {"rowsmith/", "base/", "model/", "inspect/inspect.h", "inspect/validate.h", "inspect/expressions.h",
        "plan/plan.h", "render/render.h", "render/headers.h", "render/embedded.h", "backend/backend.h",
        "backend/registry.h", "build/", "cache/", "deploy/record.h"}},
      {"src/deploy/",
       {"rowsmith/", "base/", "model/", "inspect/inspect.h", "inspect/expressions.h", "inspect/thresholds.h",
        "plan/plan.h", "render/render.h", "backend/backend.h", "build/", "cache/", "call/"}},

      // Who may look into a call.
      {"src/capi/", {"rowsmith/", "base/", "model/", "call/"}},
      {"src/explain/",
       {"rowsmith/", "base/", "model/", "call/", "inspect/", "plan/", "render/", "backend/backend.h", "build/",
        "cache/"}},

      // What the ops must give: public values, and how an expression's words are read.
      {"reference/", {"rowsmith/", "model/expression/"}},

      // The command is a stranger, who can compare.
      {"src/cli/", {"rowsmith/", "reference/"}},
  };
  return table;
}

// The room's name inside #include lines: src/plan/ is plan/, cache/ is cache/.
std::string_view spelled(std::string_view folder) {
  return folder.starts_with("src/") ? folder.substr(4) : folder.starts_with("include/") ? folder.substr(8) : folder;
}

const room* room_of(std::string_view file) {
  for (const room& r : rooms())
    if (file.starts_with(r.folder)) return &r;
  return nullptr;
}

bool matches(std::string_view rule, std::string_view header) {
  if (rule.ends_with("/*")) {  // the folder's own files, not its subfolders'
    rule.remove_suffix(1);
    return header.starts_with(rule) && header.find('/', rule.size()) == std::string_view::npos;
  }
  return rule.ends_with('/') ? header.starts_with(rule) : header == rule;
}

bool may_include(std::string_view file, std::string_view header) {
  if (header.find('/') == std::string_view::npos) return true;  // a neighbour in the same folder
  const room* r = room_of(file);
  if (!r) return false;
  const std::string_view own = spelled(r->folder);
  const bool is_backend_root = own == "backend/";
  if (matches(is_backend_root ? "backend/*" : own, header)) return true;
  return std::any_of(r->sees.begin(), r->sees.end(), [&](std::string_view rule) { return matches(rule, header); });
}

struct include_line {
  std::string file;
  int line;
  std::string header;
  bool angled;
};

std::vector<include_line> includes_of(const fs::path& root, const std::vector<std::string>& folders) {
  std::vector<include_line> found;
  for (const std::string& folder : folders)
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".h" && extension != ".cpp" && extension != ".c") continue;
      std::ifstream in(entry.path());
      std::string line;
      for (int number = 1; std::getline(in, line); ++number) {
        const std::size_t start = line.find_first_not_of(" \t");
        if (start == std::string::npos || line[start] != '#') continue;
        const std::size_t word = line.find_first_not_of(" \t", start + 1);
        if (word == std::string::npos || line.compare(word, 7, "include") != 0) continue;
        const std::size_t open = line.find_first_of("<\"", word);
        const std::size_t close = open == std::string::npos ? open : line.find_first_of(">\"", open + 1);
        if (close == std::string::npos) continue;
        found.push_back({fs::relative(entry.path(), root).generic_string(), number,
                         line.substr(open + 1, close - open - 1), line[open] == '<'});
      }
    }
  return found;
}

std::string where(const include_line& i) { return i.file + ":" + std::to_string(i.line) + " includes " + i.header; }

TEST(Layers, EveryFileHasARoomThatMaySeeWhatItIncludes) {
  const auto lines = includes_of(ROWSMITH_ROOT, {"include", "src", "cache", "kernel_src", "reference"});
  ASSERT_GT(lines.size(), 100u);
  for (const include_line& i : lines) {
    EXPECT_TRUE(room_of(i.file)) << i.file << " is in no room: give its folder a row in the table of this test";
    EXPECT_TRUE(i.angled || may_include(i.file, i.header)) << where(i);
  }
}

TEST(Layers, NoVendorHeaderIsIncludedAnywhere) {
  for (const include_line& i : includes_of(ROWSMITH_ROOT, {"include", "src", "cache", "kernel_src", "reference"}))
    for (const std::string_view vendor : {"cuda", "nvrtc", "hip/", "hiprtc", "amd_comgr", "hsa/"})
      EXPECT_FALSE(i.angled && i.header.starts_with(vendor)) << where(i);
}

TEST(Layers, KernelsIncludeNoSystemHeader) {
  for (const include_line& i : includes_of(ROWSMITH_ROOT, {"kernel_src"})) EXPECT_FALSE(i.angled) << where(i);
}

TEST(Layers, HiredisIsKnownToOneFile) {
  std::vector<std::string> files;
  for (const include_line& i : includes_of(ROWSMITH_ROOT, {"include", "src", "cache"}))
    if (i.header.starts_with("hiredis")) files.push_back(i.file);
  files.erase(std::unique(files.begin(), files.end()), files.end());
  EXPECT_LE(files.size(), 1u);
}

// The rule bites: what must not be seen is refused, what must be seen is not.
TEST(Layers, RuleRefusesAndAllows) {
  EXPECT_FALSE(may_include("src/plan/plan.cpp", "cache/key.h"));
  EXPECT_FALSE(may_include("src/plan/plan.cpp", "inspect/inspect.h"));
  EXPECT_FALSE(may_include("src/render/render.cpp", "backend/backend.h"));
  EXPECT_FALSE(may_include("src/build/compile.cpp", "call/table.h"));
  EXPECT_FALSE(may_include("src/build/compile.cpp", "plan/gpu.h"));
  EXPECT_FALSE(may_include("src/build/compile.cpp", "backend/cuda/nvrtc.h"));
  EXPECT_FALSE(may_include("src/backend/hip/hip_backend.cpp", "backend/cuda/nvrtc.h"));
  EXPECT_FALSE(may_include("src/cli/run.cpp", "model/plan.h"));
  EXPECT_FALSE(may_include("src/plan/plan.cpp", "reference/expected.h"));
  EXPECT_FALSE(may_include("reference/norm.cpp", "model/op_table.h"));
  EXPECT_TRUE(may_include("src/cli/check.cpp", "reference/norm.h"));
  EXPECT_FALSE(may_include("cache/key.cpp", "model/plan.h"));
  EXPECT_FALSE(may_include("include/rowsmith/ops.h", "base/log.h"));
  EXPECT_FALSE(may_include("src/nowhere/a.cpp", "base/log.h"));
  EXPECT_TRUE(may_include("src/plan/plan.cpp", "plan/gpu.h"));
  EXPECT_TRUE(may_include("src/backend/hip/hip_backend.cpp", "backend/backend.h"));
  EXPECT_TRUE(may_include("src/build/compile.cpp", "cache/store.h"));
  EXPECT_TRUE(may_include("src/call/softmax.cpp", "build/build.h"));
  EXPECT_TRUE(may_include("kernel_src/op/softmax.h", "row/expr.h"));
}

}  // namespace
