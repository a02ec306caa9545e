// Contact systems in containers, and a judge of solutions, which shares no code with the solver.
#pragma once

#include <algorithm>
#include <carom/system.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace carom::test {

template <class T>
struct SystemData {
  // Rows of moments follow the rows of contacts, in q and warm too.
  std::vector<T> friction, q, warm;
  std::vector<std::int64_t> row_start{0};
  std::vector<std::int32_t> column;
  std::vector<SystemBlock<T>> block;
  // Contact models. x and y of the direction are adjacent.
  std::vector<T> friction_2{}, friction_direction{}, normal_compliance{}, tangential_compliance{};
  std::vector<std::int32_t> moment{};
  std::vector<T> rolling_friction{}, spinning_friction{};

  std::size_t contacts() const { return friction.size(); }
  std::size_t rows() const { return contacts() + moment.size(); }
  ContactSystem<T> view() const {
    ContactSystem<T> system;
    system.friction = friction;
    system.velocity = {q.data(), contacts()};
    system.row_start = row_start;
    system.column = column;
    system.block = block;
    if (!warm.empty()) system.warm_impulse = Vector3Columns<const T>(warm.data(), contacts());
    if (!friction_2.empty()) system.friction_2 = friction_2;
    if (!friction_direction.empty())
      system.friction_direction = {friction_direction.data(), friction_direction.size() / 2};
    if (!normal_compliance.empty()) system.normal_compliance = normal_compliance;
    if (!tangential_compliance.empty()) system.tangential_compliance = tangential_compliance;
    if (moment.empty()) return system;
    system.moment = moment;
    if (!rolling_friction.empty()) system.rolling_friction = rolling_friction;
    if (!spinning_friction.empty()) system.spinning_friction = spinning_friction;
    system.angular_velocity = {q.data() + 3 * contacts(), moment.size()};
    if (!warm.empty()) system.warm_angular_impulse = {warm.data() + 3 * contacts(), moment.size()};
    return system;
  }
};

template <class T>
struct SystemSolution {
  std::vector<T> r, u;  // of rows
  std::vector<ContactState> state;
  std::vector<std::int32_t> island;

  explicit SystemSolution(std::size_t contacts, std::size_t moments = 0)
      : r(3 * (contacts + moments)), u(3 * (contacts + moments)), state(contacts), island(contacts) {}
  SystemResults<T> view() {
    const std::size_t contacts = state.size();
    SystemResults<T> results;
    results.impulse = {r.data(), contacts};
    results.velocity = {u.data(), contacts};
    results.state = state;
    results.island = island;
    if (const std::size_t moments = r.size() / 3 - contacts; moments > 0) {
      results.angular_impulse = {r.data() + 3 * contacts, moments};
      results.angular_velocity = {u.data() + 3 * contacts, moments};
    }
    return results;
  }
};

/// A system of a dense matrix of 3 rows x 3 rows, row after row; blocks of zeros are left out.
inline SystemData<double> system_of(const std::vector<double>& w, std::vector<double> q, std::vector<double> friction) {
  SystemData<double> data;
  const std::size_t contacts = q.size() / 3;
  for (std::size_t i = 0; i < contacts; ++i) {
    for (std::size_t j = 0; j < contacts; ++j) {
      SystemBlock<double> block;
      bool zero = i != j;
      for (std::size_t a = 0; a < 3; ++a)
        for (std::size_t b = 0; b < 3; ++b) {
          block[3 * a + b] = w[(3 * i + a) * 3 * contacts + 3 * j + b];
          zero &= block[3 * a + b] == 0;
        }
      if (zero) continue;
      data.column.push_back(static_cast<std::int32_t>(j));
      data.block.push_back(block);
    }
    data.row_start.push_back(static_cast<std::int64_t>(data.column.size()));
  }
  data.q = std::move(q);
  data.friction = std::move(friction);
  return data;
}

/// W r + q, in long double.
inline std::vector<double> velocities_of(const SystemData<double>& system, const std::vector<double>& r) {
  std::vector<double> u(r.size());
  for (std::size_t i = 0; i < system.rows(); ++i)
    for (std::size_t a = 0; a < 3; ++a) {
      long double sum = system.q[3 * i + a];
      for (auto k = system.row_start[i]; k < system.row_start[i + 1]; ++k) {
        const auto block = static_cast<std::size_t>(k);
        const auto j = static_cast<std::size_t>(system.column[block]);
        for (std::size_t b = 0; b < 3; ++b)
          sum += static_cast<long double>(system.block[block][3 * a + b]) * r[3 * j + b];
      }
      u[3 * i + a] = static_cast<double>(sum);
    }
  return u;
}

/// The error of docs/contact-systems.md, |r − P(r − (u + μ|u_t| n))| / |q|, with the projection computed from the cone
/// and its polar cone.
inline double error_of(const SystemData<double>& system, const std::vector<double>& r) {
  const std::vector<double> u = velocities_of(system, r);
  double sum = 0, q = 0;
  for (std::size_t i = 0; i < system.contacts(); ++i) {
    const double mu = system.friction[i];
    const double slip = std::hypot(u[3 * i], u[3 * i + 1]);
    const double x = r[3 * i] - u[3 * i], y = r[3 * i + 1] - u[3 * i + 1];
    const double n = r[3 * i + 2] - u[3 * i + 2] - mu * slip, t = std::hypot(x, y);
    double p[3] = {x, y, n};
    if (n < 0 && mu * t <= -n) {
      p[0] = p[1] = p[2] = 0;
    } else if (t > mu * n) {
      // The foot on the ray (μ, 1) of the plane of n and the tangent of z.
      const double along = (mu * t + n) / std::hypot(mu, 1.0), scale = 1 / std::hypot(mu, 1.0);
      p[2] = along * scale;
      p[0] = mu * p[2] * x / t;
      p[1] = mu * p[2] * y / t;
    }
    for (std::size_t a = 0; a < 3; ++a) {
      sum += (r[3 * i + a] - p[a]) * (r[3 * i + a] - p[a]);
      q += system.q[3 * i + a] * system.q[3 * i + a];
    }
  }
  return sum == 0 ? 0 : std::sqrt(sum / q);
}

/// The difference that two evaluations of the error in double may have: a row of W r, and r − u, sums up terms, each
/// rounded.
inline double rounding_of(const SystemData<double>& system, const std::vector<double>& r) {
  double sum = 0, q = 0;
  for (std::size_t i = 0; i < system.contacts(); ++i)
    for (std::size_t a = 0; a < 3; ++a) {
      double row = std::abs(system.q[3 * i + a]) + std::abs(r[3 * i + a]);
      for (auto k = system.row_start[i]; k < system.row_start[i + 1]; ++k) {
        const auto block = static_cast<std::size_t>(k);
        const auto j = static_cast<std::size_t>(system.column[block]);
        for (std::size_t b = 0; b < 3; ++b) row += std::abs(system.block[block][3 * a + b] * r[3 * j + b]);
      }
      const auto terms = 3 * static_cast<double>(system.row_start[i + 1] - system.row_start[i]) + 2;
      sum += terms * terms * row * row;
      q += system.q[3 * i + a] * system.q[3 * i + a];
    }
  return std::sqrt(sum / q) * 0x1p-53;
}

/// The distance of the worst impulse from its cone, relative to its length.
inline double farthest_outside(const SystemData<double>& system, const std::vector<double>& r) {
  double farthest = 0;
  for (std::size_t i = 0; i < system.contacts(); ++i) {
    const double t = std::hypot(r[3 * i], r[3 * i + 1]), n = r[3 * i + 2];
    const double length = std::hypot(t, n);
    if (length == 0) continue;
    farthest = std::max({farthest, (t - system.friction[i] * n) / (length * (1 + system.friction[i])), -n / length});
  }
  return farthest;
}

/// Adds the contacts of `other`, which has no moments, as islands of their own.
inline void append(SystemData<double>& system, const SystemData<double>& other) {
  const auto first = static_cast<std::int32_t>(system.contacts());
  const auto blocks = static_cast<std::int64_t>(system.block.size());
  system.friction.insert(system.friction.end(), other.friction.begin(), other.friction.end());
  system.q.insert(system.q.end(), other.q.begin(), other.q.end());
  for (const std::int32_t j : other.column) system.column.push_back(first + j);
  system.block.insert(system.block.end(), other.block.begin(), other.block.end());
  for (std::size_t i = 1; i < other.row_start.size(); ++i) system.row_start.push_back(blocks + other.row_start[i]);
}

/// A system as bodies make it: W = Σ Hᵀ M⁻¹ H over bodies, each with random contacts of itself with the world and with
/// others. q = Hᵀ v is in the range of W; points of friction times lever stay below 1, so that there is a solution. The
/// first contacts have moments, whose lengths are the caller's.
inline SystemData<double> random_system(std::uint64_t seed, std::size_t contacts, std::size_t bodies, double friction,
                                        std::size_t moments = 0) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto columns = 3 * (contacts + moments);
  std::vector<double> h(6 * bodies * columns), v(6 * bodies), m(bodies);
  for (double& x : v) x = uniform(random);
  for (double& x : m) x = std::pow(10, uniform(random));
  for (std::size_t i = 0; i < contacts; ++i) {
    const std::size_t a = random() % bodies, b = random() % (bodies + 1);
    for (std::size_t c = 0; c < 3; ++c) {
      const auto put = [&](std::size_t body, double sign) {
        for (std::size_t k = 0; k < 3; ++k)
          h[(6 * body + k) * columns + 3 * i + c] = sign * (k == c ? 1 : 0.1 * uniform(random));
        for (std::size_t k = 3; k < 6; ++k) h[(6 * body + k) * columns + 3 * i + c] = sign * 0.3 * uniform(random);
      };
      put(a, 1);
      if (b < bodies && b != a) put(b, -1);
      if (i >= moments) continue;
      const auto column = 3 * (contacts + i) + c;
      h[(6 * a + 3 + c) * columns + column] = 1;
      if (b < bodies && b != a) h[(6 * b + 3 + c) * columns + column] = -1;
    }
  }
  std::vector<double> w(columns * columns), q(columns);
  for (std::size_t i = 0; i < columns; ++i)
    for (std::size_t k = 0; k < 6 * bodies; ++k) {
      const double left = h[k * columns + i];
      if (left == 0) continue;
      q[i] += left * v[k];
      for (std::size_t j = 0; j < columns; ++j) w[i * columns + j] += left * h[k * columns + j] / m[k / 6];
    }
  SystemData<double> system = system_of(w, q, std::vector<double>(contacts, friction));
  for (std::size_t i = 0; i < moments; ++i) system.moment.push_back(static_cast<std::int32_t>(i));
  return system;
}

}  // namespace carom::test
