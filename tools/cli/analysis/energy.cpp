#include "energy.hpp"

#include <string>

#include "vectors.hpp"

namespace carom::apps {
namespace {

/// v + w x r of one side, in world coordinates.
class PointVelocity {
 public:
  PointVelocity(const io::Numbers& numbers, const std::string& side)
      : velocity_(numbers, "velocity_" + side), spin_(numbers, "angular_velocity_" + side), r_(numbers, "r_" + side) {}

  Vector operator[](std::size_t row) const {
    const Vector v = velocity_[row], w = spin_[row], r = r_[row];
    return {v[0] + w[1] * r[2] - w[2] * r[1], v[1] + w[2] * r[0] - w[0] * r[2], v[2] + w[0] * r[1] - w[1] * r[0]};
  }

 private:
  Vectors velocity_, spin_, r_;
};

}  // namespace

double energy_loss(const io::ContactNumbers& contacts, const io::ResultNumbers& results) {
  const bool has_bodies = io::is_body_form(contacts.form());
  const Vectors impulse(results.numbers, io::columns_of(contacts.form()).impulse),
      after(results.numbers, has_bodies ? "new_separation_velocity" : "u"), given(contacts.numbers(), "u0");
  const PointVelocity a(contacts.numbers(), "a"), b(contacts.numbers(), "b");
  double loss = 0;
  for (std::size_t row = 0; row < contacts.size(); ++row) {
    if (!contacts.readable(row) || !is_resolved(results.status[row])) continue;
    const Vector p = impulse[row], u = after[row];
    Vector u0 = given[row];
    if (has_bodies) {
      const Vector of_a = a[row], of_b = b[row];
      u0 = {of_a[0] - of_b[0], of_a[1] - of_b[1], of_a[2] - of_b[2]};
    }
    for (std::size_t i = 0; i < 3; ++i) loss -= p[i] * (u0[i] + u[i]) / 2;
  }
  return loss;
}

}  // namespace carom::apps
