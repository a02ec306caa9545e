// What templates are instantiated for, as a list for a macro of a precision and a form of contacts.
#pragma once

#include <carom/contacts.hpp>
#include <carom/planar.hpp>

#define CAROM_FOR_PRECISIONS(instantiate, Contacts) instantiate(float, Contacts) instantiate(double, Contacts)

#define CAROM_FOR_FORMS(instantiate)                 \
  CAROM_FOR_PRECISIONS(instantiate, InlineContacts)  \
  CAROM_FOR_PRECISIONS(instantiate, IndexedContacts) \
  CAROM_FOR_PRECISIONS(instantiate, SpaceContacts)

#define CAROM_FOR_PLANAR_FORMS(instantiate)                  \
  CAROM_FOR_PRECISIONS(instantiate, planar::InlineContacts)  \
  CAROM_FOR_PRECISIONS(instantiate, planar::IndexedContacts) \
  CAROM_FOR_PRECISIONS(instantiate, planar::SpaceContacts)
