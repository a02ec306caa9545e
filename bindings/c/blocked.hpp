#pragma once

#include <carom/carom.h>

#include <carom/blocked.hpp>
#include <variant>

struct carom_blocked_contacts {
  std::variant<carom::BlockedContacts<float>, carom::BlockedContacts<double>> contacts;
};
