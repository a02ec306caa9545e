#include "blocked.hpp"

#include "contact_columns.hpp"

using namespace carom;

carom_error carom_blocked_contacts_create(std::int32_t precision, std::size_t count,
                                          carom_blocked_contacts** contacts) {
  return c::guarded([&] {
    c::given(contacts, "contacts") = nullptr;
    c::in_precision(precision, [&]<class T>(std::type_identity<T>) {
      *contacts = new carom_blocked_contacts{BlockedContacts<T>(count)};
    });
  });
}

void carom_blocked_contacts_destroy(carom_blocked_contacts* contacts) {
  delete contacts;
}

carom_error carom_blocked_contacts_set_laws(carom_blocked_contacts* contacts, const carom_law_columns* laws) {
  return c::guarded([&] {
    std::visit(
        [&](auto& of) {
          decltype(of.laws) taken;
          c::take_columns(taken, laws, c::columns_of_laws);
          of.laws = taken;
        },
        c::given(contacts, "contacts").contacts);
  });
}

carom_error carom_blocked_contacts_columns(carom_blocked_contacts* contacts, carom_blocked_columns* columns) {
  return c::guarded([&] {
    const auto put = [](const columns::Label&, const auto& from, carom_blocked_column& to) {
      to = {from.data, from.count, from.block_elements};
    };
    std::visit(
        [&](const auto& of) {
          using AnyContacts = std::remove_cvref_t<decltype(of)>;
          static_assert(sizeof *columns == AnyContacts::columns * sizeof(carom_blocked_column));
          columns::each_number(put, of, c::given(columns, "columns"));
        },
        c::given(contacts, "contacts").contacts);
  });
}
