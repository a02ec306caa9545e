// Brings the columns of the contacts that come next into the cache while others are being solved. The processor's own
// prefetchers give up on so many streams.
#pragma once

#include "columns.hpp"
#include "load.hpp"

namespace carom::kernel {
namespace {

/// Contiguous columns, and structs by their lines.
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
    fetch_structs(i, count);
    if (i % (64 / sizeof(T)) >= count) return;
    const std::size_t offset = offset_of<T>(i, block_bytes_);
    for (std::size_t c = 0; c < in_blocks_; ++c) __builtin_prefetch(columns_[c] + offset);
    for (std::size_t c = in_blocks_; c < count_; ++c) __builtin_prefetch(columns_[c] + i * sizeof(T));
  }

  /// The same of structs, all of whose contacts have lines of their own.
  void fetch_structs(std::size_t i, std::size_t count) const {
    for (std::size_t s = 0; s < struct_count_; ++s) {
      const Struct& of = structs_[s];
      const std::ptrdiff_t bytes = static_cast<std::ptrdiff_t>(count) * of.stride;
      const char* const first = of.begin + static_cast<std::ptrdiff_t>(i) * of.stride;
      const std::ptrdiff_t from = bytes < 0 ? bytes : 0, to = bytes < 0 ? 0 : bytes;
      for (std::ptrdiff_t at = from; at < to; at += 64) __builtin_prefetch(first + at);
    }
  }

 private:
  template <class V>
  [[gnu::noinline]] void add(const Column<V>& column) {
    if (column.data == nullptr || column.stride == 0) return;
    const char* const data = reinterpret_cast<const char*>(column.data);
    if (column.stride == static_cast<std::ptrdiff_t>(sizeof(V)))
      columns_[count_++] = data;
    else
      add_field(data, column.stride);
  }

  void add_field(const char* data, std::ptrdiff_t stride) {
    const std::ptrdiff_t size = stride < 0 ? -stride : stride;
    for (std::size_t s = 0; s < struct_count_; ++s) {
      Struct& of = structs_[s];
      const std::ptrdiff_t distance = data - of.begin;
      if (of.stride != stride || distance >= size || distance <= -size) continue;
      if (distance < 0) of.begin = data;
      return;
    }
    // A larger struct has few of its lines here, and those between them are not worth to be fetched.
    if (size <= 512 && struct_count_ < most_structs) structs_[struct_count_++] = {data, stride};
  }

  struct Struct {
    const char* begin;  // of contact 0, its first field
    std::ptrdiff_t stride;
  };
  static constexpr std::size_t most_structs = 4;

  std::size_t block_bytes_ = 0;
  std::size_t in_blocks_ = 0, count_ = 0;
  const char* columns_[64];
  std::size_t struct_count_ = 0;
  Struct structs_[most_structs];
};

}  // namespace
}  // namespace carom::kernel
