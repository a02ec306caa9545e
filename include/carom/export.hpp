// Marks what carom shows of itself as a shared library; everything else in it is hidden.
#pragma once

#define CAROM_EXPORT __attribute__((visibility("default")))
