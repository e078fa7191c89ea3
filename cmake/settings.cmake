# What every target of this project is compiled with.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})

# Programs find their libraries beside themselves, wherever they are: in the build folder, in a bundle (`./dev bundle`) or installed.
# An old-style RPATH also holds for the libraries' own libraries. One RPATH for all three, because CMake pads a build RPATH that
# it means to rewrite with an empty element, which is the current folder.
set(CMAKE_INSTALL_RPATH "$ORIGIN" "$ORIGIN/lib" "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)
add_link_options(-Wl,--disable-new-dtags)

find_program(ROWSMITH_CCACHE ccache)
if(ROWSMITH_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${ROWSMITH_CCACHE})
endif()

# ROWSMITH_SANITIZE: "address,undefined" or "thread"; `./dev sanitize` builds and runs with them.
set(ROWSMITH_SANITIZE "" CACHE STRING "Sanitizers, as -fsanitize= takes them")
if(ROWSMITH_SANITIZE)
  add_compile_options(-fsanitize=${ROWSMITH_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${ROWSMITH_SANITIZE})
endif()

# -Wrestrict: g++ 12 sees overlaps in std::string that are not there (GCC bug 105651).
add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>)
add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wall> $<$<COMPILE_LANGUAGE:CXX>:-Wextra>
                    $<$<COMPILE_LANGUAGE:CXX>:-Wno-missing-field-initializers> -ffp-contract=off)
