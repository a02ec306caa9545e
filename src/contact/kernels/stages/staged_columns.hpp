// The columns of a tile: read in place if they are contiguous, otherwise through the tile.
#pragma once

#include "gather.hpp"
#include "structs.hpp"

namespace carom::kernel {
namespace {

template <class A, class T>
class StagedColumns {
  using B = typename LaneTypes<A, T>::Batch;
  static constexpr std::size_t width = LaneTypes<A, T>::width, most = Source<T>::most;

 public:
  template <class Tile>
  StagedColumns(const Source<T>& source, Tile& tile)
      : source_(source), place_{tile.place[0], tile.place[1]}, absent_(tile.absent), fault_(tile.index_fault) {
    static_assert(sizeof tile.in / sizeof tile.in[0] <= most);
    std::size_t c = 0;
    for (T* const lane : tile.in) lanes_[c++] = lane;
    if (source.indexed)
      for (c = source.count; c < source.count + 2 * source.of_body_count; ++c) at_[c] = lanes_[c];
  }

  /// Call before the first tile of a range of `contacts` contacts.
  void begin_range(std::size_t contacts) {
    if (source_.uneven == 0 || contacts < width) return;
    if (width > 1 && contacts >= Pieces<T, most>::min_contacts) pieces_.find(source_.columns, source_.count);
    find_repeated();
  }

  /// Points `form`, by which the stages read, to the tile: first the source's columns, then the columns of both bodies.
  template <class Form>
  [[gnu::always_inline]] void point(Form& form) const {
    std::size_t c = 0;
    for_each_column(
        form, [&](const T*& from) __attribute__((always_inline)) { from = at_[c++]; });
  }

  /// Reads contacts of the caller in another order: the contacts in `list`, relative to contact `first`.
  void set_order(std::size_t first, const std::uint32_t* list) {
    origin_ = first;
    order_ = list;
  }

  /// Reads contacts [first, first + count): whole vectors, or fewer than one, which is filled up with the last contact.
  /// `copied`: contiguous columns that are read often, or from beyond the caches, are copied too. `fetches`: prefetches
  /// columns of a later tile, one at a time.
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
    if (filled_ < picked_.count && repeated_count_ > 0) fill_repeated();
    if (!whole && (order_ == nullptr || source_.block_bytes == 0)) return fill_few(count);
    const std::size_t offset = offset_of<T>(first, source_.block_bytes);
    const bool in_place = picked_.list == nullptr && source_.uneven == 0;
    if (in_place && !fetches && !(copied && block_bytes_ == 0)) {
      for (std::size_t c = 0; c < source_.count; ++c) at_[c] = behind(source_.columns[c], offset);
      return;
    }
    for (std::size_t c = 0; c < source_.count; ++c) {
      const Strided<T>& host = source_.columns[c];
      at_[c] = lanes_[c];
      if (picked_.list == nullptr && is_contiguous(host)) [[likely]] {
        at_[c] = behind(host, offset);
        if (fetches) fetch_column(host, first, count);
        if (copied && block_bytes_ == 0) at_[c] = copy_vectors(at_[c], lanes_[c], count);
      } else if (host.stride != 0 && !pieces_.has(c)) {
        gather(host, picked_, lanes_[c]);
      }
    }
    for (const Piece<T>& piece : pieces_) load_piece<B>(piece, picked_.first, picked_.list, picked_.count, lanes_);
    if (fetches)
      for (std::size_t c = source_.count; c < source_.fetched; ++c) fetch_column(source_.columns[c], first, count);
  }

  /// The same with the bodies of indexed contacts.
  [[gnu::noinline]] void load(std::size_t first, std::size_t count, bool copied) {
    fill(first, count, copied, false);
    if (!source_.indexed) return;
    find_bodies();
    if (source_.packed != nullptr)
      turn_rows();
    else
      gather_bodies();
  }

  /// The caller's contacts that fill() has read to the tile.
  const Picked& picked() const { return picked_; }

  /// Finds the positions of the bodies of the tile's contacts, and faults of their indices.
  [[gnu::noinline]] void find_bodies() {
    const std::size_t count = picked_.count;
    place_bodies(indices(source_.body_a, place_[0]), count, source_.bodies, place_[0]);
    place_bodies(indices(source_.body_b, place_[1]), count, source_.bodies, place_[1]);
    validate_bodies(place_[0], place_[1], count, fault_);
  }

  /// Gathers the columns of the bodies to the lanes `to`, or to the lanes of the tile.
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
  /// Transposes records of bodies to the lanes of the tile.
  [[gnu::noinline]] void turn_rows() {
    constexpr std::size_t numbers = Source<T>::max_of_body;
    T* const* to = lanes_ + source_.count;
    for (const std::int32_t* const place : place_) {
      for (std::size_t slot = 0; slot < picked_.count; slot += width) {
        const T* row[width];
        for (std::size_t i = 0; i < width; ++i) row[i] = record_of(source_.packed, place[slot + i]);
        B lanes[row_size];
        load_rows<B, numbers>(row, lanes);
        for (std::size_t c = 0; c < numbers; ++c) store_lanes(to[c] + slot, lanes[c]);
      }
      to += numbers;
    }
  }
  /// Makes the stages read the bodies' numbers from there.
  void point_bodies(T* const* from) {
    for (std::size_t c = source_.count; c < source_.count + 2 * source_.of_body_count; ++c) at_[c] = *from++;
  }

  /// Prefetches columns of a later tile, one of `parts`: all at once would wait for each other. Must be inline: to the
  /// compiler, a function that only prefetches has no effect.
  [[gnu::always_inline]] void fetch(std::size_t first, std::size_t count, std::size_t part, std::size_t parts) const {
    for (std::size_t c = part; c < source_.fetched; c += parts) fetch_column(source_.columns[c], first, count);
    for (std::size_t c = part; c < source_.beside_count; c += parts) {
      const std::size_t size = source_.beside[c].size;
      const std::size_t from = source_.beside[c].begin + (first + tiles_ahead * count) * size;
      for (std::size_t byte = 0; byte < count * size; byte += 64) fetch_line(from + byte);
    }
  }
  /// Same for the bodies, which are at arbitrary positions.
  [[gnu::always_inline]] void fetch_bodies(std::size_t first, std::size_t count, std::size_t part,
                                           std::size_t parts) const {
    const std::size_t share = count / parts, begin = first + tiles_ahead * count + part * share, end = begin + share;
    if (end > source_.contacts) return;
    fetch_bodies(source_.body_a, begin, share);
    fetch_bodies(source_.body_b, begin, share);
  }

  /// The bytes of a block, if contacts in blocks are read where they are; else 0.
  std::size_t block_bytes() const { return block_bytes_; }

 private:
  // A tile takes ten times as long as memory does to answer, and farther ahead lines displace each other before their
  // turn.
  static constexpr std::size_t tiles_ahead = 1;

  static const T* behind(const Strided<T>& host, std::size_t bytes) {
    return reinterpret_cast<const T*>(reinterpret_cast<const char*>(host.data) + bytes);
  }

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

  /// Reads fewer contacts than a vector has. The last contact fills the remaining lanes.
  [[gnu::noinline]] void fill_few(std::size_t count) {
    const std::size_t first = picked_.first, columns = source_.count;
    for (std::size_t c = 0; c < columns; ++c) at_[c] = lanes_[c];
    if (source_.brought) return;
    const auto bring = [&](auto&& at) __attribute__((always_inline)) {
      const std::uint32_t last = last_[count - 1];
      for (std::size_t c = 0; c < columns; ++c) store_lanes(lanes_[c], B(at(source_.columns[c], last)));
      if (count > 1)
        for (std::size_t c = 0; c < columns; ++c)
          for (std::size_t i = 0; i + 1 < count; ++i) lanes_[c][i] = at(source_.columns[c], last_[i]);
    };
    if (source_.block_bytes != 0) {
      const std::size_t offset = offset_of<T>(first, source_.block_bytes);
      bring([&](const Strided<T>& host, std::size_t i)
                __attribute__((always_inline)) { return behind(host, offset)[i]; });
    } else {
      bring([&](const Strided<T>& host, std::size_t i)
                __attribute__((always_inline)) { return element(host, first + i); });
    }
  }

  /// Stores a value that all contacts share in lanes once per range, and once for all columns that read the same value.
  [[gnu::noinline]] void find_repeated() {
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

  /// Prefetches to the second level, since the columns of most callers start at the same offset in a page and evict
  /// each other from the first.
  [[gnu::always_inline]] void fetch_column(const Strided<T>& host, std::size_t first, std::size_t count) const {
    if (!is_contiguous(host)) return;  // the processor prefetches structs by itself
    const std::size_t step = source_.block_bytes != 0 ? source_.block_bytes : 64;
    const std::size_t from =
        reinterpret_cast<std::size_t>(host.data) + offset_of<T>(first + tiles_ahead * count, source_.block_bytes);
    for (std::size_t line = 0; line < count * sizeof(T); line += 64) fetch_line(from + line / 64 * step);
  }

  /// The address may be invalid, as it is for the world: prefetching it is harmless.
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
      constexpr std::size_t bytes = BodyRecord::size * sizeof(T);
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
  } repeated_[most];
  std::size_t repeated_count_ = 0, filled_ = 0;  // of how many contacts the lanes have them
  Pieces<T, most> pieces_;
  T* lanes_[most];
  const T* at_[most];  // where the stages read
};

}  // namespace
}  // namespace carom::kernel
