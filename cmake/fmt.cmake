# rowsmith_fmt: {fmt}, compiled once into whoever links it (src/base/fmt_library.cpp); a version that this does not fit is
# used header-only, which compiles much longer.
find_package(fmt REQUIRED)

set(ROWSMITH_FMT_SOURCE ${PROJECT_SOURCE_DIR}/src/base/fmt_library.cpp)
get_target_property(ROWSMITH_FMT_INCLUDES fmt::fmt-header-only INTERFACE_INCLUDE_DIRECTORIES)
if(NOT DEFINED ROWSMITH_FMT_FITS)
  file(WRITE ${PROJECT_BINARY_DIR}/fmt_check.cpp [[
#include <fmt/format.h>
int main(int n, char** words) {
  fmt::print("{} {:x} {:.3f} {}\n", words[0], n, 0.5 * n, fmt::join(words, words + n, ", "));
}
]])
  try_compile(ROWSMITH_FMT_FITS ${PROJECT_BINARY_DIR}/fmt_check
              SOURCES ${PROJECT_BINARY_DIR}/fmt_check.cpp ${ROWSMITH_FMT_SOURCE}
              CMAKE_FLAGS -DINCLUDE_DIRECTORIES=${ROWSMITH_FMT_INCLUDES}
              CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON)
endif()
if(ROWSMITH_FMT_FITS)
  add_library(rowsmith_fmt STATIC ${ROWSMITH_FMT_SOURCE})
  target_include_directories(rowsmith_fmt SYSTEM PUBLIC ${ROWSMITH_FMT_INCLUDES})
else()
  message(STATUS "This {fmt} is used header-only")
  add_library(rowsmith_fmt INTERFACE)
  target_link_libraries(rowsmith_fmt INTERFACE fmt::fmt-header-only)
endif()
