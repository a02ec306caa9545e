// A contact as the reference loads it, judges its data and resolves it, for batches and for scenes.
#pragma once

#include <carom/reference.hpp>
#include <cmath>

#include "reference/algorithm.hpp"
#include "reference/laws_columns.hpp"

namespace carom::reference {

struct Laws : LawOfContact {
  double friction = 0, restitution = 0, largest_restitution = 1;
  double step = 0;  // of its own, if it has one
  bool has_step = false;
  RestitutionLaw restitution_law = RestitutionLaw::energetic;
  Integrator integrator = Integrator::euler;
};

struct BodyContact : Laws {
  Vector3 normal{};
  Body a, b;
  Vector3 lever_a{}, lever_b{};
  Status indices = Status::ok;
};

struct SpaceContact : Laws {
  Matrix3 k{};
  Vector3 u0{};
};

// Load.

Vector3 read(const Vector3Columns<const double>& v, std::size_t i);
Body read(const BodyColumns<const double>& bodies, std::size_t i);

/// The world, which stands still, for -1; a body of which nothing is known for one that does not exist.
Body load_body(const BodyColumns<const double>& bodies, std::int32_t index);
/// ok, body_index_out_of_range or same_body.
Status fault_of_indices(std::int32_t a, std::int32_t b, std::size_t bodies);

BodyContact load(const InlineContacts<double>& contacts, std::size_t i, const Options& options);
BodyContact load(const IndexedContacts<double>& contacts, std::size_t i, const Options& options);
SpaceContact load(const SpaceContacts<double>& contacts, std::size_t i, const Options& options);

// Validate.

/// Finds NaN and infinity among the numbers that it sees. A friction may be infinite.
class Numbers {
 public:
  void see(double x) {
    any_nan_ |= std::isnan(x);
    any_infinite_ |= std::isinf(x);
  }
  void see(const Vector3& v) {
    for (double x : v) see(x);
  }
  void see(const Matrix3& m) {
    for (const Vector3& row : m) see(row);
  }
  void see(const Body& body) {
    see(body.inverse_mass);
    see(body.inverse_inertia);
    see(body.velocity);
    see(body.angular_velocity);
  }
  void see_laws(const Laws& laws) {
    see(laws.restitution);
    see(laws.step);
    any_nan_ |= std::isnan(laws.friction) || laws.fault == Status::not_a_number;
    any_infinite_ |= laws.fault == Status::infinite;
  }
  Status fault() const { return any_nan_ ? Status::not_a_number : any_infinite_ ? Status::infinite : Status::ok; }

 private:
  bool any_nan_ = false, any_infinite_ = false;
};

Status fault_of_body(const Body& body, const Options& options);
bool is_immovable(const Body& body);
/// True where the contact's K is singular, whatever rounding makes of it: without any mass one body alone turns.
bool is_pivot(const BodyContact& c);

/// `numbers` are those that the contact has beside its own.
Status fault_of_data(const BodyContact& c, const Options& options, Numbers numbers = {});
Status fault_of_data(const SpaceContact& c);

// Law.

/// The contact frame with what stands in it.
struct InContactFrame {
  Matrix3 to_contact{};  ///< the rotation from the world
  Body a, b;
  Vector3 lever_a{}, lever_b{};
  Vector3 u0{};
  Matrix3 k{};
};
InContactFrame in_contact_frame(const BodyContact& c);

/// The law of the contact, in contact space. There is an impulse if the contact is resolved.
Status collide(const Laws& laws, const Matrix3& k, const Vector3& u0, const Options& options,
               bool with_boundary_distance, Outcome& outcome);
/// The same of the bodies' contact, whose frame is given.
Status collide(const BodyContact& c, const InContactFrame& frame, const Options& options, bool with_boundary_distance,
               Outcome& outcome);

/// The changes of a body's velocities, in the world, by an impulse in the contact frame.
struct Change {
  Vector3 velocity{}, angular_velocity{};
};
Change change_by(const Vector3& impulse, const Matrix3& to_world, const Body& in_frame, const Vector3& lever);

// Store. A column that is not there takes nothing.

template <class T>
void write(const Column<T>& column, std::size_t i, T value) {
  if (column) column[i] = value;
}

inline void write(const Vector3Columns<double>& columns, std::size_t i, const Vector3& v) {
  write(columns.x, i, v[0]);
  write(columns.y, i, v[1]);
  write(columns.z, i, v[2]);
}

}  // namespace carom::reference
