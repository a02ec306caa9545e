#include "energy.hpp"

#include <array>
#include <string>

namespace carom::apps {
namespace {

using Values = const std::vector<double>*;
using Vector = std::array<double, 3>;

/// A vector of a row, whose third component is 0 in the plane.
class VectorColumns {
 public:
  VectorColumns(const io::Numbers& numbers, const std::string& name, bool is_planar) {
    for (std::size_t i = 0; i < (is_planar ? 2u : 3u); ++i) columns_[i] = &numbers.at(name + '_' + "xyz"[i]);
  }
  Vector operator()(std::size_t row) const {
    Vector vector{};
    for (std::size_t i = 0; i < 3; ++i)
      if (columns_[i] != nullptr) vector[i] = (*columns_[i])[row];
    return vector;
  }

 private:
  std::array<Values, 3> columns_{};
};

/// v + w x r of one side, in world coordinates.
class PointVelocity {
 public:
  PointVelocity(const io::Numbers& numbers, const std::string& side, bool is_planar)
      : velocity_(numbers, "velocity_" + side, is_planar), r_(numbers, "r_" + side, is_planar) {
    for (std::size_t i = is_planar ? 2 : 0; i < 3; ++i)
      spin_[i] = &numbers.at("angular_velocity_" + side + (is_planar ? "" : std::string("_") + "xyz"[i]));
  }
  Vector operator()(std::size_t row) const {
    const Vector v = velocity_(row), r = r_(row);
    Vector w{};
    for (std::size_t i = 0; i < 3; ++i)
      if (spin_[i] != nullptr) w[i] = (*spin_[i])[row];
    return {v[0] + w[1] * r[2] - w[2] * r[1], v[1] + w[2] * r[0] - w[0] * r[2], v[2] + w[0] * r[1] - w[1] * r[0]};
  }

 private:
  VectorColumns velocity_, r_;
  std::array<Values, 3> spin_{};
};

template <class Before>
double sum(const io::ContactNumbers& contacts, const io::ResultNumbers& results, const VectorColumns& impulse,
           const VectorColumns& after, const Before& before) {
  double loss = 0;
  for (std::size_t row = 0; row < contacts.size(); ++row) {
    if (!contacts.readable(row) || !is_resolved(results.status[row])) continue;
    const Vector p = impulse(row), u = after(row), u0 = before(row);
    for (std::size_t i = 0; i < 3; ++i) loss -= p[i] * (u0[i] + u[i]) / 2;
  }
  return loss;
}

}  // namespace

double energy_loss(const io::ContactNumbers& contacts, const io::ResultNumbers& results) {
  const bool is_planar = io::is_planar_form(contacts.form());
  const VectorColumns impulse(results.numbers, io::columns_of(contacts.form()).impulse, is_planar);
  if (!io::is_body_form(contacts.form()))
    return sum(contacts, results, impulse, VectorColumns(results.numbers, "u", is_planar),
               VectorColumns(contacts.numbers(), "u0", is_planar));
  const PointVelocity a(contacts.numbers(), "a", is_planar), b(contacts.numbers(), "b", is_planar);
  const auto before = [&](std::size_t row) {
    const Vector of_a = a(row), of_b = b(row);
    return Vector{of_a[0] - of_b[0], of_a[1] - of_b[1], of_a[2] - of_b[2]};
  };
  return sum(contacts, results, impulse, VectorColumns(results.numbers, "new_separation_velocity", is_planar), before);
}

}  // namespace carom::apps
