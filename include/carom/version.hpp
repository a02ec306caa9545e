// carom's version, for the preprocessor. carom::version() tells that of the library that is linked.
#pragma once

#define CAROM_VERSION_MAJOR 0
#define CAROM_VERSION_MINOR 1
#define CAROM_VERSION_PATCH 0
/// Grows from version to version: 1.2.3 is 10203.
#define CAROM_VERSION (CAROM_VERSION_MAJOR * 10000 + CAROM_VERSION_MINOR * 100 + CAROM_VERSION_PATCH)
