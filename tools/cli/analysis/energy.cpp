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

  Vector operator[](std::size_t row) const { return velocity_[row] + cross(spin_[row], r_[row]); }

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
    const Vector u0 = has_bodies ? a[row] - b[row] : given[row];
    loss -= dot(impulse[row], u0 + after[row]) / 2;
  }
  return loss;
}

}  // namespace carom::apps
