#include "cache/location.h"

#include <gtest/gtest.h>

namespace rowsmith::cache {
namespace {

TEST(location, case_62_the_first_that_is_set_wins_and_says_so) {
  location_inputs in{"/opt/k", "/env/k", "/xdg", "/home/u"};
  EXPECT_EQ(resolve_location(in).path, "/opt/k");
  EXPECT_EQ(resolve_location(in).origin, location_origin::option);
  in.option.reset();
  EXPECT_EQ(resolve_location(in).path, "/env/k");
  EXPECT_NE(resolve_location(in).reason.find("ROWSMITH_CACHE_DIR"), std::string::npos);
  in.rowsmith_cache_dir = "";
  EXPECT_EQ(resolve_location(in).path, "/xdg/rowsmith");
  EXPECT_EQ(resolve_location(in).origin, location_origin::xdg_cache_home);
  in.xdg_cache_home.reset();
  EXPECT_EQ(resolve_location(in).path, "/home/u/.cache/rowsmith");
  EXPECT_EQ(resolve_location(in).origin, location_origin::home);
}

TEST(location, case_65_nothing_set_is_memory_only_with_a_reason) {
  const location l = resolve_location({});
  EXPECT_TRUE(l.memory_only());
  EXPECT_EQ(l.origin, location_origin::memory_only);
  EXPECT_NE(l.reason.find("HOME"), std::string::npos);
}

TEST(location, a_relative_directory_that_was_asked_for_is_refused_not_skipped) {
  location_inputs in;
  in.home = "/home/u";
  in.rowsmith_cache_dir = "kernels";
  EXPECT_TRUE(resolve_location(in).memory_only());
  EXPECT_NE(resolve_location(in).reason.find("'kernels'"), std::string::npos);
  in.option = "other";
  EXPECT_NE(resolve_location(in).reason.find("'other'"), std::string::npos);
}

TEST(location, case_35_a_relative_xdg_cache_home_is_ignored) {
  location_inputs in;
  in.xdg_cache_home = "cache";
  in.home = "/home/u/";
  EXPECT_EQ(resolve_location(in).path, "/home/u//.cache/rowsmith");
  in.home = "nowhere";
  EXPECT_TRUE(resolve_location(in).memory_only());
}

TEST(location, trailing_slashes_go) {
  location_inputs in;
  in.option = "/k//";
  EXPECT_EQ(resolve_location(in).path, "/k");
  in.option = "/";
  EXPECT_EQ(resolve_location(in).path, "/");
}

}  // namespace
}  // namespace rowsmith::cache
