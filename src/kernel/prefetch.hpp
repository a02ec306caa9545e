// Brings the columns of the contacts that come next into the cache while others are being solved. The processor's own
// prefetchers give up on so many streams.
#pragma once

#include "columns.hpp"
#include "load.hpp"

namespace carom::kernel {
namespace {

/// Contiguous columns only: the fields of a struct lie together, and that the processor follows by itself.
template <class T>
class Prefetcher {
 public:
  template <class Contacts>
  void add(const Contacts& contacts, const Layout& layout) {
    block_bytes_ = layout.block_bytes;
    for_each_column(contacts, [&](const auto& column) { add(column); });
    in_blocks_ = count_;
    add(contacts.step);
  }

  void add(const Results<T>& results) {
    for_each_result(results, [&](const auto& column) { add(column); });
    add(results.work_compression);
    add(results.work_decompression);
  }

  /// The cache lines of the contacts [i, i + count), unless they came with those before.
  void fetch(std::size_t i, std::size_t count) const {
    if (i % (64 / sizeof(T)) >= count) return;
    const std::size_t offset = offset_of<T>(i, block_bytes_);
    for (std::size_t c = 0; c < in_blocks_; ++c) __builtin_prefetch(columns_[c] + offset);
    for (std::size_t c = in_blocks_; c < count_; ++c) __builtin_prefetch(columns_[c] + i * sizeof(T));
  }

 private:
  template <class V>
  [[gnu::noinline]] void add(const Column<V>& column) {
    if (column.data && column.stride == static_cast<std::ptrdiff_t>(sizeof(V)))
      columns_[count_++] = reinterpret_cast<const char*>(column.data);
  }

  std::size_t block_bytes_ = 0;
  std::size_t in_blocks_ = 0, count_ = 0;
  const char* columns_[64];
};

}  // namespace
}  // namespace carom::kernel
