# Install and export: librowsmith, its public headers, the command, find_package(rowsmith) and pkg-config. The shared library
# carries what it is made of, so that a consumer needs nothing but it.
if(NOT TARGET rowsmith)
  return()
endif()
include(CMakePackageConfigHelpers)

set_target_properties(rowsmith PROPERTIES
  VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}  # before 1.0 a minor release may break
  INSTALL_RPATH "$ORIGIN")
target_compile_features(rowsmith INTERFACE cxx_std_17)
target_include_directories(rowsmith INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
if(NOT TARGET rowsmith::rowsmith)
  add_library(rowsmith::rowsmith ALIAS rowsmith)
endif()

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/rowsmith)
install(TARGETS rowsmith EXPORT rowsmith-targets)
install(EXPORT rowsmith-targets NAMESPACE rowsmith:: DESTINATION ${package_folder})
install(DIRECTORY include/rowsmith DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")

# The command is installed as `rowsmith`, whatever its target is called.
if(TARGET rowsmith_cli)
  install(TARGETS rowsmith_cli)
endif()

write_basic_package_version_file(${PROJECT_BINARY_DIR}/rowsmith-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES cmake/rowsmith-config.cmake ${PROJECT_BINARY_DIR}/rowsmith-config-version.cmake DESTINATION ${package_folder})

# rowsmith.pc finds its prefix from its own place, so that an installed tree may be moved.
file(RELATIVE_PATH ROWSMITH_PC_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" ROWSMITH_PC_PREFIX "${ROWSMITH_PC_PREFIX}")
configure_file(cmake/rowsmith.pc.in ${PROJECT_BINARY_DIR}/rowsmith.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/rowsmith.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
