// How a file appears: whole, or not at all, whatever is killed, full or raced for.
#pragma once

#include <string>
#include <string_view>

#include "cache/file_ops.h"
#include "rowsmith/status.h"

namespace rowsmith::cache {

inline constexpr std::string_view temporary_suffix = ".tmp";  // after a leading dot and file_ops::unique_name()

// Writes a temporary in `folder`, syncs, renames it to folder/name. On failure the temporary is removed if that can be
// done, and the file that lay there before, if any, is untouched. Of two publishers the later one stays.
status publish(file_ops& ops, const std::string& folder, const std::string& name, std::string_view bytes,
               std::uint32_t mode);

}  // namespace rowsmith::cache
