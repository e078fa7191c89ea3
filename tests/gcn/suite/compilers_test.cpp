// Every compiler that may have to do: the same kernel by hipRTC, by comgr alone, by hipcc; and who is asked when.
#include <gmock/gmock.h>

#include <fstream>

#include "backend/hip/comgr_compiler.h"
#include "backend/hip/hipcc.h"
#include "backend/hip/hiprtc.h"
#include "backend/hip/toolchain.h"
#include "gcn/suite/launcher.h"

namespace rowsmith::test {
namespace {

using testing::HasSubstr;

class absent final : public hip::compiler {
 public:
  explicit absent(code why = code::not_found) : why_(why) {}
  library_probe probe() override { return {"compiler", "", "", {"nowhere: no such file"}}; }
  result<compiler_id> identity(const std::string& arch) override {
    return status(why_, why_ == code::not_found ? "a compiler was not found" : "target: not " + arch)
        .with_detail("nowhere: no such file");
  }
  result<binary> compile(const source&, const std::string&) override { return status(code::internal, "asked anyway"); }

 private:
  code why_;
};

// Looks sound and compiles nothing.
class broken final : public hip::compiler {
 public:
  library_probe probe() override { return {"compiler", "somewhere", "1", {}}; }
  result<compiler_id> identity(const std::string&) override { return compiler_id{"broken", "1", "0123456789abcdef"}; }
  result<binary> compile(const source&, const std::string&) override {
    return status(code::compile_failed, "it never compiles");
  }
};

template <class... C>
hip::toolchain chain_of(std::unique_ptr<C>... members) {
  std::vector<std::unique_ptr<hip::compiler>> all;
  (all.push_back(std::move(members)), ...);
  return hip::toolchain(std::move(all));
}

source doubling() {
  source s;
  s.name = "doubling.hip";
  s.entry = "k";
  s.text =
      "extern \"C\" __attribute__((global, amdgpu_flat_work_group_size(64, 64))) void k(float* y) {\n"
      "  y[__builtin_amdgcn_workitem_id_x()] *= FACTOR;\n}\n";
  s.options = {"-DFACTOR=2.0f"};
  return s;
}

// Compiled, checked, reported, loaded and run as the library would.
void expect_works(hip::compiler& c, const char* name) {
  const std::string arch = card_arch();
  const auto who = c.identity(arch);
  if (!who) GTEST_SKIP() << who.status().to_string() << who.status().detail();
  EXPECT_EQ(who->name, name);
  EXPECT_NE(who->version, "");
  EXPECT_EQ(who->build.size(), 16u);
  const auto made = c.compile(doubling(), arch);
  ASSERT_TRUE(made) << made.status().to_string() << made.status().detail();
  EXPECT_GT(made->compile_ms, 0);
  backend& b = *backend_for(device_kind::hip);
  const traits target = b.traits_of(arch).value();
  ASSERT_TRUE(b.check(made->code, target, "k").ok());
  EXPECT_EQ(b.report(made->code, target, "k")->spills, 0);
  launch_plan how;
  how.entry = "k";
  how.threads = 64;
  auto kernel = b.load(0, made->code, how);
  ASSERT_TRUE(kernel) << kernel.status().to_string();
  card_memory memory(256);
  std::vector<float> y(64, 21);
  memory.write(y.data());
  const void* argument = memory.data();
  ASSERT_TRUE((*kernel)->launch(1, &argument, sizeof argument, {}).ok());
  ASSERT_TRUE(b.synchronize(0, {}).ok());
  memory.read(y.data());
  EXPECT_EQ(y, std::vector<float>(64, 42));
}

void expect_log(hip::compiler& c) {
  if (!c.identity(card_arch())) GTEST_SKIP();
  source s = doubling();
  s.text += "void broken() { there_is_no_such_name(); }\n";
  const auto made = c.compile(s, card_arch());
  ASSERT_FALSE(made);
  EXPECT_EQ(made.status().error(), code::compile_failed);
  EXPECT_THAT(made.status().detail(), HasSubstr("there_is_no_such_name"));
  EXPECT_THAT(made.status().detail(), HasSubstr(s.text)) << "the source, too";
  EXPECT_TRUE(c.compile(doubling(), card_arch())) << "a failure spoils nothing";
}

TEST(compilers, hiprtc_works) {
  hip::hiprtc c;
  expect_works(c, "hiprtc");
}
TEST(compilers, comgr_works_by_itself) {
  hip::comgr_compiler c;
  expect_works(c, "comgr");
}
TEST(compilers, hipcc_works) {
  hip::hipcc c;
  expect_works(c, "hipcc");
}

TEST(compilers, hiprtc_hands_on_its_log) {
  hip::hiprtc c;
  expect_log(c);
}
TEST(compilers, comgr_hands_on_its_log) {
  hip::comgr_compiler c;
  expect_log(c);
}
TEST(compilers, hipcc_hands_on_its_log) {
  hip::hipcc c;
  expect_log(c);
}

TEST(compilers, none_of_them_takes_an_architecture_that_it_does_not_know) {
  hip::hiprtc a;
  hip::comgr_compiler b;
  hip::hipcc c;
  for (hip::compiler* one :
       {static_cast<hip::compiler*>(&a), static_cast<hip::compiler*>(&b), static_cast<hip::compiler*>(&c)}) {
    if (!one->identity("gfx906")) continue;
    EXPECT_EQ(one->identity("gfx999").status().error(), code::unsupported);
    EXPECT_FALSE(one->compile(doubling(), "gfx999"));
  }
}

TEST(compilers, a_hipcc_that_is_not_there) {
  hip::hipcc c({"/nowhere/bin/hipcc"});
  const auto who = c.identity("gfx906");
  ASSERT_FALSE(who);
  EXPECT_EQ(who.status().error(), code::not_found);
  EXPECT_THAT(who.status().detail(), HasSubstr("/nowhere/bin/hipcc: "));
  EXPECT_EQ(c.probe().found, "");
}

TEST(compilers, a_hipcc_that_fails) {
  hip::hipcc c({"/dev/null", "/usr/bin/false"});
  EXPECT_EQ(c.identity("gfx906").status().error(), code::not_found);
  EXPECT_EQ(c.probe().tried.size(), 2u);
}

// --- the chain ---

TEST(toolchain, comgr_stands_in_for_hiprtc) {
  auto chain =
      chain_of(std::make_unique<absent>(), std::make_unique<hip::comgr_compiler>(), std::make_unique<hip::hipcc>());
  const auto who = chain.identity(card_arch());
  if (!who) GTEST_SKIP() << who.status().to_string();
  EXPECT_EQ(who->name, "comgr");
  EXPECT_TRUE(chain.compile(doubling(), card_arch()));
  const library_probe p = chain.probe();
  EXPECT_EQ(p.purpose, "compiler");
  EXPECT_THAT(p.found, HasSubstr("comgr"));
  EXPECT_THAT(p.tried, testing::Contains("nowhere: no such file"));
}

TEST(toolchain, hipcc_stands_in_for_both) {
  auto chain = chain_of(std::make_unique<absent>(), std::make_unique<absent>(), std::make_unique<hip::hipcc>());
  const auto who = chain.identity(card_arch());
  if (!who) GTEST_SKIP() << who.status().to_string();
  EXPECT_EQ(who->name, "hipcc");
  EXPECT_TRUE(chain.compile(doubling(), card_arch()));
}

// A compiler that is there and does not know the card: the next is asked.
TEST(toolchain, I13_who_does_not_know_the_card_is_passed_over) {
  auto chain = chain_of(std::make_unique<absent>(code::unsupported), std::make_unique<hip::comgr_compiler>());
  const auto who = chain.identity(card_arch());
  if (!who) GTEST_SKIP() << who.status().to_string();
  EXPECT_EQ(who->name, "comgr");
}

// A compiler that is there and compiles nothing at all: the next one does. What no compiler takes is the source's
// fault.
TEST(toolchain, I13_who_compiles_nothing_is_passed_over) {
  auto chain = chain_of(std::make_unique<broken>(), std::make_unique<hip::comgr_compiler>());
  if (!hip::comgr_compiler().identity(card_arch())) GTEST_SKIP();
  EXPECT_TRUE(chain.compile(doubling(), card_arch()));
  source s = doubling();
  s.text += "void broken() { there_is_no_such_name(); }\n";
  EXPECT_EQ(chain.compile(s, card_arch()).status().message(), "it never compiles");
}

// Without a word from the user: comgr by itself on AMD's machines; who is asked for is the only one asked.
TEST(toolchain, is_in_the_order_that_is_told) {
  hip::toolchain usual(amd_compiler::automatic), asked(amd_compiler::hiprtc), outside(amd_compiler::hipcc);
  const auto first = usual.identity(card_arch());
  if (!first) GTEST_SKIP() << first.status().to_string();
  EXPECT_EQ(first->name, "comgr");
  EXPECT_THAT(usual.probe().found, HasSubstr("comgr"));
  if (const auto who = asked.identity(card_arch())) {
    EXPECT_EQ(who->name, "hiprtc");
    EXPECT_NE(who->build, first->build);
    EXPECT_TRUE(asked.compile(doubling(), card_arch()));
  }
  if (const auto who = outside.identity(card_arch())) {
    EXPECT_EQ(who->name, "hipcc");
  }
}

TEST(toolchain, an_architecture_that_none_knows) {
  auto chain = chain_of(std::make_unique<absent>(), std::make_unique<absent>(code::unsupported));
  const auto made = chain.compile(doubling(), "gfx936");
  ASSERT_FALSE(made);
  EXPECT_EQ(made.status().error(), code::unsupported);
  EXPECT_THAT(made.status().message(), HasSubstr("gfx936"));
}

TEST(toolchain, no_compiler_at_all) {
  auto chain = chain_of(std::make_unique<absent>(), std::make_unique<absent>());
  const auto who = chain.identity("gfx906");
  ASSERT_FALSE(who);
  EXPECT_EQ(who.status().error(), code::not_found);
  for (const char* word : {"hipRTC", "comgr", "hipcc", "ROCM_PATH"})
    EXPECT_THAT(who.status().message(), HasSubstr(word));
  EXPECT_THAT(who.status().detail(), HasSubstr("nowhere"));
  EXPECT_EQ(chain.probe().found, "");
}

}  // namespace
}  // namespace rowsmith::test
