// An application's tests compare an installed carom with its reference. Both reject missing columns.
#include <carom/carom.hpp>
#include <carom/reference.hpp>
#include <cmath>
#include <cstdio>
#include <vector>

int main() {
  std::vector<double> two{2}, zero{0}, slip{1}, approach{-3}, friction{0.3}, restitution{0.5};
  std::vector<double> impulse(1), expected(1);

  carom::KContacts<double> contacts;
  contacts.friction = friction;
  contacts.restitution = restitution;
  contacts.k = {two, zero, zero, two, zero, two};
  contacts.separation_velocity = {slip, zero, approach};
  carom::Results<double> results;

  results.impulse.x = impulse;
  carom::Solver().solve(contacts, results);
  results.impulse.x = expected;
  carom::reference::solve(contacts, results);
  // A few roundings apart.
  if (!(expected[0] < 0) || std::abs(impulse[0] - expected[0]) > 1e-12) return 1;

  contacts.friction = {};
  try {
    carom::reference::solve(contacts, results);
    return 2;
  } catch (const carom::Error&) {
  }
  std::puts("carom and its reference agree");
}
