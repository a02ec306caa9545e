// The kinetic energy that collisions take.
#pragma once

#include "io/columns/contact_numbers.hpp"

namespace carom::apps {

/// The energy that the contacts of a file have lost together [J]: -p (u0 + u) / 2 of each, where p is the impulse, and
/// u0 and u are the separation velocities before and after it. Rows without an impulse have lost nothing.
double energy_loss(const io::ContactNumbers& contacts, const io::ResultNumbers& results);

}  // namespace carom::apps
