// A tile of contacts as whole vectors, for the laws that take the stages a tile at a time: columns are read and written
// where the host has them if they are contiguous there, and otherwise through the tile. So the stages after load know
// neither strides, nor indices, nor the order of contacts, nor the end of a batch.
#pragma once

#include "column_stream.hpp"
#include "gather.hpp"
#include "structs.hpp"

namespace carom::kernel {
namespace {

template <class A, class T>
class StagedColumns {
  using B = typename LaneTypes<A, T>::Batch;
  static constexpr std::size_t width = LaneTypes<A, T>::width;

 public:
  template <class Tile>
  StagedColumns(const Source<T>& source, Tile& tile)
      : source_(source), place_{tile.place[0], tile.place[1]}, absent_(tile.absent), fault_(tile.index_fault) {
    for (T* const lane : tile.in) lanes_[lane_count_++] = lane;
    if constexpr (width > 1) pieces_.find(source.columns, source.count);
    find_repeated();
  }

  /// The next of the pointers that the stages read: in the order of the source's columns, then those of both bodies.
  void add(const T*& from) {
    staged_[staged_count_] = &from;
    from = lanes_[staged_count_++];
  }

  /// Contacts of the host's in another order: those that `list` names, counted from contact `first`.
  void set_order(std::size_t first, const std::uint32_t* list) {
    origin_ = first;
    order_ = list;
  }

  /// The contacts [first, first + count): whole vectors, or fewer than one, which is filled up with the last contact.
  /// With `copied` contiguous columns too are read from a copy: those that are read often or come from afar. With
  /// `fetches` those of a later tile begin to come into the cache, a column at a time.
  [[gnu::noinline]] void fill(std::size_t first, std::size_t count, bool copied, bool fetches) {
    const bool whole = count % width == 0;
    picked_ = {first, whole ? count : width, nullptr, source_.block_bytes};
    if (order_ != nullptr) {
      picked_.first = origin_;
      picked_.list = order_ + first;
    }
    if (!whole) {
      for (std::size_t i = 0; i < width; ++i) {
        const auto k = static_cast<std::uint32_t>(i < count ? i : count - 1);
        last_[i] = picked_.list != nullptr ? picked_.list[k] : k;
      }
      picked_.list = last_;
    }
    block_bytes_ = picked_.list == nullptr ? source_.block_bytes : 0;
    if (filled_ < picked_.count) fill_repeated();
    const std::size_t offset = offset_of<T>(first, source_.block_bytes);
    for (std::size_t c = 0; c < source_.count; ++c) {
      const Strided<T>& host = source_.columns[c];
      const T* from = lanes_[c];
      if (picked_.list == nullptr && is_contiguous(host)) [[likely]] {
        from = reinterpret_cast<const T*>(reinterpret_cast<const char*>(host.data) + offset);
        if (fetches) fetch_column(host, first, count);
        if (copied && block_bytes_ == 0) from = copy_vectors(from, lanes_[c], count);
      } else if (host.stride != 0 && !pieces_.has(c)) {
        if (!whole && picked_.block_bytes == 0) {
          // One vector, of which the last contact fills what the others leave.
          store_lanes(lanes_[c], B(element(host, picked_.first + last_[count - 1])));
          for (std::size_t i = 0; i + 1 < count; ++i) lanes_[c][i] = element(host, picked_.first + last_[i]);
        } else {
          gather(host, picked_, lanes_[c]);
        }
      }
      *staged_[c] = from;
    }
    for (const Piece<T>& piece : pieces_) load_piece<B>(piece, picked_.first, picked_.list, picked_.count, lanes_);
    if (fetches)
      for (std::size_t c = source_.count; c < source_.fetched; ++c) fetch_column(source_.columns[c], first, count);
  }

  /// The contacts of the host's that fill has brought to the tile.
  const Picked& picked() const { return picked_; }

  /// Finds where the bodies of the tile's contacts stand, and the faults of their indices.
  [[gnu::noinline]] void find_bodies() {
    const std::size_t count = picked_.count;
    place_bodies(indices(source_.body_a, place_[0]), count, source_.bodies, place_[0]);
    place_bodies(indices(source_.body_b, place_[1]), count, source_.bodies, place_[1]);
    judge_bodies(place_[0], place_[1], count, fault_);
  }

  /// Brings the numbers of the bodies that have been found, column by column, to the lanes `to` or those of the tile.
  [[gnu::noinline]] void gather_bodies(T* const* to = nullptr) {
    if (to == nullptr) to = lanes_ + source_.count;
    point_bodies(to);
    const T zero = 0;
    for (std::size_t side = 0; side < 2; ++side) {
      const std::int32_t* const place = place_[side];
      for (std::size_t i = 0; i < picked_.count; ++i)
        absent_[i] = place[i] >= 0 ? T(1) : place[i] == -1 ? T(0) : static_cast<T>(__builtin_nan(""));
      for (std::size_t c = 0; c < source_.of_body_count; ++c)
        gather_number<A, T>(source_.bodies > 0 ? source_.of_body[c] : Strided<T>{&zero, 0}, place, absent_,
                            picked_.count, *to++);
    }
  }
  /// Has the stages read the bodies' numbers from there.
  void point_bodies(T* const* from) {
    for (std::size_t c = source_.count; c < staged_count_; ++c) *staged_[c] = *from++;
  }

  /// Begins to fetch what a later tile needs, one of `parts`: all at once would wait for each other. It has to be
  /// inline: to the compiler a function that only fetches has no effect.
  [[gnu::always_inline]] void fetch(std::size_t first, std::size_t count, std::size_t part, std::size_t parts) const {
    for (std::size_t c = part; c < source_.fetched; c += parts) fetch_column(source_.columns[c], first, count);
    for (std::size_t c = part; c < source_.beside_count; c += parts) {
      const std::size_t size = source_.beside[c].size;
      const std::size_t from = source_.beside[c].begin + (first + tiles_ahead * count) * size;
      for (std::size_t byte = 0; byte < count * size; byte += 64) fetch_line(from + byte);
    }
  }
  /// Does the same for the bodies, which stand anywhere.
  [[gnu::always_inline]] void fetch_bodies(std::size_t first, std::size_t count, std::size_t part,
                                           std::size_t parts) const {
    const std::size_t share = count / parts, begin = first + bodies_ahead * count + part * share, end = begin + share;
    if (end > source_.contacts) return;
    fetch_bodies(source_.body_a, begin, share);
    fetch_bodies(source_.body_b, begin, share);
  }

  /// The bytes of a block, if contacts in blocks are read where they are; else 0.
  std::size_t block_bytes() const { return block_bytes_; }

 private:
  static constexpr std::size_t tiles_ahead = 3, bodies_ahead = 2;

  [[gnu::always_inline]] static const T* copy_vectors(const T* from, T* to, std::size_t count) {
    constexpr std::size_t at_once = 4 * width;
    std::size_t i = 0;
    for (; i + at_once <= count; i += at_once) {
      CAROM_UNROLL
      for (std::size_t k = 0; k < at_once; k += width) store_lanes(to + i + k, load_lanes<B>(from + i + k));
    }
    for (; i < count; i += width) store_lanes(to + i, load_lanes<B>(from + i));
    return to;
  }

  /// A value of all contacts stands in lanes once a range, and once for all columns that have it from one place.
  void find_repeated() {
    std::size_t values = 0;
    for (std::size_t c = 0; c < source_.count; ++c) {
      if (source_.columns[c].stride != 0) continue;
      const T* const value = source_.columns[c].data;
      std::size_t k = 0;
      while (k < values && repeated_[k].value != value) ++k;
      if (k == values) repeated_[values++] = {value, lanes_[c]};
      lanes_[c] = repeated_[k].lanes;
    }
    repeated_count_ = values;
  }
  [[gnu::noinline]] void fill_repeated() {
    for (std::size_t k = 0; k < repeated_count_; ++k)
      for (std::size_t i = filled_; i < picked_.count; i += width)
        store_lanes(repeated_[k].lanes + i, B(*repeated_[k].value));
    filled_ = picked_.count;
  }

  const std::int32_t* indices(const Strided<std::int32_t>& host, std::int32_t* to) const {
    if (picked_.list == nullptr && is_contiguous(host)) [[likely]]
      return host.data + picked_.first;
    Picked picked = picked_;
    picked.block_bytes = 0;
    gather(host, picked, to);
    return to;
  }

  /// To the second level, since the columns of most hosts begin at the same place of a page and displace each other
  /// from the first.
  [[gnu::always_inline]] void fetch_column(const Strided<T>& host, std::size_t first, std::size_t count) const {
    if (!is_contiguous(host)) return;  // the processor follows a host's structs by itself
    const std::size_t step = source_.block_bytes != 0 ? source_.block_bytes : 64;
    const std::size_t from =
        reinterpret_cast<std::size_t>(host.data) + offset_of<T>(first + tiles_ahead * count, source_.block_bytes);
    for (std::size_t line = 0; line < count * sizeof(T); line += 64) fetch_line(from + line / 64 * step);
  }

  /// The address may be outside of all memory, and that of the world is no one's, which does no harm.
  [[gnu::always_inline]] static void fetch_line(std::size_t address) {
    __builtin_prefetch(reinterpret_cast<const void*>(address), 0, 2);
  }
  [[gnu::always_inline]] void fetch_bodies(const Strided<std::int32_t>& body, std::size_t first,
                                           std::size_t count) const {
    const std::ptrdiff_t stride = body.stride;
    const char* from = reinterpret_cast<const char*>(&element(body, first));
    const auto each = [&](auto&& fetch_body) __attribute__((always_inline)) {
      for (; count > 0; --count, from += stride)
        fetch_body(static_cast<std::size_t>(std::ptrdiff_t{*reinterpret_cast<const std::int32_t*>(from)}));
    };
    if (source_.packed != nullptr) {
      constexpr std::size_t bytes = row_size * sizeof(T);
      const auto rows = reinterpret_cast<std::size_t>(source_.packed);
      each([&](std::size_t i) __attribute__((always_inline)) {
        CAROM_UNROLL
        for (std::size_t byte = 0; byte < bytes; byte += 64) fetch_line(rows + i * bytes + byte);
      });
    } else {
      each([&](std::size_t i) __attribute__((always_inline)) {
        for (std::size_t c = 0; c < source_.of_body_count; ++c)
          fetch_line(reinterpret_cast<std::size_t>(source_.of_body[c].data) +
                     i * static_cast<std::size_t>(source_.of_body[c].stride));
      });
    }
  }

  const Source<T>& source_;
  std::int32_t* place_[2];
  T* absent_;
  T* fault_;
  std::size_t origin_ = 0;
  const std::uint32_t* order_ = nullptr;
  Picked picked_ = {};
  std::size_t block_bytes_ = 0;
  std::uint32_t last_[width];
  struct {
    const T* value;
    T* lanes;
  } repeated_[Source<T>::most];
  std::size_t repeated_count_ = 0, filled_ = 0;  // of how many contacts the lanes have them
  Pieces<T, Source<T>::most> pieces_;
  std::size_t lane_count_ = 0, staged_count_ = 0;
  T* lanes_[Source<T>::most];
  const T** staged_[Source<T>::most];
};

/// Results of a tile on their way to the host. Columns that are streamed go past the caches a whole line at a time; the
/// last part of a line waits for the next tile.
template <class A, class T>
class StagedResults {
  using B = typename LaneTypes<A, T>::Batch;
  static constexpr std::size_t width = LaneTypes<A, T>::width, most = 18;

 public:
  template <class Tile>
  explicit StagedResults(Tile& tile) {
    for (T* const lane : tile.out) lanes_[lane_count_++] = lane;
  }

  void add(const Column<T>& host) { columns_[count_++].host = &host; }
  /// The next of the pointers by which the stages write, in the order of the columns.
  void add(T*& to) {
    columns_[staged_count_++].staged = &to;
    to = nullptr;
  }

  bool is_dense() const {
    bool dense = true;
    for (std::size_t c = 0; c < count_; ++c)
      dense = dense && (columns_[c].host->data == nullptr || is_contiguous(*columns_[c].host));
    return dense;
  }

  /// Before the first tile of a range, which begins with contact `first`.
  [[gnu::noinline]] void begin_range(std::size_t first, bool stream) {
    streams_ = stream;
    for_each([&](ColumnStream<T>& column, T*) { column.begin(first, stream); });
    if constexpr (width > 1) {
      Strided<T> columns[most];
      for (std::size_t c = 0; c < count_; ++c) columns[c] = {columns_[c].host->data, columns_[c].host->stride};
      pieces_.find_written(columns, count_);
    }
  }

  /// `direct`: into the host's columns where these are contiguous.
  [[gnu::noinline]] void begin_tile(std::size_t first, bool direct) {
    direct_ = direct;
    for_each([&](ColumnStream<T>& column, T* buffer) {
      *column.staged = is_direct(column) ? &element(*column.host, first) : buffer + column.waiting;
    });
  }
  /// Where a tile has its results of another kind; `otherwise` is an array of its own.
  template <class V>
  V* begin_tile(const Column<V>& host, std::size_t first, V* otherwise) const {
    if (host.data == nullptr) return nullptr;
    return direct_ && is_contiguous(host) ? &element(host, first) : otherwise;
  }

  /// Writes what has not been written directly: the contacts [first, first + count), or those of a list.
  [[gnu::noinline]] void end_tile(const Picked& picked) {
    const std::size_t whole = picked.count / width * width;
    const bool by_rows = whole > 0 && !has_skipped(picked);
    const Picked rest = {picked.list == nullptr ? picked.first + whole : picked.first, picked.count - whole,
                         picked.list == nullptr ? nullptr : picked.list + whole, 0};
    for (std::size_t c = 0; c < count_; ++c) {
      ColumnStream<T>& column = columns_[c];
      T* const buffer = lanes_[c];
      if (column.host->data == nullptr) continue;
      if (column.streamed)
        column.flush(buffer, picked.first, picked.count);
      else if (by_rows && pieces_.has(c))
        scatter(*column.host, rest, static_cast<const T*>(buffer + whole));
      else if (!is_direct(column))
        scatter(*column.host, picked, static_cast<const T*>(buffer));
    }
    if (by_rows)
      for (const Piece<T>& piece : pieces_) store_piece<B>(piece, picked.first, picked.list, whole, lanes_);
  }
  template <class V>
  void end_tile(const Column<V>& host, const Picked& picked, const V* from) const {
    if (host.data != nullptr && !(direct_ && is_contiguous(host))) scatter(host, picked, from);
  }

  /// After the last tile of a range that ends before contact `end`.
  [[gnu::noinline]] void end_range(std::size_t end) {
    if (!streams_) return;
    for_each([&](const ColumnStream<T>& column, const T* buffer) { column.end(end, buffer); });
    end_stream();
  }

 private:
  static bool has_skipped(const Picked& picked) {
    bool skips = false;
    for (std::size_t i = 0; picked.list != nullptr && i < picked.count; ++i) skips = skips || picked.list[i] == skipped;
    return skips;
  }

  bool is_direct(const ColumnStream<T>& column) const {
    return direct_ && !column.streamed && is_contiguous(*column.host);
  }

  template <class F>
  [[gnu::always_inline]] void for_each(F&& f) {
    for (std::size_t c = 0; c < count_; ++c)
      if (columns_[c].host->data != nullptr) f(columns_[c], lanes_[c]);
  }

  bool streams_ = false, direct_ = true;
  std::size_t count_ = 0, staged_count_ = 0, lane_count_ = 0;
  ColumnStream<T> columns_[most];
  T* lanes_[most];
  Pieces<T, most> pieces_;
};

/// Calls f(first, count) for the tiles of [first, end): of whole vectors, and at last fewer contacts than one has.
template <std::size_t width, class F>
[[gnu::always_inline]] inline void for_each_tile(std::size_t first, std::size_t end, std::size_t at_once, F&& f) {
  while (first < end) {
    const std::size_t left = end - first, whole = left / width * width;
    const std::size_t count = left < width ? left : whole < at_once ? whole : at_once;
    f(first, count);
    first += count;
  }
}

}  // namespace
}  // namespace carom::kernel
