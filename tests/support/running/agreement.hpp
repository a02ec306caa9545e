// Compares a run on lanes with the reference, contact by contact.
#pragma once

#include <carom/solver.hpp>
#include <string>
#include <vector>

#include "support/contacts/random_contacts.hpp"

namespace carom::support {

/// The reference's answer to the values of `contacts`.
struct Expected {
  Expected(const RandomContacts<double>& contacts, const Options& options);

  ResultArrays<double> results;
  std::vector<double> boundary_distance;
  std::vector<double> impact_speed;  ///< [m/s] |u0|
  /// [1] relative to |u0|, in units of the working precision's epsilon: change of u by rounding errors
  std::vector<double> rounding;
  /// [1] relative to |u0|: change of u if one decision falls a step earlier or later
  std::vector<double> one_step;
  /// [1] |u0| / |u0·n|: factor by which the relative error of the normal work exceeds the error of u
  std::vector<double> grazing;
};

/// Empty if every contact agrees, else a message that names the first one that does not.
template <class T>
std::string disagreement(const Expected& expected, const ResultArrays<T>& found);

}  // namespace carom::support
