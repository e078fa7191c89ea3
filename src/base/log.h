// The one way the library speaks outside of its results: a callback with a level and a finished line.
// spdlog stands behind it by default (silent unless ROWSMITH_LOG asks); a program may install its own.
#pragma once

#include <string_view>

namespace rowsmith {

enum class log_level : int { debug = 0, info = 1, warn = 2, error = 3, off = 4 };

using log_callback = void (*)(log_level level, std::string_view line, void* user);

// Installs `callback` (null restores the default) for lines at or above `level`. Thread-safe.
void set_log(log_callback callback, void* user, log_level level) noexcept;

bool log_enabled(log_level level) noexcept;

// Hands one line to the callback; cheap when the level is off. Callers format with fmt only after log_enabled().
void log(log_level level, std::string_view line) noexcept;

}  // namespace rowsmith
