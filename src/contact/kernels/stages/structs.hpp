// Columns that are fields of one struct of the caller. The structs of a vector of contacts are rows, which are loaded
// 16 bytes at a time and transposed to lanes; results are stored in the same way.
#pragma once

#include "simd/kernels/lanes/transpose.hpp"
#include "source.hpp"

namespace carom::kernel {
namespace {

/// Fields within 16 bytes of a struct.
template <class T>
struct Piece {
  static constexpr std::size_t numbers = 16 / sizeof(T);

  char* data;              // of contact 0
  std::ptrdiff_t stride;   // [bytes]
  std::int32_t size;       // how many of the numbers may be touched, from the first on
  std::int32_t column[4];  // the number's; -1 of one that is no field
};

/// The columns among `most` that are fields of structs, as pieces. Other columns are not included.
template <class T, std::size_t most>
class Pieces {
  static constexpr std::size_t numbers = Piece<T>::numbers;

 public:
  /// For reading: a piece may include bytes between two fields of a struct. They are on pages that the struct occupies.
  [[gnu::noinline]] void find(const Strided<T>* columns, std::size_t columns_count) {
    find_pieces(columns, columns_count, false);
  }
  /// For writing: a piece consists of fields only.
  [[gnu::noinline]] void find_written(const Strided<T>* columns, std::size_t columns_count) {
    find_pieces(columns, columns_count, true);
  }

  /// With fewer contacts, finding pieces takes longer than copying the fields one by one.
  static constexpr std::size_t min_contacts = 192;

  const Piece<T>* begin() const { return pieces_; }
  const Piece<T>* end() const { return pieces_ + count_; }
  bool has(std::size_t column) const { return (covered_ >> column & 1u) != 0; }

 private:
  static constexpr std::ptrdiff_t size_of_page = 4096;
  static_assert(most <= 64);

  void find_pieces(const Strided<T>* columns, std::size_t columns_count, bool written) {
    count_ = 0;
    covered_ = 0;
    // By address, of equals the first.
    std::uint8_t order[most];
    std::size_t left = 0;
    for (std::size_t c = 0; c < columns_count; ++c) {
      const Strided<T>& column = columns[c];
      if (column.data == nullptr || column.stride == 0 || is_contiguous(column)) continue;
      if (column.stride > size_of_page || column.stride < -size_of_page) continue;
      std::size_t i = left++;
      for (; i > 0 && address(columns[order[i - 1]]) > address(column); --i) order[i] = order[i - 1];
      order[i] = static_cast<std::uint8_t>(c);
    }
    while (left > 1) left = take_struct(columns, order, left, written);
  }

  /// Makes pieces of the struct that contains the first column. Returns how many columns are left.
  std::size_t take_struct(const Strided<T>* columns, std::uint8_t* order, std::size_t left, bool written) {
    const Strided<T>& first = columns[order[0]];
    const std::ptrdiff_t bytes = first.stride < 0 ? -first.stride : first.stride;
    std::uint8_t members[most];
    std::size_t count = 0, others = 0;
    for (std::size_t i = 0; i < left; ++i) {
      const Strided<T>& column = columns[order[i]];
      const std::ptrdiff_t distance = address(column) - address(first);
      const bool fits = distance % static_cast<std::ptrdiff_t>(sizeof(T)) == 0 &&
                        distance <= bytes - static_cast<std::ptrdiff_t>(sizeof(T));
      if (column.stride == first.stride && fits)
        members[count++] = order[i];
      else
        order[others++] = order[i];
    }
    if (written)
      take_runs(columns, members, count);
    else
      take_fields(columns, members, count, address(columns[members[count - 1]]));
    return others;
  }

  /// Pieces that end no later than the `last` field.
  void take_fields(const Strided<T>* columns, const std::uint8_t* members, std::size_t count, std::ptrdiff_t last) {
    constexpr auto behind = static_cast<std::ptrdiff_t>((numbers - 1) * sizeof(T));
    const std::ptrdiff_t begin = address(columns[members[0]]), latest = last - behind;
    if (latest < begin) return;
    for (std::size_t i = 0; i < count; ++i) {
      if (has(members[i])) continue;
      const std::ptrdiff_t at = address(columns[members[i]]) < latest ? address(columns[members[i]]) : latest;
      std::size_t from = i;
      while (from > 0 && address(columns[members[from - 1]]) >= at) --from;
      take_piece(columns, members, from, count, at, numbers);
    }
  }

  /// Makes pieces of adjacent fields.
  void take_runs(const Strided<T>* columns, const std::uint8_t* members, std::size_t count) {
    constexpr auto step = static_cast<std::ptrdiff_t>(sizeof(T));
    for (std::size_t i = 0; i < count;) {
      const std::size_t from = i;
      const std::ptrdiff_t begin = address(columns[members[i]]);
      std::ptrdiff_t end = begin + step;
      for (++i; i < count && address(columns[members[i]]) <= end; ++i)
        if (address(columns[members[i]]) == end) end += step;
      auto run = static_cast<std::size_t>((end - begin) / step);
      for (std::ptrdiff_t at = begin; run > 1;) {
        const std::size_t size = run < numbers ? run : numbers;
        take_piece(columns, members, from, count, at, size);
        run -= size;
        at += static_cast<std::ptrdiff_t>(size) * step;
      }
    }
  }

  /// Requires members sorted by address, and none before `from` in the piece.
  void take_piece(const Strided<T>* columns, const std::uint8_t* members, std::size_t from, std::size_t count,
                  std::ptrdiff_t at, std::size_t size) {
    Piece<T>& piece = pieces_[count_];
    for (std::int32_t& column : piece.column) column = -1;
    std::uint64_t taken = 0;
    std::size_t fields = 0;
    for (std::size_t i = from; i < count; ++i) {
      const std::ptrdiff_t distance = address(columns[members[i]]) - at;
      if (distance >= static_cast<std::ptrdiff_t>(size * sizeof(T))) break;
      if (distance < 0 || has(members[i])) continue;
      std::int32_t& column = piece.column[static_cast<std::size_t>(distance) / sizeof(T)];
      if (column >= 0) continue;
      column = members[i];
      taken |= std::uint64_t{1} << members[i];
      ++fields;
    }
    if (fields < 2) return;  // one by itself is read faster
    piece.data = reinterpret_cast<char*>(at);
    piece.stride = columns[members[0]].stride;
    piece.size = static_cast<std::int32_t>(size);
    covered_ |= taken;
    ++count_;
  }

  static std::ptrdiff_t address(const Strided<T>& column) { return reinterpret_cast<std::ptrdiff_t>(column.data); }

  std::size_t count_ = 0;
  std::uint64_t covered_ = 0;  // columns
  Piece<T> pieces_[most];
};

/// Positions of the structs of `width` contacts: consecutive ones, or the contacts in a list.
template <class T, std::size_t width>
struct Rows {
  T* at[width];

  [[gnu::always_inline]] Rows(const Piece<T>& piece, std::size_t first) {
    char* const begin = piece.data + static_cast<std::ptrdiff_t>(first) * piece.stride;
    CAROM_UNROLL
    for (std::size_t i = 0; i < width; ++i)
      at[i] = reinterpret_cast<T*>(begin + static_cast<std::ptrdiff_t>(i) * piece.stride);
  }
  [[gnu::always_inline]] Rows(const Piece<T>& piece, std::size_t first, const std::uint32_t* list) {
    CAROM_UNROLL
    for (std::size_t i = 0; i < width; ++i)
      at[i] = reinterpret_cast<T*>(piece.data + static_cast<std::ptrdiff_t>(first + list[i]) * piece.stride);
  }
};

/// The fields of a piece, of a vector of contacts, to their columns' places; where[c] is column c's.
template <class B, class T, std::size_t width>
[[gnu::always_inline]] inline void load_piece(const Rows<T, width>& rows, T* const (&where)[4], std::size_t slot) {
  if constexpr (width > 1) {
    B lanes[Piece<T>::numbers];
    load_part<B>(rows.at, 0, lanes);
    CAROM_UNROLL
    for (std::size_t i = 0; i < Piece<T>::numbers; ++i)
      if (where[i] != nullptr) store_lanes(where[i] + slot, lanes[i]);
  }
}

/// Loads whole vectors of contacts: `count` of them from `first` on, or the contacts in `list`.
template <class B, class T>
[[gnu::noinline]] inline void load_piece(const Piece<T>& piece, std::size_t first, const std::uint32_t* list,
                                         std::size_t count, T* const* lanes) {
  constexpr std::size_t width = VectorTraits<B>::width;
  T* where[4] = {};
  for (std::size_t i = 0; i < Piece<T>::numbers; ++i)
    if (piece.column[i] >= 0) where[i] = lanes[piece.column[i]];
  if (list == nullptr)
    for (std::size_t slot = 0; slot < count; slot += width)
      load_piece<B>(Rows<T, width>(piece, first + slot), where, slot);
  else
    for (std::size_t slot = 0; slot < count; slot += width)
      load_piece<B>(Rows<T, width>(piece, first, list + slot), where, slot);
}

/// The inverse for the first `size` of a piece's fields. Does not write other fields of the structs.
template <class B, class T, std::size_t width>
[[gnu::always_inline]] inline void store_fields(const Rows<T, width>& rows, std::int32_t size, const B (&lanes)[4]) {
  constexpr std::size_t numbers = Piece<T>::numbers;
  if (size == static_cast<std::int32_t>(numbers)) {
    store_part<width>(rows.at, 0, lanes[0], lanes[1], lanes[2], lanes[3]);
  } else if constexpr (numbers == 4) {
    alignas(16) T turned[width][4];
    T* row[width];
    CAROM_UNROLL
    for (std::size_t i = 0; i < width; ++i) row[i] = turned[i];
    store_part<width>(row, 0, lanes[0], lanes[1], lanes[2], lanes[3]);
    CAROM_UNROLL
    for (std::size_t i = 0; i < width; ++i) {
      __builtin_memcpy(rows.at[i], turned[i], 2 * sizeof(T));
      if (size == 3) rows.at[i][2] = turned[i][2];
    }
  }
}

template <class B, class T, std::size_t width>
[[gnu::always_inline]] inline void store_piece(const Rows<T, width>& rows, std::int32_t size,
                                               const T* const (&where)[4], std::size_t slot) {
  if constexpr (width > 1) {
    B lanes[4];
    CAROM_UNROLL
    for (std::size_t i = 0; i < 4; ++i) lanes[i] = load_lanes<B>(where[i] + slot);
    store_fields<B>(rows, size, lanes);
  }
}

/// Stores whole vectors of contacts from `first` on, or the contacts in `list`, each at most once.
template <class B, class T>
[[gnu::noinline]] inline void store_piece(const Piece<T>& piece, std::size_t first, const std::uint32_t* list,
                                          std::size_t count, const T* const* lanes) {
  constexpr std::size_t width = VectorTraits<B>::width;
  const T* where[4];
  for (std::size_t i = 0; i < 4; ++i) where[i] = lanes[piece.column[i] >= 0 ? piece.column[i] : piece.column[0]];
  if (list == nullptr)
    for (std::size_t slot = 0; slot < count; slot += width)
      store_piece<B>(Rows<T, width>(piece, first + slot), piece.size, where, slot);
  else
    for (std::size_t slot = 0; slot < count; slot += width)
      store_piece<B>(Rows<T, width>(piece, first, list + slot), piece.size, where, slot);
}

}  // namespace
}  // namespace carom::kernel
