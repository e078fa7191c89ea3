// library_search: where a vendor's libraries may lie, as candidates for shared_object::open_first.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rowsmith {

// Existing paths that match a shell pattern ("/usr/local/cuda-*/lib64"), newest version first: 12.10 before 12.9.
std::vector<std::string> matching(const std::string& pattern);

// Every name in every place, place by place. A place is a folder, a shell pattern of folders, or, where it names a file
// that begins like one of `names` up to ".so", that file itself. Duplicates are dropped. Nothing is opened.
std::vector<std::string> candidates(std::span<const std::string> places, std::span<const std::string> names);

// Full paths of libraries that are already mapped into this process and whose file name begins with one of `stems`.
std::vector<std::string> mapped_libraries(std::span<const std::string> stems);

// Appends what the list does not hold yet.
void append_new(std::vector<std::string>& list, std::span<const std::string> more);

// "/a/b" of "/a/b/c"; "" of "c".
std::string folder_of(const std::string& path);

// The lines of a failed search as one text, one candidate a line.
std::string lines(std::span<const std::string> tried);

}  // namespace rowsmith
