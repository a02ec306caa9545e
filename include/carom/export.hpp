// CAROM_EXPORT marks the public names of a shared carom; all other names are hidden. It is empty for compilers without
// symbol visibility, for which CMake refuses to build a shared carom.
#pragma once

#if defined(__GNUC__) && !defined(_WIN32)
#define CAROM_EXPORT __attribute__((visibility("default")))
#else
#define CAROM_EXPORT
#endif
