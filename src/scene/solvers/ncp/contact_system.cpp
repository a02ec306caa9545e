#include "contact_system.hpp"

#include <algorithm>
#include <carom/scene.hpp>
#include <cmath>
#include <limits>

#include "core/scene/contact_models.hpp"
#include "core/scene/thresholds.hpp"
#include "systems/call/contact_forms.hpp"

namespace carom::scene::ncp {
namespace {

using systems::at;

/// A body with its velocity.
struct MovingBody : Body {
  std::int32_t place = -1;  // in Constraints::body; -1: impulses do not move it
  bool has_arms = false;
  Twist velocity{};
};

double inverse_or_zero(double x) {
  return x > 0 ? 1 / x : 0;
}

void multiply(double factor, Direction& direction) {
  for (Twist* twist : {&direction.of, &direction.response})
    for (double& x : *twist) x *= factor;
}

template <class T>
class Reader {
 public:
  Reader(const kernel::SceneJob<T>& job, const IslandItems& island, double max_friction, Constraints& to)
      : job_(job), island_(island), max_friction_(max_friction), to_(to) {}

  void read() {
    to_.begin(job_.bodies);
    for (const std::uint32_t* m = island_.manifold; m != island_.end_manifold; ++m) read_manifold(job_.manifolds[*m]);
    const std::size_t contacts = to_.cone.size();
    each_row([&](const kernel::Constraint& of, std::uint32_t i) { measure(of, i); });
    each_row([&](const kernel::Constraint& of, std::uint32_t i) { read_row(of, i); });
    for (std::size_t k = 0; k < to_.cone.size(); ++k) {
      Cone& cone = to_.cone[k];
      for (std::size_t s = 0; s < 2; ++s)
        for (std::size_t d = 0; d < 3 && cone.body[s] >= 0; ++d)
          cone.q[d] += dot(cone.side[s][d].of, to_.velocity[static_cast<std::size_t>(cone.body[s])]);
      if (k >= contacts) finish_row(cone);
    }
  }

 private:
  MovingBody body(std::int32_t index) {
    MovingBody found;
    if (index < 0) return found;
    const T* const record = kernel::record_of(job_.body_rows, index);
    const T* const v = job_.velocities[index].numbers;
    for (std::size_t c = 0; c < 6; ++c) found.velocity[c] = static_cast<double>(v[c]);
    const bool moves = kernel::is_movable(record);
    found.has_arms = moves || v[3] != T(0) || v[4] != T(0) || v[5] != T(0);
    if (!moves) return found;
    static_cast<Body&>(found) = body_of(record);
    found.place = to_.place_of(index);
    if (static_cast<std::size_t>(found.place) == to_.velocity.size()) to_.velocity.push_back(found.velocity);
    return found;
  }

  void read_manifold(const kernel::Constraint& manifold) {
    const SceneContacts<T>& contacts = job_.scene->contacts;
    const MovingBody bodies[2] = {body(manifold.body_a), body(manifold.body_b)};
    const auto first = kernel::number_at(job_.contact_at, manifold.first);
    const auto frame = frame_of(contacts, first);
    for (std::uint32_t p = 0; p < manifold.count; ++p) {
      const std::uint32_t i = kernel::number_at(job_.contact_at, manifold.first + p);
      Cone& cone = to_.cone.emplace_back();
      cone.number = i;
      set_friction(contacts, i, cone);
      if (contacts.tangential_compliance) {
        const auto gives_way = static_cast<double>(contacts.tangential_compliance[i]);
        for (std::size_t d = 0; d < 2; ++d) cone.extra[d] = cone.scale[d] * cone.scale[d] * gives_way;
      }
      if (contacts.normal_compliance) cone.extra[2] = static_cast<double>(contacts.normal_compliance[i]);
      const Vector3<double> arm[2] = {vector_at(contacts.r_a, i), vector_at(contacts.r_b, i)};
      for (std::size_t s = 0; s < 2; ++s) {
        const MovingBody& of = bodies[s];
        if (of.place < 0 && !of.has_arms && of.velocity == Twist{}) continue;
        cone.body[s] = of.place;
        for (std::size_t d = 0; d < 3; ++d) {
          const Vector3<double> along = s == 0 ? frame[d] : -frame[d];
          Direction direction = of.has_arms ? of.at_point(arm[s], along) : of.direction(along, {});
          multiply(cone.scale[d], direction);
          cone.side[s][d] = direction;
          if (of.place < 0) cone.q[d] += dot(direction.of, of.velocity);
        }
      }
      const auto surface = surface_along(contacts, i, frame);
      for (std::size_t d = 0; d < 2; ++d) cone.q[d] -= cone.scale[d] * surface[d];
      cone.q[2] -= static_cast<double>(job_.carried[3][i]);
      for (std::size_t d = 0; d < 3; ++d) cone.warm[d] = static_cast<double>(job_.carried[d][i]);
      for (std::size_t d = 0; d < 2; ++d) cone.warm[d] *= inverse_or_zero(cone.scale[d]);
      const double w = answer(cone.side[0][2]) + answer(cone.side[1][2]);
      stopping_ += inverse_or_zero(w);
      if ((models_of(contacts, i) & kernel::models_with_moments) != 0) add_moment(manifold, i, bodies, frame, w);
    }
  }

  /// Adds the moment constraint of a contact whose normal has the response w. The initial moment of the manifold is
  /// divided among its contacts in proportion to their limits.
  void add_moment(const kernel::Constraint& manifold, std::uint32_t i, const MovingBody (&bodies)[2],
                  const ContactFrame& frame, double w) {
    const SceneContacts<T>& contacts = job_.scene->contacts;
    const Sides sides = to_.cone.back().body;
    Cone& cone = to_.cone.emplace_back();
    cone.kind = Cone::moment;
    cone.number = i;
    cone.body = sides;
    double w_moment = 0;
    for (std::size_t s = 0; s < 2; ++s)
      for (std::size_t d = 0; d < 3; ++d) {
        cone.side[s][d] = bodies[s].direction({}, s == 0 ? frame[d] : -frame[d]);
        w_moment += answer(cone.side[s][d]) / 3;
      }
    const double longest = systems::longest_length(max_friction_, w, w_moment);
    cone.scale[0] = cone.scale[1] = std::min(number_or(contacts.rolling_friction, i, 0), longest);
    cone.scale[2] = std::min(number_or(contacts.spinning_friction, i, 0), longest);
    for (std::size_t s = 0; s < 2; ++s)
      for (std::size_t d = 0; d < 3; ++d) {
        multiply(cone.scale[d], cone.side[s][d]);
        if (bodies[s].place < 0) cone.q[d] += dot(cone.side[s][d].of, bodies[s].velocity);
      }
    double rolls = 0, spins = 0;
    for (std::uint32_t p = 0; p < manifold.count; ++p) {
      const std::uint32_t k = kernel::number_at(job_.contact_at, manifold.first + p);
      rolls += number_or(contacts.rolling_friction, k, 0) * static_cast<double>(job_.carried[2][k]);
      spins += number_or(contacts.spinning_friction, k, 0) * static_cast<double>(job_.carried[2][k]);
    }
    const auto first = kernel::number_at(job_.contact_at, manifold.first);
    for (std::size_t d = 0; d < 3; ++d)
      if (const double limit = d < 2 ? rolls : spins; limit > 0 && cone.scale[d] > 0)
        cone.warm[d] =
            static_cast<double>(job_.carried_moment[d][first]) * static_cast<double>(job_.carried[2][i]) / limit;
  }

  /// Sets the friction to the larger coefficient, and the scale of each axis to its coefficient over the larger one.
  void set_friction(const SceneContacts<T>& contacts, std::size_t i, Cone& cone) const {
    cone.friction = std::min(static_cast<double>(contacts.friction[i]), max_friction_);
    if (!has_ellipse(contacts, i)) return;
    const double along = cone.friction, across = std::min(static_cast<double>(contacts.friction_2[i]), max_friction_);
    cone.friction = std::max(along, across);
    cone.scale[0] = along / cone.friction;
    cone.scale[1] = across / cone.friction;
  }

  static double answer(const Direction& of) { return dot(of.of, of.response); }

  template <class F>
  void each_row(const F& f) const {
    for (const std::uint32_t* g = island_.group; g != island_.end_group; ++g)
      for (std::uint32_t r = 0; r < job_.groups[*g].count; ++r)
        f(job_.groups[*g], kernel::number_at(job_.row_at, job_.groups[*g].first + r));
  }

  FreeRow row(const kernel::Constraint& group, std::uint32_t i) {
    const MovingBody bodies[2] = {body(group.body_a), body(group.body_b)};
    FreeRow row;
    row.number = i;
    read_joint_row(job_.scene->joints, i, bodies[0], bodies[1], row);
    for (std::size_t s = 0; s < 2; ++s) {
      const MovingBody& of = bodies[s];
      row.body[s] = of.place;
      if (of.place < 0 && of.velocity != Twist{}) row.target -= dot(row.side[s].of, of.velocity);
    }
    return row;
  }

  double answer(const JointRow& row) const { return answer(row.side[0]) + answer(row.side[1]) + row.compliance; }
  void measure(const kernel::Constraint& group, std::uint32_t i) {
    stopping_ += inverse_or_zero(answer(row(group, i)));
  }

  void read_row(const kernel::Constraint& group, std::uint32_t i) {
    const FreeRow given = row(group, i);
    const double none = SceneThresholds::no_bound * island_.approach * stopping_;
    constexpr double infinity = std::numeric_limits<double>::infinity();
    double least = given.min_impulse, largest = given.max_impulse;
    if (least < -none) least = -infinity;
    if (largest > none) largest = infinity;
    if (least == -infinity && largest == infinity) {
      to_.row.push_back(given);
      return;
    }
    Cone cone;
    cone.number = i;
    cone.body = given.body;
    cone.kind = least == -infinity || largest == infinity ? Cone::one_sided : Cone::two_sided;
    cone.sign = least == -infinity ? -1 : 1;
    cone.shift = cone.kind == Cone::two_sided ? least + 0.5 * (largest - least) : least == -infinity ? largest : least;
    const std::size_t along = cone.row_direction();
    for (std::size_t s = 0; s < 2; ++s) {
      Direction& to = cone.side[s][along];
      add(to.of, cone.sign, given.side[s].of);
      add(to.response, cone.sign, given.side[s].response);
      // Applies the impulse `shift` to the bodies.
      if (given.body[s] >= 0)
        add(to_.velocity[static_cast<std::size_t>(given.body[s])], cone.shift, given.side[s].response);
    }
    cone.q[along] = cone.sign * (given.compliance * cone.shift - given.target);
    const double w = answer(given);
    for (double& extra : cone.extra) extra = w;
    cone.extra[along] = given.compliance;
    const double begun = cone.sign * (static_cast<double>(job_.row_impulse[i]) - cone.shift);
    cone.warm[along] = begun;
    if (cone.kind == Cone::two_sided) {
      cone.friction = 1;
      cone.warm[2] = 0.5 * (largest - least);
    }
    to_.cone.push_back(cone);
  }

  /// A row with two limits has a fixed normal impulse: half of their distance. Its W_nn is arbitrary; a small one keeps
  /// q_n below the velocities of the island.
  void finish_row(Cone& cone) const {
    if (cone.kind != Cone::two_sided) return;
    const double half = cone.warm[2];
    if (half * cone.extra[2] > island_.approach && island_.approach > 0) cone.extra[2] = island_.approach / half;
    cone.q[2] = -half * cone.extra[2];
  }

  const kernel::SceneJob<T>& job_;
  const IslandItems& island_;
  double max_friction_;
  Constraints& to_;
  double stopping_ = 0;  // [kg] sum of 1 / W_nn over contacts and of 1 / W over rows
};

bool is_moment(const Cone& cone) {
  return cone.kind == Cone::moment;
}

void append(const Twist& twist, systems::Numbers& to) {
  to.insert(to.end(), twist.begin(), twist.end());
}

void list_moments(const Array<Cone>& cones, systems::IslandSystem& system) {
  if (std::none_of(cones.begin(), cones.end(), is_moment)) return;
  system.moment.assign(cones.size(), -1);
  system.parent_contact.assign(cones.size(), -1);
  for (std::size_t i = 0; i < cones.size(); ++i)
    if (is_moment(cones[i])) {
      system.parent_contact[i] = static_cast<std::int32_t>(i - 1);
      system.moment[i - 1] = static_cast<std::int32_t>(i);
    }
}

void list_bodies(const Constraints& constraints, systems::BodyForm& form) {
  form.clear();
  form.bodies = constraints.body.size();
  for (const Cone& cone : constraints.cone) {
    form.body.push_back(cone.body);
    for (const auto& side : cone.side)
      for (const Direction& direction : side) {
        append(direction.of, form.direction);
        append(direction.response, form.response);
      }
    form.extra.insert(form.extra.end(), cone.extra, cone.extra + 3);
  }
  for (const FreeRow& row : constraints.row) {
    form.rows.body.push_back(row.body);
    for (const Direction& direction : row.side) {
      append(direction.of, form.rows.direction);
      append(direction.response, form.rows.response);
    }
    form.rows.compliance.push_back(row.compliance);
  }
}

bool is_finite(const systems::Numbers& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); });
}

double product(const std::array<Direction, 2>& a, const std::array<Direction, 2>& b) {
  return dot(a[0].of, b[0].response) + dot(a[1].of, b[1].response);
}

/// a −= factor b.
void subtract(double factor, const std::array<Direction, 2>& b, std::array<Direction, 2>& a) {
  for (std::size_t s = 0; s < 2; ++s) {
    add(a[s].of, -factor, b[s].of);
    add(a[s].response, -factor, b[s].response);
  }
}

}  // namespace

void Constraints::begin(std::size_t bodies) {
  for (const std::int32_t b : body) place[static_cast<std::size_t>(b)] = -1;
  if (place.size() < bodies) place.resize(bodies, -1);
  cone.clear();
  row.clear();
  body.clear();
  velocity.clear();
}

std::int32_t Constraints::place_of(std::int32_t scene_body) {
  std::int32_t& found = place[static_cast<std::size_t>(scene_body)];
  if (found < 0) {
    found = static_cast<std::int32_t>(body.size());
    body.push_back(scene_body);
  }
  return found;
}

template <class T>
void read(const kernel::SceneJob<T>& job, const IslandItems& island, double max_friction, Constraints& to) {
  Reader<T>(job, island, max_friction, to).read();
}
template void read(const kernel::SceneJob<float>&, const IslandItems&, double, Constraints&);
template void read(const kernel::SceneJob<double>&, const IslandItems&, double, Constraints&);

/// A contact has no effect along directions that the rigid rows between the same two bodies hold. It gets the response
/// there that it would have without them, so that it has no impulse either.
void ContactSystem::resist_locked(const Constraints& constraints, systems::BodyForm& form) {
  along_.clear();
  const auto less = [](const Along& a, const Along& b) { return a.body < b.body; };
  for (const FreeRow& row : constraints.row) {
    if (row.compliance > 0) continue;
    Along along{row.body, row.side};
    if (row.body[0] < row.body[1]) {
      std::swap(along.body[0], along.body[1]);
      std::swap(along.side[0], along.side[1]);
    }
    along_.push_back(along);
  }
  std::stable_sort(along_.begin(), along_.end(), less);
  const auto leave = [&](std::array<Direction, 2>& side, std::size_t first, std::size_t end) {
    for (int pass = 0; pass < 2; ++pass)
      for (std::size_t k = first; k < end; ++k) subtract(product(side, along_[k].side), along_[k].side, side);
  };
  std::size_t kept = 0, first = 0;
  for (std::size_t k = 0; k < along_.size(); ++k) {
    Along along = along_[k];
    if (kept > 0 && along_[kept - 1].body != along.body) first = kept;
    const double whole = product(along.side, along.side);
    leave(along.side, first, kept);
    const double left = product(along.side, along.side);
    if (!(left > SceneThresholds::min_pivot * whole)) continue;
    for (Direction& direction : along.side)
      for (Twist* twist : {&direction.of, &direction.response})
        for (double& x : *twist) x /= std::sqrt(left);
    along_[kept++] = along;
  }
  along_.resize(kept);
  for (std::size_t i = 0; i < constraints.cone.size(); ++i) {
    const Cone& cone = constraints.cone[i];
    const bool swaps = cone.body[0] < cone.body[1];
    const Along key{{std::max(cone.body[0], cone.body[1]), std::min(cone.body[0], cone.body[1])}, {}};
    const auto [begin, end] = std::equal_range(along_.begin(), along_.end(), key, less);
    for (std::size_t d = 0; d < 3 && begin != end; ++d) {
      std::array<Direction, 2> side{cone.side[swaps ? 1 : 0][d], cone.side[swaps ? 0 : 1][d]};
      const double whole = product(side, side);
      leave(side, static_cast<std::size_t>(begin - along_.begin()), static_cast<std::size_t>(end - along_.begin()));
      if (!(product(side, side) > SceneThresholds::min_pivot * whole)) form.extra[3 * i + d] += whole;
    }
  }
}

/// q becomes the velocities that the joints leave.
bool ContactSystem::hold_rows(const Constraints& constraints, systems::IslandSystem& system, systems::BodyForm& form) {
  if (!form.rows.factor(form.bodies)) return false;
  resist_locked(constraints, form);
  missed_.resize(constraints.row.size());
  for (std::size_t k = 0; k < constraints.row.size(); ++k) {
    const FreeRow& row = constraints.row[k];
    missed_[k] = -row.target;
    for (std::size_t s = 0; s < 2; ++s)
      if (row.body[s] >= 0) missed_[k] += dot(row.side[s].of, constraints.velocity[at(row.body[s])]);
  }
  form.rows.leave_contradictions(missed_);
  change_.assign(6 * form.bodies, 0);
  left_ = missed_;
  form.rows.hold(left_, change_, lambda_);
  const double none[3] = {};
  for (std::size_t i = 0; i < form.body.size(); ++i) form.add_velocity(i, change_, none, &system.q[3 * i]);
  return is_finite(missed_) && is_finite(change_);
}

bool ContactSystem::assemble(const Constraints& constraints, systems::IslandSystem& system, systems::BodyForm& form) {
  system.clear();
  system.bodies = &form;
  list_bodies(constraints, form);
  list_moments(constraints.cone, system);
  for (const Cone& cone : constraints.cone) {
    system.friction.push_back(cone.friction);
    system.q.insert(system.q.end(), cone.q, cone.q + 3);
  }
  if (!form.rows.empty() && !hold_rows(constraints, system, form)) return false;
  for (std::size_t i = 0; i < form.body.size(); ++i)
    if (!std::isfinite(form.mean_diagonal(i))) return false;
  return is_finite(system.q);
}

void ContactSystem::apply(Constraints& constraints, const systems::BodyForm& form, const systems::Numbers& r,
                          systems::Numbers& lambda) {
  change_.assign(6 * form.bodies, 0);
  for (std::size_t i = 0; i < form.body.size(); ++i) form.push(i, &r[3 * i], change_);
  lambda.clear();
  if (!form.rows.empty()) {
    form.rows.measure(change_, left_);
    for (std::size_t k = 0; k < left_.size(); ++k) left_[k] += missed_[k];
    form.rows.hold(left_, change_, lambda);
  }
  for (std::size_t b = 0; b < form.bodies; ++b)
    for (std::size_t c = 0; c < 6; ++c) constraints.velocity[b][c] += change_[6 * b + c];
}

}  // namespace carom::scene::ncp
