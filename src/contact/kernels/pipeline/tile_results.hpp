// The results of a tile of a law kernel: pointers for the stages, and the copy to the caller's columns.
#pragma once

#include "contact/kernels/stages/write.hpp"
#include "law_call.hpp"

namespace carom::kernel {
namespace {

template <class A, class T, int dimension>
class TileResults {
  using Hosts = typename ResultColumnsIn<T, dimension>::Type;

 public:
  ResultPointers<T, dimension> to;

  /// `tile` has room for results, `out`, `statuses` and `paths`.
  template <class Tile>
  TileResults(const Hosts& hosts, Tile& tile)
      : hosts_(hosts), staged_(tile), statuses_(tile.statuses), paths_(tile.paths) {
    for_each_number(hosts, [&](const Column<T>& host) { staged_.add(host); });
  }

  bool is_dense() const {
    const auto dense = [](const auto& column) { return column.data == nullptr || is_contiguous(column); };
    return staged_.is_dense() && dense(hosts_.status) && dense(hosts_.path);
  }

  /// Called before the first tile of a range and after its last tile, as in StagedResults.
  void begin_range(std::size_t first, std::size_t contacts, bool stream) {
    staged_.begin_range(first, contacts, stream);
  }
  void end_range(std::size_t end) { staged_.end_range(end); }

  /// Called before the stages write a tile that begins with contact `first`. `direct`: they write to the caller's
  /// columns where these are contiguous.
  void begin_tile(std::size_t first, bool direct) {
    T* const* from = staged_.begin_tile(first, direct);
    for_each_number(
        to, [&](T * &pointer) __attribute__((always_inline)) { pointer = *from++; });
    to.status = staged_.begin_tile(hosts_.status, first, statuses_);
    if (dimension == 3 && to.status == nullptr) to.status = statuses_;
    to.path = staged_.begin_tile(hosts_.path, first, paths_);
  }
  /// Copies the results of a tile to the caller's columns unless the stages have written there.
  [[gnu::noinline]] void end_tile(const Picked& picked) {
    staged_.end_tile(picked);
    staged_.end_tile(hosts_.status, picked, statuses_);
    staged_.end_tile(hosts_.path, picked, paths_);
    if constexpr (dimension == 3) {
      if (hosts_.work_compression.data != nullptr) clear(hosts_.work_compression, picked);
      if (hosts_.work_decompression.data != nullptr) clear(hosts_.work_decompression, picked);
    }
    if (hosts_.steps.data != nullptr) clear(hosts_.steps, picked);
  }

 private:
  /// Results that are numbers, in the order of core/columns/columns.hpp; works last. The algebraic laws in 3D have
  /// none.
  template <class Numbers, class F>
  [[gnu::always_inline]] static void for_each_number(Numbers& r, F&& f) {
    for_each_result(r, f);
    if constexpr (dimension == 2) {
      f(r.work_compression);
      f(r.work_decompression);
    }
  }

  const Hosts& hosts_;
  StagedResults<A, T> staged_;
  Status* statuses_;
  Path* paths_;
};

}  // namespace
}  // namespace carom::kernel
