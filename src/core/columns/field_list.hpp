// Lists of fields by name.
#pragma once

// CAROM_EACH(names) calls f(name, field, the same fields of others...) for up to 64 fields of `o`.
#define CAROM_EACH(...) CAROM_SCAN_64(CAROM_ONE(__VA_ARGS__))
#define CAROM_ONE(name, ...)        \
  f(#name, o.name, others.name...); \
  __VA_OPT__(CAROM_NEXT CAROM_PARENTHESES(__VA_ARGS__))
#define CAROM_NEXT() CAROM_ONE
#define CAROM_PARENTHESES ()
#define CAROM_SCAN_64(...) CAROM_SCAN_16(CAROM_SCAN_16(CAROM_SCAN_16(CAROM_SCAN_16(__VA_ARGS__))))
#define CAROM_SCAN_16(...) CAROM_SCAN_4(CAROM_SCAN_4(CAROM_SCAN_4(CAROM_SCAN_4(__VA_ARGS__))))
#define CAROM_SCAN_4(...) CAROM_SCAN(CAROM_SCAN(CAROM_SCAN(CAROM_SCAN(__VA_ARGS__))))
#define CAROM_SCAN(...) __VA_ARGS__
