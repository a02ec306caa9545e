#include "contact_forms.hpp"

#include <algorithm>
#include <cmath>

#include "core/support/array.hpp"

namespace carom::systems {
namespace {

/// Replaces m by Fᵀ m G, of 3 × 3 blocks.
void change_axes(const std::array<double, 9>& f, const std::array<double, 9>& g, double* m) {
  double right[9];
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t b = 0; b < 3; ++b)
      right[3 * a + b] = m[3 * a] * g[b] + m[3 * a + 1] * g[3 + b] + m[3 * a + 2] * g[6 + b];
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t b = 0; b < 3; ++b)
      m[3 * a + b] = f[a] * right[b] + f[3 + a] * right[3 + b] + f[6 + a] * right[6 + b];
}

double inverse(double x) {
  return x > 0 ? 1 / x : 0;
}

/// `longest`: upper limit of the lengths.
template <class T>
ContactForm form_of_moment(const ContactSystem<T>& system, std::size_t i, double longest) {
  const auto length = [&](const Column<const T>& column) {
    return column ? std::min(static_cast<double>(column[i]), longest) : 0;
  };
  const double roll = length(system.rolling_friction), spin = length(system.spinning_friction);
  ContactForm form;
  form.to_world = {roll, 0, 0, 0, roll, 0, 0, 0, spin};
  form.from_world = {inverse(roll), 0, 0, 0, inverse(roll), 0, 0, 0, inverse(spin)};
  form.is_plain = false;
  return form;
}

void turn(const std::array<double, 9>& by, double* vector) {
  const double x = vector[0], y = vector[1], z = vector[2];
  for (std::size_t a = 0; a < 3; ++a) vector[a] = by[3 * a] * x + by[3 * a + 1] * y + by[3 * a + 2] * z;
}

}  // namespace

void turn_velocity(const ContactForm& form, double* q) {
  const std::array<double, 9>& f = form.to_world;
  turn({f[0], f[3], f[6], f[1], f[4], f[7], f[2], f[5], f[8]}, q);
}

template <class T>
ContactForm form_of(const ContactSystem<T>& system, std::size_t i, double max_friction) {
  ContactForm form;
  form.friction = std::min(static_cast<double>(system.friction[i]), max_friction);
  double scale[2] = {1, 1};
  if (system.friction_2 && system.friction_2[i] != system.friction[i]) {
    const double along = form.friction, across = std::min(static_cast<double>(system.friction_2[i]), max_friction);
    form.friction = std::max(along, across);
    scale[0] = along / form.friction;
    scale[1] = across / form.friction;
    double x = 1, y = 0;
    if (system.friction_direction.x) {
      x = static_cast<double>(system.friction_direction.x[i]);
      y = static_cast<double>(system.friction_direction.y[i]);
      // The square of the larger one would exceed the range of double.
      const double larger = std::max(std::abs(x), std::abs(y));
      x /= larger;
      y /= larger;
      const double length = std::sqrt(x * x + y * y);
      x /= length;
      y /= length;
    }
    form.to_world = {x * scale[0], -y * scale[1], 0, y * scale[0], x * scale[1], 0, 0, 0, 1};
    form.from_world = {
        x * inverse(scale[0]), y * inverse(scale[0]), 0, -y * inverse(scale[1]), x * inverse(scale[1]), 0, 0, 0, 1};
    form.is_plain = false;
  }
  if (system.tangential_compliance)
    for (std::size_t a = 0; a < 2; ++a)
      form.compliance[a] = scale[a] * scale[a] * static_cast<double>(system.tangential_compliance[i]);
  if (system.normal_compliance) form.compliance[2] = static_cast<double>(system.normal_compliance[i]);
  for (const double x : form.compliance) form.is_plain &= x == 0;
  return form;
}

void ContactForms::to_world(std::size_t c, double* r) const {
  turn(form_[c].to_world, r);
}
void ContactForms::from_world(std::size_t c, double* r) const {
  turn(form_[c].from_world, r);
}

/// Lists the rows that are moments, and their contacts. A contact and its moment then have blocks in the same columns,
/// and columns in the same rows, as solvers require.
template <class T>
void ContactForms::list_moments(const ContactSystem<T>& system, const Islands& islands, std::size_t index,
                                IslandSystem& island) {
  const std::size_t rows = island.contacts(), contacts = system.friction.count;
  island.moment.clear();
  island.parent_contact.clear();
  for (std::size_t c = 0; c < rows; ++c) {
    const std::size_t row = at(islands.contact[islands.start[index] + c]);
    if (row < contacts) continue;
    if (!island.has_moments()) {
      island.moment.assign(rows, -1);
      island.parent_contact.assign(rows, -1);
    }
    island.parent_contact[c] = islands.local[at(system.moment[row - contacts])];
    island.moment[at(island.parent_contact[c])] = static_cast<std::int32_t>(c);
  }
  if (!island.has_moments()) return;
  const auto contact_of = [&](std::size_t row) {
    return island.parent_contact[row] >= 0 ? island.parent_contact[row] : static_cast<std::int32_t>(row);
  };
  if (beside_.size() < rows) beside_.resize(rows);
  for (std::size_t c = 0; c < rows; ++c) beside_[c].clear();
  for (std::size_t c = 0; c < rows; ++c)
    for (std::size_t k = at(island.row_start[c]); k < at(island.row_start[c + 1]); ++k) {
      const std::int32_t i = contact_of(c), j = contact_of(at(island.column[k]));
      for (const std::int32_t column : {j, island.moment[at(j)]})
        if (column >= 0) beside_[at(i)].push_back(column);
    }
  for (std::size_t c = 0; c < rows; ++c) {
    Array<std::int32_t>& columns = beside_[c];
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  }
  whole_.clear();
  for (std::size_t c = 0; c < rows; ++c) {
    for (const std::int32_t column : beside_[at(contact_of(c))]) {
      const std::size_t k = island.block_of(c, column);
      const bool is_there = k < at(island.row_start[c + 1]) && island.column[k] == column;
      if (at(column) == c) whole_.diagonal.push_back(static_cast<std::int32_t>(whole_.column.size()));
      whole_.column.push_back(column);
      for (std::size_t e = 0; e < 9; ++e) whole_.block.push_back(is_there ? island.block[9 * k + e] : 0);
    }
    whole_.row_start.push_back(static_cast<std::int32_t>(whole_.column.size()));
  }
  std::swap(whole_.row_start, island.row_start);
  std::swap(whole_.column, island.column);
  std::swap(whole_.diagonal, island.diagonal);
  std::swap(whole_.block, island.block);
}

template <class T>
void ContactForms::shape(const ContactSystem<T>& system, const Islands& islands, std::size_t index, double max_friction,
                         IslandSystem& island) {
  form_.clear();
  if (!has_models(system)) return;
  bool any = false;
  for (std::size_t c = islands.start[index]; c < islands.start[index + 1]; ++c) {
    const std::size_t row = at(islands.contact[c]);
    if (row < system.friction.count) {
      form_.push_back(form_of(system, row, max_friction));
    } else {
      const std::size_t moment = row - system.friction.count;
      const double parent_contact = island.mean_diagonal(at(islands.local[at(system.moment[moment])])),
                   own = island.mean_diagonal(form_.size());
      form_.push_back(form_of_moment(system, moment, longest_length(max_friction, parent_contact, own)));
    }
    any |= !form_.back().is_plain;
  }
  if (!any) return form_.clear();
  list_moments(system, islands, index, island);
  for (std::size_t c = 0; c < form_.size(); ++c) {
    island.friction[c] = form_[c].friction;
    turn_velocity(form_[c], &island.q[3 * c]);
    for (std::size_t k = at(island.row_start[c]); k < at(island.row_start[c + 1]); ++k)
      change_axes(form_[c].to_world, form_[at(island.column[k])].to_world, &island.block[9 * k]);
    double* const own = &island.block[9 * at(island.diagonal[c])];
    for (std::size_t a = 0; a < 3; ++a) own[4 * a] += form_[c].compliance[a];
  }
}

template <class T>
void ContactForms::velocities(const ContactSystem<T>& system, const Islands& islands, std::size_t index, double unit,
                              double q_scale, const Numbers& r, Numbers& u) const {
  for (std::size_t c = 0; c < form_.size(); ++c) {
    const std::size_t i = at(islands.contact[islands.start[index] + c]);
    double sum[3] = {0, 0, 0};
    for (std::size_t k = static_cast<std::size_t>(system.row_start[i]);
         k < static_cast<std::size_t>(system.row_start[i + 1]); ++k) {
      double block[9];
      for (std::size_t e = 0; e < 9; ++e) block[e] = static_cast<double>(system.block[k][e]);
      const std::size_t j = at(system.column[k]);
      if (islands.island[j] == islands.island[i]) add_product(block, &r[3 * at(islands.local[j])], sum);
    }
    const std::array<double, 3> q = velocity_of(system, i);
    for (std::size_t a = 0; a < 3; ++a) u[3 * c + a] = q[a] * q_scale + unit * sum[a];
  }
}

template ContactForm form_of(const ContactSystem<float>&, std::size_t, double);
template ContactForm form_of(const ContactSystem<double>&, std::size_t, double);
template void ContactForms::shape(const ContactSystem<float>&, const Islands&, std::size_t, double, IslandSystem&);
template void ContactForms::shape(const ContactSystem<double>&, const Islands&, std::size_t, double, IslandSystem&);
template void ContactForms::velocities(const ContactSystem<float>&, const Islands&, std::size_t, double, double,
                                       const Numbers&, Numbers&) const;
template void ContactForms::velocities(const ContactSystem<double>&, const Islands&, std::size_t, double, double,
                                       const Numbers&, Numbers&) const;

}  // namespace carom::systems
