# find_package(rowsmith): the target rowsmith::rowsmith. The library is shared and asks for no other package.
include(${CMAKE_CURRENT_LIST_DIR}/rowsmith-targets.cmake)
