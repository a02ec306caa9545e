#include "interior_point.hpp"

#include <algorithm>
#include <cmath>

#include "systems/problem/measure.hpp"

namespace carom::systems {
namespace {

constexpr double max_of_the_way = 0.99, max_when_centring = 0.95, short_step = 0.3;
constexpr std::size_t stall_begins = 10, stall_span = 8;
constexpr std::size_t none = ~std::size_t{0};

/// Both parts of z = r − u on the central path r ∘ u = m e, by the eigenvalues of z.
void split(const double* z, double m, double* r, double* u) {
  const double t = tangential_length(z), eigenvalue[2] = {z[2] - t, z[2] + t};
  double mean[2], half[2];
  for (int sign = 0; sign < 2; ++sign) {
    double part[2];
    for (int k = 0; k < 2; ++k) {
      const double l = sign == 0 ? eigenvalue[k] : -eigenvalue[k], root = std::sqrt(l * l + 4 * m);
      part[k] = l > 0 ? (l + root) / 2 : 2 * m / (root - l);
    }
    mean[sign] = (part[0] + part[1]) / 2;
    half[sign] = t > 0 ? (part[1] - part[0]) / 2 / t : 0;
  }
  for (int a = 0; a < 2; ++a) {
    r[a] = half[0] * z[a];
    u[a] = half[1] * z[a];
  }
  r[2] = mean[0];
  u[2] = mean[1];
}

bool is_finite(const Numbers& numbers) {
  double sum = 0;
  for (const double x : numbers) sum += x - x;
  return sum == 0;
}

}  // namespace

void InteriorPoint::place(const IslandSystem& system) {
  const std::size_t contacts = system.contacts();
  place_.resize(contacts);
  for (std::size_t i = 0; i < contacts; ++i) {
    const std::size_t normal = system.is_moment(i) ? at(system.parent_contact[i]) : i;
    place_[i] = {3 * i, 3 * i + 1, 3 * normal + 2};
  }
  for (std::size_t i = 0; i < contacts; ++i)
    if (system.is_moment(i)) place_.push_back({3 * i + 2, none, place_[i].normal});
}

/// Reads the vector of a cone from the numbers of the rows.
void InteriorPoint::take(const Numbers& rows, std::size_t cone, double* x) const {
  const Place& place = place_[cone];
  x[0] = rows[place.first];
  x[1] = place.second == none ? 0 : rows[place.second];
  x[2] = rows[place.normal];
}

/// Adds the vector of a cone to the numbers of the rows.
void InteriorPoint::spread(std::size_t cone, const double* x, Numbers& rows) const {
  const Place& place = place_[cone];
  rows[place.first] += x[0];
  if (place.second != none) rows[place.second] += x[1];
  rows[place.normal] += x[2];
}

void InteriorPoint::scale(const IslandSystem& system) {
  const std::size_t contacts = system.contacts();
  scale_.resize(3 * contacts);
  for (std::size_t i = 0; i < contacts; ++i) {
    const bool is_moment = system.is_moment(i);
    const double d = 1 / std::sqrt(system.mean_diagonal(is_moment ? at(system.parent_contact[i]) : i));
    scale_[3 * i] = scale_[3 * i + 1] = is_moment ? d : d * system.friction[i];
    scale_[3 * i + 2] = d;
  }
  left_.assign(9 * contacts, 0);
  for (std::size_t i = 0; i < contacts; ++i)
    for (std::size_t a = 0; a < 3; ++a) left_[9 * i + 4 * a] = scale_[3 * i + a];
  scaled_ = system.block;
  for (std::size_t i = 0; i < contacts && system.bodies == nullptr; ++i)
    for (std::size_t k = at(system.row_start[i]); k < at(system.row_start[i + 1]); ++k)
      for (std::size_t a = 0; a < 3; ++a)
        for (std::size_t b = 0; b < 3; ++b)
          scaled_[9 * k + 3 * a + b] *= scale_[3 * i + a] * scale_[3 * at(system.column[k]) + b];
  max_q_ = 0;
  for (std::size_t i = 0; i < 3 * contacts; ++i) max_q_ = std::max(max_q_, std::abs(scale_[i] * system.q[i]));
}

void InteriorPoint::begin_cold(double r, double u) {
  r_.assign(scale_.size(), 0);
  u_.assign(3 * place_.size(), 0);
  for (std::size_t k = 0; k < place_.size(); ++k) {
    r_[place_[k].normal] = r * max_q_;
    u_[3 * k + 2] = u * max_q_;
  }
}

void InteriorPoint::begin_warm(const IslandSystem& system, const Numbers& impulses) {
  const std::size_t size = scale_.size();
  r_.resize(size);
  u_.resize(size);
  for (std::size_t i = 0; i < size; ++i) r_[i] = scale_[i] > 0 ? impulses[i] / scale_[i] : 0;
  measure(system);
  scale_velocities();
  double farthest = 0;
  for (std::size_t i = 0; i < system.contacts(); ++i) {
    double* v = &v_[3 * i];
    v[2] += tangential_length(v);
    double z[3];
    for (std::size_t a = 0; a < 3; ++a) v[a] = z[a] = r_[3 * i + a] - v[a];
    project(z, 1);
    for (std::size_t a = 0; a < 3; ++a) farthest = std::max(farthest, std::abs(r_[3 * i + a] - z[a]));
  }
  for (std::size_t i = 0; i < system.contacts(); ++i)
    split(&v_[3 * i], 0.1 * farthest * max_q_, &r_[3 * i], &u_[3 * i]);
}

double InteriorPoint::measure(const IslandSystem& system) {
  for (std::size_t i = 0; i < r_.size(); ++i) impulses_[i] = r_[i] * scale_[i];
  return systems::measure(system, impulses_, velocities_);
}

/// W̃ r + q̃ from the velocities that measure() has found.
void InteriorPoint::scale_velocities() {
  v_.resize(velocities_.size());
  for (std::size_t i = 0; i < v_.size(); ++i) v_[i] = scale_[i] * velocities_[i];
}

void InteriorPoint::linearise() {
  scale_velocities();
  separation_ = 0;
  std::copy(v_.begin(), v_.end(), residual_.begin());
  for (std::size_t i = 0; i < cone_.size(); ++i) {
    const double* u = &u_[3 * i];
    double r[3];
    take(r_, i, r);
    const double less[3] = {-u[0], -u[1], -u[2]};
    spread(i, less, residual_);
    for (std::size_t a = 0; a < 3; ++a) separation_ += u[a] * r[a];
    residual_[place_[i].normal] += tangential_length(u);
    cone_[i] = ConeScaling(r, u);
  }
  separation_ /= static_cast<double>(cone_.size());
}

/// Eᵀ d E of a cone, which rows of the moment and of the contact share.
void InteriorPoint::add_shared(std::size_t cone, const double* d) {
  const auto& [first, second, normal] = place_[cone];
  const auto add = [&](std::size_t row, std::size_t column, double x) {
    const std::size_t i = row / 3, j = column / 3, place = 3 * (row % 3) + column % 3;
    if (i == j) {
      diagonal_[9 * i + place] += x;
      return;
    }
    if (system_->bodies == nullptr) block_[9 * system_->block_of(i, static_cast<std::int32_t>(j)) + place] += x;
    (system_->is_moment(i) ? beside_.below[9 * i + place] : beside_.above[9 * j + place]) += x;
  };
  const std::size_t rows[3] = {first, second, normal};
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t b = 0; b < 3; ++b)
      if (rows[a] != none && rows[b] != none) add(rows[a], rows[b], d[3 * a + b]);
}

bool InteriorPoint::factor(Factorisation& lu, double theta, double delta) {
  const bool has_moments = system_->has_moments();
  if (has_moments) {
    block_ = scaled_;
    std::fill(diagonal_.begin(), diagonal_.end(), 0.0);
    beside_.clear(system_->contacts());
  }
  for (std::size_t i = 0; i < cone_.size(); ++i) {
    const double *u = &u_[3 * i], *inverse = cone_[i].inverse_squared;
    const double t = tangential_length(u), factor = t > 1e-14 * u[2] ? -theta / t : 0;
    const double x = slope_[2 * i] = factor * u[0], y = slope_[2 * i + 1] = factor * u[1];
    double d[9];
    for (std::size_t b = 0; b < 9; ++b) d[b] = inverse[b];
    for (std::size_t b = 0; b < 3; ++b) d[6 + b] += x * inverse[b] + y * inverse[3 + b];
    for (std::size_t b = 0; b < 9; b += 4) d[b] += delta;
    if (has_moments)
      add_shared(i, d);
    else
      std::copy_n(d, 9, &diagonal_[9 * i]);
  }
  return lu.factor(*system_, has_moments ? block_ : scaled_, diagonal_, left_, scale_, beside_);
}

void InteriorPoint::solve(Factorisation& lu) {
  std::fill(dr_.begin(), dr_.end(), 0.0);
  for (std::size_t i = 0; i < cone_.size(); ++i) {
    double y[3];
    divide(cone_[i].lambda, &s_[3 * i], y);
    double* c = &c_[3 * i];
    multiply(cone_[i].inverse, y, c);
    const double turned[3] = {c[0], c[1], c[2] + slope_[2 * i] * c[0] + slope_[2 * i + 1] * c[1]};
    spread(i, turned, dr_);
  }
  for (std::size_t i = 0; i < dr_.size(); ++i) dr_[i] -= residual_[i];
  lu.solve(dr_);
  for (std::size_t i = 0; i < cone_.size(); ++i) {
    double x[3], y[3];
    take(dr_, i, x);
    multiply(cone_[i].inverse_squared, x, y);
    for (std::size_t a = 0; a < 3; ++a) du_[3 * i + a] = c_[3 * i + a] - y[a];
  }
}

double InteriorPoint::longest() const {
  double step = 1e300;
  for (std::size_t i = 0; i < place_.size(); ++i) {
    double r[3], dr[3];
    take(r_, i, r);
    take(dr_, i, dr);
    step = std::min(step, std::min(longest_step(r, dr), longest_step(&u_[3 * i], &du_[3 * i])));
  }
  return step;
}

void InteriorPoint::negative_square(std::size_t i, double* s) const {
  s[0] = s[1] = s[2] = 0;
  subtract_jordan_product(cone_[i].lambda, cone_[i].lambda, s);
}

void InteriorPoint::keep(double step) {
  if (!(step > best_step_)) return;
  best_step_ = step;
  best_dr_ = dr_;
  best_du_ = du_;
}

bool InteriorPoint::try_direction(Factorisation& lu, WorkBudget& work_budget, double theta, double delta) {
  const std::size_t cones = cone_.size();
  if (!work_budget.affords(lu.products())) return false;
  work_budget.spend(lu.products() + 2 * lu.solve_products());
  if (!factor(lu, theta, delta)) return false;
  for (std::size_t i = 0; i < cones; ++i) negative_square(i, &s_[3 * i]);
  solve(lu);
  if (!is_finite(dr_)) return false;
  const double affine = std::min(1.0, longest());
  double separation = 0;
  for (std::size_t i = 0; i < cones; ++i) {
    double r[3], dr[3];
    take(r_, i, r);
    take(dr_, i, dr);
    for (std::size_t a = 0; a < 3; ++a)
      separation += (r[a] + affine * dr[a]) * (u_[3 * i + a] + affine * du_[3 * i + a]);
  }
  const double ratio = std::max(separation / static_cast<double>(cones) / separation_, 0.0);
  const double sigma = std::max(std::min(1.0, ratio * ratio * ratio), 1e-6);
  for (std::size_t i = 0; i < cones; ++i) {
    double dr[3], x[3], y[3], *s = &s_[3 * i];
    take(dr_, i, dr);
    multiply(cone_[i].inverse, dr, x);
    multiply(cone_[i].p, &du_[3 * i], y);
    negative_square(i, s);
    subtract_jordan_product(x, y, s);
    s[2] += sigma * separation_;
  }
  solve(lu);
  const double step = std::min(1.0, max_of_the_way * longest());
  keep(step);
  if (step < short_step) {
    for (std::size_t i = 0; i < cones; ++i) {
      negative_square(i, &s_[3 * i]);
      s_[3 * i + 2] += std::max(sigma, 0.5) * separation_;
    }
    solve(lu);
    work_budget.spend(lu.solve_products());
    keep(std::min(1.0, max_when_centring * longest()));
  }
  return true;
}

void InteriorPoint::find_step(Factorisation& lu, WorkBudget& work_budget, const InteriorPointOptions& options) {
  best_step_ = 0;
  if (options.proximal) {
    const double root = std::sqrt(separation_) / max_q_;  // free of the unit of q
    for (const double delta : {0.0, root, 10 * root, 100 * root})
      if (try_direction(lu, work_budget, 1, delta) && best_step_ >= short_step) return;
  } else {
    for (const double theta : {1.0, options.middle, 0.0})
      if (try_direction(lu, work_budget, theta, 0) && best_step_ >= options.min_step) return;
  }
}

void InteriorPoint::run(const IslandSystem& system, Factorisation& lu, Incumbent& best, WorkBudget& work_budget,
                        const InteriorPointOptions& options) {
  if (!lu.is_planned()) lu.plan(system);
  if (!work_budget.affords(lu.products())) return;
  system_ = &system;
  place(system);
  scale(system);
  const std::size_t size = 3 * system.contacts(), cones = place_.size();
  for (Numbers* numbers : {&residual_, &dr_, &impulses_}) numbers->resize(size);
  for (Numbers* numbers : {&c_, &s_, &du_}) numbers->resize(3 * cones);
  cone_.resize(cones);
  slope_.resize(2 * cones);
  diagonal_.resize(9 * system.contacts());
  // With moments a warm start would need the share of each cone in a contact's best velocity, which is not known.
  if (options.warm && !system.has_moments())
    begin_warm(system, best.r);
  else
    begin_cold(options.r, options.u);
  history_.clear();
  double least = 1e300;
  const auto step = [&](std::size_t) {
    const double error = measure(system);
    work_budget.spend(work_budget.sweep_cost);
    best.offer(system, impulses_, error, work_budget.target);
    if (best.error <= work_budget.target || !(error == error)) return false;
    least = std::min(least, error);
    history_.push_back(least);
    if (history_.size() > stall_begins && has_stalled(history_, stall_span, 2)) return false;
    linearise();
    ++work_budget.interior_point_iterations;
    find_step(lu, work_budget, options);
    if (!(best_step_ > 0)) return false;
    for (std::size_t i = 0; i < size; ++i) r_[i] += best_step_ * best_dr_[i];
    for (std::size_t i = 0; i < u_.size(); ++i) u_[i] += best_step_ * best_du_[i];
    return true;
  };
  improve(
      best, work_budget.target, options.max_steps, [&] { return work_budget.affords(lu.products()); }, step);
}

}  // namespace carom::systems
