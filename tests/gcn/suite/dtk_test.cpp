// A machine of Hygon's: its runtime's own name and property function, an architecture that no compiler here knows, its
// compiler inside the runtime, no embedded fallback.
#include <gtest/gtest.h>

#include <algorithm>

#include "gcn/suite/double.h"
#include "rowsmith/explain.h"
#include "support/softmax_check.h"
#include "support/values.h"

namespace rowsmith::test {
namespace {

class dtk : public on_device {};

TEST_F(dtk, is_found_and_named) {
  const doctor_report report = doctor();
  const auto find = [&](std::string_view purpose) {
    return *std::find_if(report.libraries.begin(), report.libraries.end(),
                         [&](const auto& l) { return l.backend == "hip" && l.purpose == purpose; });
  };
  EXPECT_NE(find("driver").found.find("libgalaxyhip.so.5"), std::string::npos);
  EXPECT_EQ(find("driver").version, "DTK");
  EXPECT_EQ(find("compiler").found, find("driver").found) << "hipRTC lies inside the runtime";
  const auto all = devices();
  const auto card = std::find_if(all.begin(), all.end(), [](const auto& d) { return d.device == under_test().where; });
  ASSERT_NE(card, all.end());
  EXPECT_EQ(card->arch, "gfx936");
  EXPECT_EQ(card->wave, 64);
}

TEST_F(dtk, every_mechanism_answers) {
  for (const std::int64_t width : {1, 49, 64, 512, 1001, 4096, 20001, 50257}) {
    for (const dtypes type : every_dtype) {
      softmax_call c;
      c.type = type;
      c.shape = {5, width};
      check_softmax(c, normal(5 * width, 2));
    }
  }
}

// The target's compiler made the fallback at first use: no binary of it is embedded.
TEST_F(dtk, I14_the_plan_of_an_unknown_card_is_that_of_its_relatives) {
  explain_options how;
  how.target = "gfx936:sramecc+:xnack-";
  const tensor_view x = dense(nullptr, dtype::f16, {64, 1024}, under_test().where);
  const auto seen = explain_softmax(x, x, {}, how);
  ASSERT_TRUE(seen) << seen.status().to_string();
  ASSERT_EQ(seen->launches.size(), 1u);
  EXPECT_TRUE(seen->launches[0].compiled) << seen->launches[0].compile_error;
  EXPECT_EQ(seen->target, "gfx936");
  EXPECT_EQ(seen->launches[0].local_bytes, 0);
  how.target = "gfx90a";  // DTK's compiler has no device library for it
  const auto foreign = explain_softmax(x, x, {}, how);
  ASSERT_TRUE(foreign);
  EXPECT_FALSE(foreign->launches[0].compiled);
  EXPECT_NE(foreign->launches[0].compile_error, "");
}

}  // namespace
}  // namespace rowsmith::test
