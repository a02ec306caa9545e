// Gradients of columns of contacts, by the reference: load, validate, solve, differentiate, store.
#include "gradients.hpp"

#include <algorithm>
#include <carom/reference_gradients.hpp>
#include <cmath>
#include <limits>

#include "core/columns/check.hpp"
#include "reference/contact/contact.hpp"
#include "reference/contact/laws_columns.hpp"
#include "reference/contact/vector.hpp"

namespace carom::reference {
namespace {

using Row = std::array<double, derivative_count>;

/// p and u with their Jacobians.
struct Jacobian {
  Vector3 p{};
  std::array<Row, 3> of_p{}, of_u{};
  GradientStatus status = GradientStatus::none;
};

void make_unknown(Jacobian& j) {
  j.status = GradientStatus::none;
  for (auto* rows : {&j.of_p, &j.of_u})
    for (Row& row : *rows) row.fill(std::numeric_limits<double>::quiet_NaN());
}

/// δu = δu0 + δK p + K δp.
void add_velocities(const Matrix3& k, Jacobian& j) {
  constexpr std::array<std::pair<std::size_t, std::size_t>, 6> entries = {
      {{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}}};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t c = 0; c < derivative_count; ++c)
      j.of_u[i][c] = k[i][0] * j.of_p[0][c] + k[i][1] * j.of_p[1][c] + k[i][2] * j.of_p[2][c];
    j.of_u[i][derivatives_by_u0 + i] += 1;
  }
  for (std::size_t e = 0; e < entries.size(); ++e) {
    const auto [a, b] = entries[e];
    j.of_u[a][derivatives_by_k + e] += j.p[b];
    if (a != b) j.of_u[b][derivatives_by_k + e] += j.p[a];
  }
}

template <class N>
Jacobian jacobian_of(const Response<N>& response) {
  Jacobian j;
  j.status = response.status;
  for (std::size_t i = 0; i < 3; ++i) {
    j.p[i] = response.p[i].value;
    std::copy(response.p[i].d.begin(), response.p[i].d.end(), j.of_p[i].begin());
  }
  return j;
}

/// The Jacobian of only p, in the units of the collision, in which K and u0 are of the order of 1.
Jacobian differentiate(Law law, const Collision& c, const LawParameters& parameters, const Laws& laws,
                       const Options& options, double tolerance) {
  if (law == Law::incremental)
    return jacobian_of(differentiate_incremental(c, laws.restitution_law, options.step_budget, tolerance));
  const LawOutcome found = apply(law, c, parameters, laws.restitution_law, options.step_budget);
  if (!is_resolved(found.status)) return {};
  return jacobian_of(differentiate_algebraic(law, c, parameters, found.p, tolerance));
}

/// Σ w_i p_i / Σ w
Jacobian differentiate_composite(const Collision& c, const LawParameters& parameters, const Laws& laws,
                                 const Options& options, double tolerance) {
  const double largest = largest_weight(parameters.weight);
  double sum = 0;
  columns::each_weight([&](const auto&, Law, double weight) { sum += weight / largest; }, parameters.weight);
  Jacobian all;
  all.status = GradientStatus::exact;
  std::array<Vector3, columns::component_count> impulses{};
  std::size_t i = 0;
  columns::each_weight(
      [&](const auto&, Law law, double weight) {
        const std::size_t place = i++;
        if (weight == 0) return;
        const Jacobian member = differentiate(law, c, parameters, laws, options, tolerance);
        all.status = std::max(all.status, member.status);
        impulses[place] = member.p;
        const double share = weight / largest / sum;
        for (std::size_t r = 0; r < 3; ++r) {
          all.p[r] += share * member.p[r];
          for (std::size_t d = 0; d < derivatives_by_weight; ++d) all.of_p[r][d] += share * member.of_p[r][d];
        }
      },
      parameters.weight);
  i = 0;
  columns::each_weight(
      [&](const auto&, Law, double weight) {
        const std::size_t m = i++;
        if (weight == 0) return;  // such a member is not evaluated
        for (std::size_t r = 0; r < 3; ++r)
          all.of_p[r][derivatives_by_weight + m] = (impulses[m][r] - all.p[r]) / sum / largest;
      },
      parameters.weight);
  return all;
}

/// The factor that derivatives by variable d take from units in which K is 2^of_k and u 2^of_u times as large.
int exponent_of(std::size_t d, int of_k, int of_u) {
  const int of_p = of_u - of_k;
  if (d < derivatives_by_k) return -of_p;
  if (d < derivatives_by_u0) return of_k - of_p;
  if (d < derivatives_by_own) return of_u - of_p;
  const std::size_t own = d - derivatives_by_own;
  const bool is_impulse = own >= static_cast<std::size_t>(columns::Parameter::candidate_x) &&
                          own <= static_cast<std::size_t>(columns::Parameter::candidate_z);
  return is_impulse ? 0 : -of_p;
}

Jacobian jacobian_of(const SpaceContact& c, const Options& options, double tolerance) {
  Jacobian j;
  Outcome outcome;
  Status status = fault_of_data(c);
  if (status == Status::ok) status = collide(c, c.k, c.u0, options, false, outcome);
  if (status == Status::separating) {
    add_velocities(c.k, j);
    j.status = GradientStatus::zero;
    return j;
  }
  if (!is_resolved(status) || std::isinf(c.friction)) {
    make_unknown(j);
    return j;
  }
  const int of_k = -exponent(trace(c.k));
  const int of_u = -exponent(std::hypot(c.u0[0], c.u0[1], c.u0[2]));
  Collision unit{c.k, scaled(c.u0, of_u), c.friction, c.restitution};
  for (Vector3& row : unit.k) row = scaled(row, of_k);
  LawParameters parameters = c.parameters;
  parameters.candidate = scaled(parameters.candidate, of_u - of_k);
  j = c.law == Law::composite ? differentiate_composite(unit, parameters, c, options, tolerance)
                              : differentiate(c.law, unit, parameters, c, options, tolerance);
  if (j.status == GradientStatus::none) {
    make_unknown(j);
    return j;
  }
  j.p = scaled(j.p, of_k - of_u);
  for (Row& row : j.of_p)
    for (std::size_t d = 0; d < derivative_count; ++d) row[d] = std::scalbn(row[d], exponent_of(d, of_k, of_u));
  add_velocities(c.k, j);
  return j;
}

void store(const Row& row, std::size_t i, const Derivatives<double>& to) {
  std::size_t d = 0;
  columns::each_derivative([&](const auto&, const Column<double>& column) { write(column, i, row[d++]); }, "", to);
}

double read_or_zero(const Column<const double>& column, std::size_t i) {
  return column ? column[i] : 0;
}

}  // namespace

GradientReport differentiate(const KContacts<double>& given, const Gradients<double>& to, const Options& options,
                             double tolerance) {
  const auto [contacts, gradients] = check_gradients(given, to, options, tolerance);
  GradientReport report;
  report.contacts = contacts.friction.count;
  for (std::size_t i = 0; i < report.contacts; ++i) {
    const Jacobian j = jacobian_of(load(contacts, i, options), options, tolerance);
    std::size_t row = 0;
    columns::each_gradient(
        [&](const char*, const Derivatives<double>& by) {
          store(row < 3 ? j.of_p[row] : j.of_u[row - 3], i, by);
          ++row;
        },
        gradients);
    const VectorJacobianProduct<double>& vjp = gradients.cotangent;
    const Vector3 of_p = {read_or_zero(vjp.impulse.x, i), read_or_zero(vjp.impulse.y, i),
                          read_or_zero(vjp.impulse.z, i)};
    const Vector3 of_u = {read_or_zero(vjp.separation_velocity.x, i), read_or_zero(vjp.separation_velocity.y, i),
                          read_or_zero(vjp.separation_velocity.z, i)};
    Row product{};
    for (std::size_t d = 0; d < derivative_count; ++d)
      for (std::size_t r = 0; r < 3; ++r) product[d] += of_p[r] * j.of_p[r][d] + of_u[r] * j.of_u[r][d];
    store(product, i, vjp.product);
    write(gradients.status, i, j.status);
    report.by_status.add(j.status, i);
  }
  return report;
}

}  // namespace carom::reference
