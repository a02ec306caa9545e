// Explicit instantiations of templates: macros that list the precisions and forms of contacts.
#pragma once

#include <carom/contacts.hpp>
#include <carom/planar.hpp>

#define CAROM_FOR_PRECISIONS(instantiate, AnyContacts) instantiate(float, AnyContacts) instantiate(double, AnyContacts)

#define CAROM_FOR_FORMS(instantiate)                 \
  CAROM_FOR_PRECISIONS(instantiate, Contacts)        \
  CAROM_FOR_PRECISIONS(instantiate, IndexedContacts) \
  CAROM_FOR_PRECISIONS(instantiate, KContacts)

#define CAROM_FOR_PLANAR_FORMS(instantiate)                  \
  CAROM_FOR_PRECISIONS(instantiate, planar::Contacts)        \
  CAROM_FOR_PRECISIONS(instantiate, planar::IndexedContacts) \
  CAROM_FOR_PRECISIONS(instantiate, planar::KContacts)
