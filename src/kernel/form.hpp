// The contacts of a job in whichever form the host has them. Only what is here asks for the form: the incremental law
// is compiled once for all three.
#pragma once

#include "load.hpp"

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

/// Both bodies of contacts that are not in contact space.
template <class A, class T>
[[gnu::noinline]] inline typename Loader<A, T>::Pair load_bodies(const AnyContacts<T>& contacts, const Block& block) {
  return contacts.indexed != nullptr ? Loader<A, T>::load_bodies(*contacts.indexed, block)
                                     : Loader<A, T>::load_bodies(*contacts.with_bodies, block);
}

}  // namespace
}  // namespace carom::kernel
