// What the shared library shows. Everything else is hidden.
#pragma once

#if defined(ROWSMITH_STATIC)
#define ROWSMITH_EXPORT
#else
#define ROWSMITH_EXPORT __attribute__((visibility("default")))
#endif
