// Marks what carom shows of itself as a shared library; everything else in it is hidden. Where compilers know no
// visibility there is no shared carom, which CMake refuses to build, and nothing has to be marked.
#pragma once

#if defined(__GNUC__) && !defined(_WIN32)
#define CAROM_EXPORT __attribute__((visibility("default")))
#else
#define CAROM_EXPORT
#endif
