// The results of a tile: written in place if the caller's columns are contiguous, otherwise through the tile.
#pragma once

#include "column_stream.hpp"
#include "gather.hpp"
#include "structs.hpp"

namespace carom::kernel {
namespace {

/// Stores the results of a tile. Streamed columns bypass the caches, a whole line at a time; the rest of a line waits
/// for the next tile.
template <class A, class T>
class StagedResults {
  using B = typename LaneTypes<A, T>::Batch;
  static constexpr std::size_t width = LaneTypes<A, T>::width, most = 18;

 public:
  template <class Tile>
  explicit StagedResults(Tile& tile) {
    static_assert(sizeof tile.out / sizeof tile.out[0] <= most);
    std::size_t c = 0;
    for (T* const lane : tile.out) lanes_[c++] = lane;
  }

  void add(const Column<T>& host) {
    hosts_[count_] = &host;
    uneven_ |= host.data != nullptr ? host.stride ^ static_cast<std::ptrdiff_t>(sizeof(T)) : 0;
    ++count_;
  }

  bool is_dense() const { return uneven_ == 0; }

  /// Call before the first tile of a range of `contacts` contacts that starts with contact `first`.
  void begin_range(std::size_t first, std::size_t contacts, bool stream) {
    streams_ = stream;
    if (stream) begin_stream(first);
    if (width > 1 && uneven_ != 0 && contacts >= Pieces<T, most>::min_contacts) find_pieces();
  }

  /// Returns where the stages write a tile that starts with contact `first`, in the order of the columns; null for a
  /// column that is not requested. `direct`: contiguous columns of the caller are written in place.
  [[gnu::noinline]] T* const* begin_tile(std::size_t first, bool direct) {
    direct_ = direct;
    if (direct && uneven_ == 0 && !streams_) {
      for (std::size_t c = 0; c < count_; ++c) to_[c] = hosts_[c]->data != nullptr ? hosts_[c]->data + first : nullptr;
      return to_;
    }
    for (std::size_t c = 0; c < count_; ++c) to_[c] = hosts_[c]->data != nullptr ? lanes_[c] : nullptr;
    if (direct || streams_)
      for_each([&](std::size_t c) {
        if (is_direct(c))
          to_[c] = hosts_[c]->data + first;
        else if (streams_)
          to_[c] += stream_[c].waiting;
      });
    return to_;
  }
  /// Destination of results of other types in a tile; `otherwise`: a separate array.
  template <class V>
  V* begin_tile(const Column<V>& host, std::size_t first, V* otherwise) const {
    if (host.data == nullptr) return nullptr;
    return direct_ && is_contiguous(host) ? &element(host, first) : otherwise;
  }

  /// Writes columns that were not written in place: contacts [first, first + count), or the contacts of a list.
  void end_tile(const Picked& picked) {
    if (direct_ && uneven_ == 0 && !streams_) return;
    if (picked.count < width && picked.list == nullptr && !streams_)
      put_few(picked);
    else
      put(picked);
  }
  template <class V>
  void end_tile(const Column<V>& host, const Picked& picked, const V* from) const {
    if (host.data != nullptr && !(direct_ && is_contiguous(host))) scatter(host, picked, from);
  }

  /// After the last tile of a range that ends before contact `end`.
  void end_range(std::size_t end) {
    if (streams_) end_stream_before(end);
  }

 private:
  [[gnu::noinline]] void begin_stream(std::size_t first) {
    for_each([&](std::size_t c) { stream_[c].begin(*hosts_[c], first); });
  }
  [[gnu::noinline]] void end_stream_before(std::size_t end) {
    for_each([&](std::size_t c) { stream_[c].end(end, lanes_[c]); });
    end_stream();
  }

  [[gnu::noinline]] void find_pieces() {
    Strided<T> columns[most];
    for (std::size_t c = 0; c < count_; ++c) columns[c] = {hosts_[c]->data, hosts_[c]->stride};
    pieces_.find_written(columns, count_);
  }

  [[gnu::noinline]] void put(const Picked& picked) {
    const std::size_t whole = picked.count / width * width;
    const bool by_rows = whole > 0 && !has_skipped(picked);
    const Picked rest = {picked.list == nullptr ? picked.first + whole : picked.first, picked.count - whole,
                         picked.list == nullptr ? nullptr : picked.list + whole, 0};
    for_each([&](std::size_t c) {
      T* const buffer = lanes_[c];
      if (is_streamed(c))
        stream_[c].flush(buffer, picked.first, picked.count);
      else if (by_rows && pieces_.has(c))
        scatter(*hosts_[c], rest, static_cast<const T*>(buffer + whole));
      else if (!is_direct(c))
        scatter(*hosts_[c], picked, static_cast<const T*>(buffer));
    });
    if (by_rows)
      for (const Piece<T>& piece : pieces_) store_piece<B>(piece, picked.first, picked.list, whole, lanes_);
  }
  /// Same for fewer contacts than a vector has.
  [[gnu::noinline]] void put_few(const Picked& picked) const {
    const std::size_t columns = count_;
    for (std::size_t i = 0; i < picked.count; ++i)
      for (std::size_t c = 0; c < columns; ++c)
        if (hosts_[c]->data != nullptr) element(*hosts_[c], picked.first + i) = lanes_[c][i];
  }

  static bool has_skipped(const Picked& picked) {
    bool skips = false;
    for (std::size_t i = 0; picked.list != nullptr && i < picked.count; ++i) skips = skips || picked.list[i] == skipped;
    return skips;
  }

  bool is_streamed(std::size_t c) const { return streams_ && stream_[c].streamed; }
  bool is_direct(std::size_t c) const { return direct_ && !is_streamed(c) && is_contiguous(*hosts_[c]); }

  template <class F>
  [[gnu::always_inline]] void for_each(F&& f) {
    for (std::size_t c = 0; c < count_; ++c)
      if (hosts_[c]->data != nullptr) f(c);
  }

  bool streams_ = false, direct_ = true;
  std::size_t count_ = 0;
  std::ptrdiff_t uneven_ = 0;  // 0 if all columns are contiguous
  const Column<T>* hosts_[most];
  T *lanes_[most], *to_[most];
  ColumnStream<T> stream_[most];  // if results are streamed
  Pieces<T, most> pieces_;
};

}  // namespace
}  // namespace carom::kernel
