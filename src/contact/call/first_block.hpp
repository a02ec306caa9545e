// BlockedContacts as the kernels take them.
#pragma once

#include <carom/blocked.hpp>

#include "core/columns/columns.hpp"
#include "core/jobs/job.hpp"

namespace carom {

static_assert(BlockedContacts<float>::block_size == kernel::contacts_in_block);

/// Layout::block_bytes of BlockedContacts.
template <class T>
inline constexpr std::size_t bytes_of_block = sizeof(T) * BlockedContacts<T>::columns* BlockedContacts<T>::block_size;

/// Columns that begin in the first block, with one element per contact: input of kernels with Layout::block_bytes.
template <class T>
Contacts<T> first_block_of(const BlockedContacts<T>& blocked) {
  Contacts<T> contacts;
  contacts.laws = blocked.laws;
  columns::each_number(
      [](const columns::Label&, Column<const T>& to, const auto& from) {
        to = {from.data, from.count};
      },
      contacts, blocked);
  return contacts;
}

}  // namespace carom
