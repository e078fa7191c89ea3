# rowsmith_test(name [SOURCES file...] [LIBRARIES target...] [LABELS label...] [TIMEOUT seconds])
# A GoogleTest program, each of its cases a test of its own. SOURCES: every *.cpp of the folder, unless named. A case that
# calls GTEST_SKIP counts as skipped. Suites called gpu…, cuda_device… or hip_device… need a card: their cases have the label gpu
# beside LABELS. Cases run with a private cache home, so that a user's own cache is never touched.
find_package(GTest REQUIRED)
find_package(TBB REQUIRED)
find_package(spdlog REQUIRED)
find_package(Threads REQUIRED)
include(GoogleTest)

set(ROWSMITH_TEST_HOME ${CMAKE_BINARY_DIR}/test-home)

function(rowsmith_test name)
  cmake_parse_arguments(PARSE_ARGV 1 test "" "TIMEOUT" "SOURCES;LIBRARIES;LABELS")
  if(NOT test_SOURCES)
    file(GLOB test_SOURCES CONFIGURE_DEPENDS *.cpp)
  endif()
  if(NOT test_TIMEOUT)
    set(test_TIMEOUT 300)
  endif()
  add_executable(${name} ${test_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${name} PRIVATE ${test_LIBRARIES} rowsmith_reference GTest::gmock GTest::gtest_main)
  gtest_discover_tests(${name} TEST_PREFIX "${name}." DISCOVERY_TIMEOUT 60 NO_PRETTY_VALUES
    PROPERTIES TIMEOUT ${test_TIMEOUT} ENVIRONMENT XDG_CACHE_HOME=${ROWSMITH_TEST_HOME}/cache)
  # Labels are set in a file that ctest reads after the discovered tests: PROPERTIES above takes no list.
  file(CONFIGURE OUTPUT ${name}_labels.cmake @ONLY CONTENT [[
foreach(case IN LISTS @name@_TESTS)
  set(labels @test_LABELS@)
  if(case MATCHES "^[^.]*[.].*(gpu|cuda_device|hip_device)[^.]*[.]")
    list(APPEND labels gpu)
    list(REMOVE_DUPLICATES labels)
  endif()
  set_tests_properties(${case} PROPERTIES LABELS "${labels}")
endforeach()
]])
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}_labels.cmake)
endfunction()
