// Version of the headers, for the preprocessor. carom::version() returns the version of the linked library.
#pragma once

#define CAROM_VERSION_MAJOR 0
#define CAROM_VERSION_MINOR 1
#define CAROM_VERSION_PATCH 0
/// One number that grows with the version: 1.2.3 is 10203.
#define CAROM_VERSION (CAROM_VERSION_MAJOR * 10000 + CAROM_VERSION_MINOR * 100 + CAROM_VERSION_PATCH)
