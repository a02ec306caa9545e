// Columns of results that are written past the caches.
#pragma once

#include "elements.hpp"
#include "simd/kernels/lanes/lanes.hpp"

namespace carom::kernel {
namespace {

/// One column, a whole line of the cache at a time; the last part of a line waits for the next tile.
template <class T>
struct ColumnStream {
  static constexpr std::size_t line = 64 / sizeof(T);

  const Column<T>* host;
  bool streamed;
  std::size_t waiting;  // number at the start of the buffer, which corresponds to the start of a cache line
  std::size_t foreign;  // number of these that belong to contacts before the range

  /// Call before the first tile of a range that starts with contact `first`.
  void begin(const Column<T>& column, std::size_t first) {
    host = &column;
    const auto misplaced = reinterpret_cast<std::size_t>(&element(column, first)) % 64;
    streamed = is_contiguous(column) && misplaced % sizeof(T) == 0;
    waiting = foreign = streamed ? misplaced / sizeof(T) : 0;
  }

  /// Streams whole lines. Contacts [first, first + count) are in the buffer behind the waiting ones.
  [[gnu::noinline]] void flush(T* buffer, std::size_t first, std::size_t count) {
    const std::size_t whole = (waiting + count) / line * line, rest = waiting + count - whole;
    if (whole > 0) {
      T* const to = &element(*host, first) - waiting;
      const std::size_t shared = foreign > 0 ? line : 0;
      for (std::size_t i = foreign; i < shared; ++i) to[i] = buffer[i];
      stream_lines(to + shared, buffer + shared, whole - shared);
      for (std::size_t i = 0; i < rest; ++i) buffer[i] = buffer[whole + i];
      foreign = 0;
    }
    waiting = rest;
  }

  /// After the last tile of a range that ends before contact `end`.
  void end(std::size_t end, const T* buffer) const {
    for (std::size_t i = foreign; i < waiting; ++i) element(*host, end - waiting + i) = buffer[i];
  }
};

}  // namespace
}  // namespace carom::kernel
