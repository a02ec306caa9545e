// Solves rows of contacts under every law, in every form.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/columns/columns.hpp"
#include "support/contacts/blocked_contacts.hpp"
#include "support/properties/row.hpp"

namespace carom::support {

struct Variant {
  Law law;
  RestitutionLaw restitution_law;
  bool own_restitution;  ///< of the contact's, where the variant does not say
};

/// Every law of the dimension; the incremental one under each hypothesis of restitution.
template <std::size_t D>
const std::vector<Variant>& variants() {
  static const std::vector<Variant> all = [] {
    std::vector<Variant> v;
    for (const LawInfo& info : all_laws()) {
      if (D == 3 ? !info.in_space : !info.in_plane) continue;
      if (info.law != Law::incremental) {
        v.push_back({info.law, RestitutionLaw::energetic, true});
        continue;
      }
      for (const auto r : {RestitutionLaw::energetic, RestitutionLaw::kinetic, RestitutionLaw::kinematic})
        v.push_back({info.law, r, false});
    }
    return v;
  }();
  return all;
}

inline std::string name(const Variant& v) {
  return std::string(to_string(v.law)) + (v.own_restitution ? "" : ", " + std::string(to_string(v.restitution_law)));
}

/// Appends the row once for every law.
template <class Row, class From, std::size_t D>
void append_under_every_law(std::vector<Row>& rows, const From& from, std::integral_constant<std::size_t, D>) {
  for (const Variant& v : variants<D>()) {
    rows.push_back(from);
    rows.back().law = v.law;
    if (!v.own_restitution) rows.back().restitution_law = v.restitution_law;
  }
}
template <template <class, std::size_t> class Row, class T, std::size_t D>
std::vector<Row<T, D>> under_every_law(const Row<T, D>& row) {
  std::vector<Row<T, D>> rows;
  append_under_every_law(rows, row, std::integral_constant<std::size_t, D>());
  return rows;
}

template <class T, std::size_t D>
struct Outcome {
  Tuple<T, D> impulse{}, u{}, velocity_a{}, velocity_b{};
  Turn<T, D> angular_velocity_a{}, angular_velocity_b{};
  Status status{};
  Path path{};

  /// A zero of either sign is one number.
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

template <class To, class From, std::size_t D>
Outcome<To, D> converted(const Outcome<From, D>& from) {
  Outcome<To, D> to;
  convert(to.impulse, from.impulse);
  convert(to.u, from.u);
  convert(to.velocity_a, from.velocity_a);
  convert(to.velocity_b, from.velocity_b);
  convert(to.angular_velocity_a, from.angular_velocity_a);
  convert(to.angular_velocity_b, from.angular_velocity_b);
  to.status = from.status;
  to.path = from.path;
  return to;
}

// Views of a number, a vector or a matrix in an array of structs.
template <class Struct, class T>
Column<T> column(T& first, std::size_t n) {
  return {&first, n, static_cast<std::ptrdiff_t>(sizeof(Struct))};
}
template <class Struct, class T>
auto columns(std::array<T, 6>& m, std::size_t n) {
  return SymmetricColumns<T>(m.data(), n, sizeof(Struct));
}
template <class Struct, class T>
auto columns(std::array<T, 3>& v, std::size_t n) {
  return Vector3Columns<T>(v.data(), n, sizeof(Struct));
}
template <class Struct, class T>
auto columns(std::array<T, 2>& v, std::size_t n) {
  return planar::Vector2Columns<T>(v.data(), n, sizeof(Struct));
}
template <class Struct, class T>
auto columns(std::array<T, 1>& v, std::size_t n) {
  return column<Struct>(v[0], n);
}

template <class Struct, class T, std::size_t D>
auto body_columns(BodyRow<T, D>& first, std::size_t n) {
  std::conditional_t<D == 3, BodyColumns<const T>, planar::BodyColumns<const T>> c;
  c.inverse_mass = column<Struct>(first.inverse_mass, n);
  c.inverse_inertia = columns<Struct>(first.inverse_inertia, n);
  c.velocity = columns<Struct>(first.velocity, n);
  c.angular_velocity = columns<Struct>(first.angular_velocity, n);
  return c;
}

template <class Struct, class AnyContacts, class T, std::size_t D>
void attach_laws(AnyContacts& contacts, LawRow<T, D>& row, std::size_t n) {
  contacts.friction = column<Struct>(row.friction, n);
  contacts.restitution = column<Struct>(row.restitution, n);
  LawColumns<T>& c = contacts.laws;
  c.tangential_restitution = column<Struct>(row.tangential_restitution, n);
  c.impulse_ratio_1 = column<Struct>(row.ratios[0], n);
  if constexpr (D == 3) c.impulse_ratio_2 = column<Struct>(row.ratios[1], n);
  c.polar_angle = column<Struct>(row.polar_angle, n);
  if constexpr (D == 3) c.azimuth = column<Struct>(row.azimuth, n);
  c.fraction = column<Struct>(row.fraction, n);
  c.candidate.x = column<Struct>(row.candidate[0], n);
  c.candidate.y = column<Struct>(row.candidate[1], n);
  if constexpr (D == 3) c.candidate.z = column<Struct>(row.candidate[2], n);
  auto next = row.weights.begin();
  columns::each_weight([&](const auto&, Law, Column<const T>& weight) { weight = column<Struct>(*next++, n); },
                       c.weight);
  c.restitution_law = column<Struct>(row.restitution_law, n);
  c.law = column<Struct>(row.law, n);
}

template <class T, std::size_t D>
auto result_columns(std::vector<Outcome<T, D>>& outcomes, bool bodies) {
  using Struct = Outcome<T, D>;
  Struct& first = outcomes[0];
  const std::size_t n = outcomes.size();
  std::conditional_t<D == 3, Results<T>, planar::Results<T>> r;
  r.impulse = columns<Struct>(first.impulse, n);
  r.separation_velocity = columns<Struct>(first.u, n);
  if (bodies) {
    r.velocity_a = columns<Struct>(first.velocity_a, n);
    r.velocity_b = columns<Struct>(first.velocity_b, n);
    r.angular_velocity_a = columns<Struct>(first.angular_velocity_a, n);
    r.angular_velocity_b = columns<Struct>(first.angular_velocity_b, n);
  }
  r.status = column<Struct>(first.status, n);
  r.path = column<Struct>(first.path, n);
  return r;
}

inline Solver& solver_of(Isa isa) {
  static std::array<Solver, 6> solvers = [] {
    const auto made = [](Isa which) {
      Execution execution{Isa::automatic, 1};
      const std::vector<Isa> available = available_isas();
      for (const Isa one : available)
        if (one == which) execution.isa = which;
      return Solver(execution);
    };
    return std::array<Solver, 6>{made(Isa::automatic), made(Isa::scalar), made(Isa::sse2),
                                 made(Isa::avx2),      made(Isa::avx512), made(Isa::neon)};
  }();
  return solvers[static_cast<std::size_t>(isa)];
}

enum class Form { inline_bodies, indexed, blocked };

template <std::size_t D>
std::vector<Form> forms() {
  if (D == 3) return {Form::inline_bodies, Form::indexed, Form::blocked};
  return {Form::inline_bodies, Form::indexed};
}

inline const char* name(Form form) {
  return form == Form::inline_bodies ? "inline" : form == Form::indexed ? "indexed" : "blocked";
}

template <class T, std::size_t D>
bool is_world(const BodyRow<T, D>& b) {
  return b.inverse_mass == 0 && dot(b.velocity, b.velocity) == 0 && dot(b.angular_velocity, b.angular_velocity) == 0;
}

template <class T, std::size_t D>
std::vector<Outcome<T, D>> solve(Form form, Isa isa, std::vector<BodiesRow<T, D>> rows) {
  using Row = BodiesRow<T, D>;
  const std::size_t n = rows.size();
  std::vector<Outcome<T, D>> outcomes(n);
  const auto results = result_columns(outcomes, true);
  Solver& solver = solver_of(isa);
  const auto fill = [&](auto& c) {
    attach_laws<Row>(c, static_cast<LawRow<T, D>&>(rows[0]), n);
    c.normal = columns<Row>(rows[0].normal, n);
    c.r_a = columns<Row>(rows[0].r_a, n);
    c.r_b = columns<Row>(rows[0].r_b, n);
  };
  if (form == Form::indexed) {
    std::conditional_t<D == 3, IndexedContacts<T>, planar::IndexedContacts<T>> c;
    fill(c);
    std::vector<BodyRow<T, D>> bodies;
    std::vector<std::int32_t> a, b;
    for (const Row& row : rows) {
      for (auto [index, body] : {std::pair(&a, &row.a), std::pair(&b, &row.b)}) {
        index->push_back(is_world(*body) ? -1 : static_cast<std::int32_t>(bodies.size()));
        bodies.push_back(*body);
      }
    }
    c.body_a = a;
    c.body_b = b;
    c.bodies = body_columns<BodyRow<T, D>>(bodies[0], bodies.size());
    solver.solve(c, results);
    return outcomes;
  }
  std::conditional_t<D == 3, Contacts<T>, planar::Contacts<T>> c;
  fill(c);
  c.a = body_columns<Row>(rows[0].a, n);
  c.b = body_columns<Row>(rows[0].b, n);
  if constexpr (D == 3) {
    if (form == Form::blocked) {
      BlockedContacts<T> blocked = blocked_of(c);
      blocked.laws = c.laws;
      solver.solve(blocked, results);
      return outcomes;
    }
  }
  solver.solve(c, results);
  return outcomes;
}

template <class T, std::size_t D>
std::vector<Outcome<T, D>> solve(Isa isa, std::vector<SpaceRow<T, D>> rows) {
  using Row = SpaceRow<T, D>;
  const std::size_t n = rows.size();
  std::vector<Outcome<T, D>> outcomes(n);
  std::conditional_t<D == 3, KContacts<T>, planar::KContacts<T>> c;
  attach_laws<Row>(c, static_cast<LawRow<T, D>&>(rows[0]), n);
  if constexpr (D == 3) {
    c.k = columns<Row>(rows[0].k, n);
  } else {
    c.k.xx = column<Row>(rows[0].k[0], n);
    c.k.xy = column<Row>(rows[0].k[1], n);
    c.k.yy = column<Row>(rows[0].k[2], n);
  }
  c.separation_velocity = columns<Row>(rows[0].u0, n);
  solver_of(isa).solve(c, result_columns(outcomes, false));
  return outcomes;
}

}  // namespace carom::support
