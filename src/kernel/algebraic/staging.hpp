// A tile of contacts as whole vectors with bodies of their own: columns are read and written where the host has them if
// they are contiguous there, and otherwise through the tile. So the stages know neither strides, nor indices, nor the
// end of a batch.
#pragma once

#include "../column_stream.hpp"
#include "../load.hpp"

namespace carom::kernel {
namespace {

/// The form in which the stages see contacts.
template <class T, template <class> class Contacts>
struct StageForm {
  using Type = InlineContacts<T>;
};
template <class T>
struct StageForm<T, SpaceContacts> {
  using Type = SpaceContacts<T>;
};

template <class A, class T, template <class> class Contacts>
class StagedContacts {
  using B = typename LaneTypes<A, T>::Batch;
  using Form = typename StageForm<T, Contacts>::Type;
  static constexpr std::size_t width = LaneTypes<A, T>::width;
  static constexpr bool indexed = requires(const Contacts<T>& c) { c.body_a; };

 public:
  StagedContacts(const Contacts<T>& contacts, const Layout& layout, LawTile<T>& tile)
      : layout_(layout), tile_(tile), host_contacts_(contacts) {
    static_cast<ContactColumns<T>&>(staged_.form) = contacts;
    for_each_column(contacts, [&](const Column<const T>& column) { columns_[count_++].host = &column; });
    std::size_t i = 0;
    for_each_column(staged_.form, [&](Column<const T>& column) {
      column.data = tile.in[i];
      if (i < count_) columns_[i].staged = &column.data;
      ++i;
    });
  }

  /// The contacts [first, first + count): whole vectors, or fewer than one, which is filled up with the last contact.
  /// With `copied` they are read from a copy in one place: those that are read often or come from afar.
  void fill(std::size_t first, std::size_t count, bool copied) {
    const bool whole = count % width == 0;
    block_bytes_ = whole ? layout_.block_bytes : 0;
    const std::size_t padded = whole ? count : width, offset = offset_of<T>(first, layout_.block_bytes);
    for (std::size_t c = 0; c < count_; ++c) {
      const Column<const T>& host = *columns_[c].host;
      const T* const from = reinterpret_cast<const T*>(reinterpret_cast<const char*>(host.data) + offset);
      if (whole && is_contiguous(host)) [[likely]]
        *columns_[c].staged = copied && block_bytes_ == 0 ? copy_vectors(from, tile_.in[c], count) : from;
      else
        *columns_[c].staged = copy(host, tile_.in[c], first, count, padded);
    }
    if constexpr (indexed) {
      if (layout_.packed_bodies != nullptr && whole && is_contiguous(host_contacts_.body_a) &&
          is_contiguous(host_contacts_.body_b)) [[likely]]
        find_packed_rows(first, count);
      else
        find_rows(first, count, padded);
      for (std::size_t slot = 0; slot < padded; slot += width) transpose(slot);
    }
  }

  const Form& contacts() const { return staged_.form; }

  /// Begins to fetch what a later tile needs, one of `parts`: all at once would wait for each other. To the second
  /// level, since the columns of most hosts begin at the same place of a page and displace each other from the first.
  [[gnu::always_inline]] void fetch(std::size_t first, std::size_t count, std::size_t part, std::size_t parts) const {
    const std::size_t later = first + tiles_ahead * count;
    for (std::size_t c = part; c < count_; c += parts) {
      const char* const from =
          reinterpret_cast<const char*>(columns_[c].host->data) + offset_of<T>(later, layout_.block_bytes);
      const std::size_t step = layout_.block_bytes != 0 ? layout_.block_bytes : 64;
      for (std::size_t line = 0; line < count * sizeof(T); line += 64)
        __builtin_prefetch(from + line / 64 * step, 0, 2);
    }
    if constexpr (indexed) {
      const std::size_t share = count / parts, begin = first + rows_ahead * count + part * share;
      if (layout_.packed_bodies != nullptr) fetch_rows(begin, begin + share);
    }
  }

  /// The bytes of a block, if contacts in blocks are read where they are; else 0.
  std::size_t block_bytes() const { return block_bytes_; }
  WholeBlock block(std::size_t slot) const { return {offset_of<T>(slot, block_bytes_)}; }

 private:
  const T& at(const Column<const T>& host, std::size_t i) const {
    if (layout_.block_bytes == 0) return element(host, i);
    return *reinterpret_cast<const T*>(reinterpret_cast<const char*>(host.data) + offset_of<T>(i, layout_.block_bytes));
  }

  [[gnu::always_inline]] static const T* copy_vectors(const T* from, T* to, std::size_t count) {
    for (std::size_t i = 0; i < count; i += width) store_lanes(to + i, load_lanes<B>(from + i));
    return to;
  }
  [[gnu::noinline]] const T* copy(const Column<const T>& host, T* to, std::size_t first, std::size_t count,
                                  std::size_t padded) const {
    for (std::size_t i = 0; i < padded; ++i) to[i] = at(host, first + (i < count ? i : count - 1));
    return to;
  }

  /// As find_rows, on lanes.
  [[gnu::noinline]] void find_packed_rows(std::size_t first, std::size_t count) {
    const std::size_t bodies = host_contacts_.bodies.inverse_mass.count;
    const auto end = static_cast<std::uint32_t>(bodies < 0x80000000u ? bodies : 0x80000000u);
    const T* const rows = static_cast<const T*>(layout_.packed_bodies);
    const auto place_of = [&](std::int32_t body) { return static_cast<std::uint32_t>(body) + 1u <= end ? body : -2; };
    const auto place = [&](const std::int32_t* body, const T** row) {
      for (std::size_t i = 0; i < count; ++i) row[i] = rows + std::int64_t{place_of(body[i])} * std::int64_t{row_size};
    };
    const std::int32_t* const a = &element(host_contacts_.body_a, first);
    const std::int32_t* const b = &element(host_contacts_.body_b, first);
    place(a, tile_.row_a);
    place(b, tile_.row_b);
    constexpr auto outside = static_cast<std::int32_t>(Status::body_index_out_of_range);
    constexpr auto same = static_cast<std::int32_t>(Status::same_body);
    for (std::size_t i = 0; i < count; ++i) {
      const std::int32_t one = a[i], other = b[i];
      const bool known = place_of(one) != -2 && place_of(other) != -2, twice = one == other && one >= 0;
      tile_.index_fault[i] = static_cast<T>(!known ? outside : twice ? same : 0);
    }
  }

  /// Where the bodies of the contacts stand, and the faults of their indices.
  void find_rows(std::size_t first, std::size_t count, std::size_t padded) {
    const std::size_t bodies = host_contacts_.bodies.inverse_mass.count;
    // Of -1 and the bodies, which are tested at once: contacts with the world come at random.
    const auto known = [bodies](std::int32_t body) {
      return static_cast<std::size_t>(std::int64_t{body} + 1) <= bodies;
    };
    for (std::size_t i = 0; i < padded; ++i) {
      const std::size_t contact = first + (i < count ? i : count - 1);
      const std::int32_t a = element(host_contacts_.body_a, contact), b = element(host_contacts_.body_b, contact);
      tile_.row_a[i] = row_of(a, known(a), i);
      tile_.row_b[i] = row_of(b, known(b), LawTile<T>::size + i);
      tile_.index_fault[i] = static_cast<T>(!known(a) || !known(b) ? Status::body_index_out_of_range
                                            : a == b && a >= 0     ? Status::same_body
                                                                   : Status::ok);
    }
  }

  /// Begins to fetch the bodies of the contacts [first, end), which stand anywhere.
  [[gnu::always_inline]] void fetch_rows(std::size_t first, std::size_t end) const {
    const Column<const std::int32_t>&a = host_contacts_.body_a, &b = host_contacts_.body_b;
    if (end > a.count) return;
    const char* const rows = static_cast<const char*>(layout_.packed_bodies);
    // A line that is never used does no harm, one outside of all memory neither.
    for (std::size_t i = first; i < end; ++i) {
      const std::int32_t pair[] = {element(a, i), element(b, i)};
      for (const std::int32_t body : pair)
        for (std::size_t byte = 0; byte < row_size * sizeof(T); byte += 64)
          __builtin_prefetch(rows + std::ptrdiff_t{body} * static_cast<std::ptrdiff_t>(row_size * sizeof(T)) + byte, 0,
                             2);
    }
  }

  /// `spare` is a row for a copy of a body that has not been packed.
  const T* row_of(std::int32_t body, bool known, std::size_t spare) const {
    if (!known) return unknown_row<T>;
    if (body < 0) return immovable_row<T>;
    const auto i = static_cast<std::size_t>(body);
    if (layout_.packed_bodies != nullptr) return static_cast<const T*>(layout_.packed_bodies) + i * row_size;
    T* row = tile_.rows[spare];
    std::size_t c = 0;
    for_each_of_bodies(host_contacts_.bodies, [&](const Column<const T>& column) { row[c++] = element(column, i); });
    return row;
  }

  void transpose(std::size_t slot) {
    constexpr std::size_t numbers = 13;
    B lanes[row_size];
    load_rows<B, numbers>(tile_.row_a + slot, lanes);
    for (std::size_t c = 0; c < numbers; ++c) store_lanes(tile_.in[count_ + c] + slot, lanes[c]);
    load_rows<B, numbers>(tile_.row_b + slot, lanes);
    for (std::size_t c = 0; c < numbers; ++c) store_lanes(tile_.in[count_ + numbers + c] + slot, lanes[c]);
  }

  static constexpr std::size_t tiles_ahead = 3, rows_ahead = 2;

  const Layout& layout_;
  LawTile<T>& tile_;
  const Contacts<T>& host_contacts_;
  // The columns' own constructors are common to all ISAs.
  union Staged {
    Form form;
    Staged() {}
  } staged_;
  std::size_t block_bytes_ = 0, count_ = 0;
  struct {
    const Column<const T>* host;
    const T** staged;
  } columns_[40];
};

/// Results of a tile on their way to the host. Columns that are streamed go past the caches a whole line at a time; the
/// last part of a line waits for the next tile.
template <class T>
class StagedResults {
 public:
  StagedResults(const Results<T>& results, LawTile<T>& tile) : host_results_(results), staged_(results), tile_(tile) {
    for_each_result(results, [&](const Column<T>& column) { columns_[count_++].host = &column; });
    std::size_t i = 0;
    for_each_result(staged_, [&](Column<T>& column) { columns_[i++].staged = &column; });
  }

  /// Before the first tile of a range, which begins with contact `first`.
  void begin_range(std::size_t first, bool stream) {
    for_each([&](ColumnStream<T>& column, T*) { column.begin(first, stream); });
  }

  /// `direct`: into the host's columns where these are contiguous.
  void begin_tile(std::size_t first, bool direct) {
    direct_ = direct;
    for_each([&](ColumnStream<T>& column, T* buffer) {
      column.staged->data = is_direct(column) ? &element(*column.host, first) : buffer + column.waiting;
    });
  }

  const Results<T>& results() const { return staged_; }

  /// Writes what has not been written directly of the contacts [first, first + count): of all, or of those that `mine`
  /// names.
  template <class Mine>
  void end_tile(std::size_t first, std::size_t count, bool all, Mine&& is_mine) {
    const auto mine = [&](std::size_t i) { return all || is_mine(i); };
    for_each([&](ColumnStream<T>& column, T* buffer) {
      if (column.streamed)
        column.flush(buffer, first, count);
      else if (!is_direct(column))
        copy(*column.host, buffer, first, count, all, mine);
    });
    copy(host_results_.status, tile_.statuses, first, count, all, mine);
    copy(host_results_.path, tile_.paths, first, count, all, mine);
    clear(host_results_.work_compression, first, count, mine);
    clear(host_results_.work_decompression, first, count, mine);
    clear(host_results_.steps, first, count, mine);
  }

  /// After the last tile of a range that ends before contact `end`.
  void end_range(std::size_t end) {
    for_each([&](const ColumnStream<T>& column, const T* buffer) { column.end(end, buffer); });
    end_stream();
  }

 private:
  bool is_direct(const ColumnStream<T>& column) const {
    return direct_ && !column.streamed && is_contiguous(*column.host);
  }

  template <class F>
  void for_each(F&& f) {
    for (std::size_t c = 0; c < count_; ++c)
      if (columns_[c].host->data != nullptr) f(columns_[c], tile_.out[c]);
  }

  template <class V, class Mine>
  static void copy(const Column<V>& to, const V* from, std::size_t first, std::size_t count, bool all, Mine&& mine) {
    if (to.data == nullptr) return;
    if (all && is_contiguous(to)) {
      __builtin_memcpy(&element(to, first), from, count * sizeof(V));
      return;
    }
    for (std::size_t i = 0; i < count; ++i)
      if (mine(i)) element(to, first + i) = from[i];
  }

  template <class V, class Mine>
  static void clear(const Column<V>& to, std::size_t first, std::size_t count, Mine&& mine) {
    if (to.data == nullptr) return;
    for (std::size_t i = 0; i < count; ++i)
      if (mine(i)) element(to, first + i) = V(0);
  }

  const Results<T>& host_results_;
  Results<T> staged_;
  LawTile<T>& tile_;
  bool direct_ = true;
  std::size_t count_ = 0;
  ColumnStream<T> columns_[18];
};

}  // namespace
}  // namespace carom::kernel
