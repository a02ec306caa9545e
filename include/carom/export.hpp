// Marks what carom shows of itself as a shared library; everything else in it is hidden. Elsewhere than with GCC and
// Clang carom is a static library, and nothing has to be marked.
#pragma once

#if defined(__GNUC__)
#define CAROM_EXPORT __attribute__((visibility("default")))
#else
#define CAROM_EXPORT
#endif
