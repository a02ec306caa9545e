// What differences between results are measured in: the speed |u0| of a contact, and its trace K.
#pragma once

#include <cstddef>
#include <string>

#include "analysis/vectors.hpp"
#include "io/contact_numbers.hpp"

namespace carom::apps {

class ContactScales {
 public:
  explicit ContactScales(const io::ContactNumbers& contacts)
      : numbers_(contacts.numbers()),
        form_(contacts.form()),
        u0_(numbers_, "u0"),
        a_(numbers_, "a"),
        b_(numbers_, "b") {}

  /// |u0| [m/s]
  double speed(std::size_t row) const {
    if (!io::is_body_form(form_)) return norm(u0_[row]);
    const Vector va = a_.velocity[row], vb = b_.velocity[row];
    const Vector wa = cross(a_.angular_velocity[row], a_.lever[row]),
                 wb = cross(b_.angular_velocity[row], b_.lever[row]);
    return norm({va[0] + wa[0] - vb[0] - wb[0], va[1] + wa[1] - vb[1] - wb[1], va[2] + wa[2] - vb[2] - wb[2]});
  }
  /// The trace of the collision matrix [1/kg].
  double trace_k(std::size_t row) const {
    if (io::is_body_form(form_)) return trace_k(row, "a", a_) + trace_k(row, "b", b_);
    return io::is_planar_form(form_) ? at(row, "k_xx") + at(row, "k_yy")
                                     : at(row, "k_xx") + at(row, "k_yy") + at(row, "k_zz");
  }
  /// |r| of body "a" or "b" [m]
  double lever(const std::string& side, std::size_t row) const { return norm((side == "a" ? a_ : b_).lever[row]); }

 private:
  struct Body {
    Body(const io::Numbers& numbers, const std::string& side)
        : velocity(numbers, "velocity_" + side),
          angular_velocity(numbers, "angular_velocity_" + side),
          lever(numbers, "lever_" + side) {}
    Vectors velocity, angular_velocity, lever;
  };

  double at(std::size_t row, const std::string& name) const { return numbers_.at(name)[row]; }

  // What one body adds: of m^-1 + (r x e_i)·I^-1 (r x e_j).
  double trace_k(std::size_t row, const std::string& side, const Body& body) const {
    const std::string i = "inverse_inertia_" + side;
    const double m = at(row, "inverse_mass_" + side);
    const auto [x, y, z] = body.lever[row];
    if (io::is_planar_form(form_)) return 2 * m + at(row, i) * (x * x + y * y);
    const double xx = at(row, i + "_xx"), xy = at(row, i + "_xy"), xz = at(row, i + "_xz"), yy = at(row, i + "_yy"),
                 yz = at(row, i + "_yz"), zz = at(row, i + "_zz");
    return 3 * m + xx * (y * y + z * z) + yy * (x * x + z * z) + zz * (x * x + y * y) -
           2 * (xy * x * y + xz * x * z + yz * y * z);
  }

  const io::Numbers& numbers_;
  io::Form form_;
  Vectors u0_;
  Body a_, b_;
};

}  // namespace carom::apps
