#include "global_system.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "systems/problem/island_system.hpp"

namespace carom::io {
namespace {

using systems::at;

SparseMatrix absolute(SparseMatrix matrix) {
  for (SparseEntry& entry : matrix.entries) entry.value = std::abs(entry.value);
  return matrix;
}

std::vector<double> absolute(std::vector<double> numbers) {
  for (double& x : numbers) x = std::abs(x);
  return numbers;
}

}  // namespace

/// With P M Pᵀ = L U: L⁻¹ P H and U⁻ᵀ P H, whose product is W, of each contact the rows that are not 0.
struct CondensedSystem::Halves {
  std::vector<std::size_t> begin;    ///< of each contact, and one more
  std::vector<std::int32_t> row;     ///< ascending for each contact
  std::vector<double> lower, upper;  ///< three numbers a row; no `upper` if M is symmetric, which is `lower` then
};

CondensedSystem::CondensedSystem(GlobalSystem system) : system_(std::move(system)) {
  faulty_row_ = lu_.factor(system_.mass);
}

SystemNumbers CondensedSystem::numbers() {
  SystemNumbers numbers;
  numbers.friction = system_.friction;
  numbers.velocity = system_.velocity;
  system_.directions.add_transposed_product(solve(system_.momentum), numbers.velocity);
  multiply(find_halves(), numbers);
  return numbers;
}

CondensedSystem::Halves CondensedSystem::find_halves() {
  const std::size_t contacts = system_.contacts();
  // The entries of H are gathered by contacts.
  std::vector<std::vector<SparseEntry>> of(contacts);
  for (const SparseEntry& entry : system_.directions.entries)
    if (entry.value != 0) of[at(entry.column) / 3].push_back(entry);
  Halves halves;
  halves.begin.assign(1, 0);
  std::vector<double> x(3 * lu_.size(), 0);
  const auto take_in = [&](const std::vector<SparseEntry>& entries) {
    for (const auto& [row, column, value] : entries) x[3 * lu_.position(at(row)) + at(column) % 3] = value;
  };
  const auto take_out = [&](const std::vector<std::int32_t>& reach, std::vector<double>& half) {
    for (const std::int32_t row : reach)
      for (std::size_t c = 0; c < 3; ++c) half.push_back(std::exchange(x[3 * at(row) + c], 0));
  };
  std::vector<std::int32_t> rows;
  for (std::size_t i = 0; i < contacts; ++i) {
    rows.clear();
    for (const SparseEntry& entry : of[i]) rows.push_back(entry.row);
    const std::vector<std::int32_t> reach = lu_.reach(rows);
    take_in(of[i]);
    lu_.solve_lower(reach, x.data());
    take_out(reach, halves.lower);
    if (!lu_.is_symmetric()) {
      take_in(of[i]);
      lu_.solve_upper(reach, x.data());
      take_out(reach, halves.upper);
    }
    halves.row.insert(halves.row.end(), reach.begin(), reach.end());
    halves.begin.push_back(halves.row.size());
  }
  return halves;
}

/// W by rows of contacts: those that share a row of the halves have a block.
void CondensedSystem::multiply(const Halves& halves, SystemNumbers& numbers) const {
  const std::size_t contacts = system_.contacts();
  struct User {
    std::int32_t contact;
    std::size_t place;
  };
  const std::vector<double>&lower = halves.lower, &upper = lu_.is_symmetric() ? halves.lower : halves.upper;
  std::vector<std::vector<User>> users(lu_.size());
  for (std::size_t i = 0; i < contacts; ++i)
    for (std::size_t k = halves.begin[i]; k < halves.begin[i + 1]; ++k)
      users[at(halves.row[k])].push_back({static_cast<std::int32_t>(i), k});
  std::vector<std::size_t> block_of(contacts);
  std::vector<std::int32_t> last_row(contacts, -1);  // that the contact has a block in
  numbers.row_start.assign(1, 0);
  for (std::int32_t i = 0; at(i) < contacts; ++i) {
    const std::size_t first = numbers.column.size(), begin = halves.begin[at(i)], end = halves.begin[at(i) + 1];
    const auto take = [&](std::int32_t j) {
      if (std::exchange(last_row[at(j)], i) != i) numbers.column.push_back(j);
    };
    take(i);
    for (std::size_t k = begin; k < end; ++k)
      for (const User& user : users[at(halves.row[k])]) take(user.contact);
    std::sort(numbers.column.begin() + static_cast<std::ptrdiff_t>(first), numbers.column.end());
    for (std::size_t k = first; k < numbers.column.size(); ++k) block_of[at(numbers.column[k])] = k;
    numbers.block.resize(numbers.column.size());
    for (std::size_t k = begin; k < end; ++k)
      for (const auto& [j, place] : users[at(halves.row[k])]) {
        SystemBlock<double>& w = numbers.block[block_of[at(j)]];
        for (std::size_t c = 0; c < 3; ++c)
          for (std::size_t d = 0; d < 3; ++d) w[3 * c + d] += upper[3 * k + c] * lower[3 * place + d];
      }
    numbers.row_start.push_back(static_cast<std::int64_t>(numbers.column.size()));
  }
}

/// M⁻¹ of these numbers, with one step of refinement.
std::vector<double> CondensedSystem::solve(const std::vector<double>& momentum) const {
  std::vector<double> v = momentum, rest = momentum;
  lu_.solve(v);
  system_.mass.add_product(-1, v, rest);
  lu_.solve(rest);
  for (std::size_t i = 0; i < v.size(); ++i) v[i] += rest[i];
  return v;
}

std::vector<double> CondensedSystem::velocities_of(const std::vector<double>& impulse) const {
  std::vector<double> momentum = system_.momentum;
  system_.directions.add_product(1, impulse, momentum);
  return solve(momentum);
}

double CondensedSystem::error_of(const std::vector<double>& velocities, const std::vector<double>& impulse) const {
  std::vector<double> rest = system_.momentum, scale = absolute(system_.momentum);
  system_.directions.add_product(1, impulse, rest);
  system_.mass.add_product(-1, velocities, rest);
  absolute(system_.directions).add_product(1, absolute(impulse), scale);
  absolute(system_.mass).add_product(1, absolute(velocities), scale);
  double error = 0;
  for (std::size_t i = 0; i < rest.size(); ++i)
    if (scale[i] > 0) error = std::max(error, std::abs(rest[i]) / scale[i]);
  return error;
}

double CondensedSystem::difference(const std::vector<double>& velocities, const std::vector<double>& u,
                                   const std::vector<double>& q) const {
  std::vector<double> of_bodies = system_.velocity;
  system_.directions.add_transposed_product(velocities, of_bodies);
  double sum = 0, whole = 0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    sum += (u[i] - of_bodies[i]) * (u[i] - of_bodies[i]);
    whole += q[i] * q[i];
  }
  return sum > 0 ? std::sqrt(sum / whole) : 0;
}

}  // namespace carom::io
