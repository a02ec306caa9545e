#include <carom/blocked.hpp>
#include <new>

#include "columns.hpp"
#include "public_call.hpp"

namespace carom {
namespace {

template <class T>
std::size_t elements_for(std::size_t count) {
  constexpr std::size_t columns = BlockedContacts<T>::columns, block_size = BlockedContacts<T>::block_size;
  constexpr std::size_t most = ~std::size_t{0} / 2 / (columns * sizeof(T)) - block_size;
  if (count > most) throw std::bad_alloc();
  // At least one block, so that columns are not null without contacts.
  return (count > 0 ? (count + block_size - 1) / block_size : 1) * columns * block_size;
}

}  // namespace

template <class T>
BlockedContacts<T>::BlockedContacts(std::size_t count)
    : memory_(
          public_call("BlockedContacts", [&] { return std::vector<T, LargeAllocator<T>>(elements_for<T>(count)); })) {
  static_assert(columns == carom::columns::numbers_of<Contacts<T>>());
  T* next = memory_.data();
  carom::columns::each_number(
      [&](const auto&, BlockedColumn<T>& column) {
        column = {next, count, columns * block_size};
        next += block_size;
      },
      *this);
}

template class BlockedContacts<float>;
template class BlockedContacts<double>;

}  // namespace carom
