// The contacts of a job in whichever form the host has them. Only what is here asks for the form: the incremental law
// is compiled once for all three.
#pragma once

#include "load.hpp"
#include "structs.hpp"

namespace carom::kernel {
namespace {

/// One of the pointers to forms is not null, and that to the columns is never.
template <class T>
struct AnyContacts {
  const ContactColumns<T>* columns;
  const InlineContacts<T>* with_bodies = nullptr;
  const IndexedContacts<T>* indexed = nullptr;
  const SpaceContacts<T>* in_space = nullptr;
  // Null in contact space.
  const Vector3Columns<const T>*normal = nullptr, *lever_a = nullptr, *lever_b = nullptr;
  // The same contacts with columns to bring a vector of them to, where the host's do not stand side by side; or null.
  NearColumns<T>* bring = nullptr;
  const AnyContacts* near = nullptr;

  explicit AnyContacts(const InlineContacts<T>& contacts) : columns(&contacts), with_bodies(&contacts) {
    set_geometry(contacts);
  }
  explicit AnyContacts(const IndexedContacts<T>& contacts) : columns(&contacts), indexed(&contacts) {
    set_geometry(contacts);
  }
  explicit AnyContacts(const SpaceContacts<T>& contacts) : columns(&contacts), in_space(&contacts) {}

 private:
  void set_geometry(const auto& contacts) {
    normal = &contacts.normal;
    lever_a = &contacts.lever_a;
    lever_b = &contacts.lever_b;
  }
};

/// The contacts from which a block is read: the host's, or its numbers side by side. `moved()` is called if columns
/// that have been handed out before stand elsewhere now.
template <class A, class T, class Moved>
[[gnu::always_inline]] inline const AnyContacts<T>& near_contacts(const AnyContacts<T>& contacts, const Block& block,
                                                                  Moved&& moved) {
  if (contacts.bring == nullptr || block.count != LaneTypes<A, T>::width) [[likely]]
    return contacts;
  if (contacts.bring->template bring<typename LaneTypes<A, T>::Batch>(block.first)) moved();
  return *contacts.near;
}

/// Both bodies of contacts that are not in contact space.
template <class A, class T>
[[gnu::noinline]] inline typename Loader<A, T>::Pair load_bodies(const AnyContacts<T>& contacts, const Block& block) {
  using Load = Loader<A, T>;
  if (contacts.indexed != nullptr) return Load::load_bodies(*contacts.indexed, block);
  if (block.count == 1)
    return Load::load_bodies(*contacts.with_bodies, typename Load::Single{block.first, block.layout.block_bytes});
  return Load::load_bodies(*contacts.with_bodies, block);
}

}  // namespace
}  // namespace carom::kernel
