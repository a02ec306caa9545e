// An application solves with an installed carom, and catches an error.
#include <carom/carom.hpp>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

int main() {
  // Head-on: K = 2 · 1, u0 = -3, e = 1/2, hence p_z = (1 + e) 3 / 2.
  const double expected = 2.25;
  std::vector<double> two{2}, zero{0}, approach{-3}, friction{0.3}, restitution{0.5}, impulse(1);

  carom::KContacts<double> contacts;
  contacts.friction = friction;
  contacts.restitution = restitution;
  contacts.k = {two, zero, zero, two, zero, two};
  contacts.separation_velocity = {zero, zero, approach};
  carom::Results<double> results;
  results.impulse.z = impulse;

  carom::Solver solver;
  const carom::Report report = solver.solve(contacts, results);
  // A few roundings apart.
  if (report.count(carom::Status::ok) != 1 || report.faults() != 0 || std::abs(impulse[0] - expected) > 1e-12) return 1;

  contacts.friction = {};
  try {
    solver.solve(contacts, results);
    return 2;
  } catch (const carom::Error&) {
  }
  std::printf("carom %s resolved %zu contact\n", std::string(carom::version()).c_str(), report.contacts);
}
