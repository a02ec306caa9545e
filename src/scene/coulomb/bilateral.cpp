#include "bilateral.hpp"

#include <algorithm>
#include <carom/scene_options.hpp>
#include <cmath>
#include <tuple>

#include "forest.hpp"
#include "system/island_system.hpp"

namespace carom::scene::coulomb {
namespace {

using systems::at;

double coupling(const Row& r, const Row& s) {
  double sum = 0;
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 2; ++j)
      if (r.body[i] >= 0 && r.body[i] == s.body[j]) sum += dot(r.side[i].of, s.side[j].response);
  return sum;
}

}  // namespace

void Bilateral::find_clusters(const Constraints& constraints) {
  const std::size_t bodies = constraints.body.size();
  parent_.resize(bodies);
  for (std::size_t b = 0; b < bodies; ++b) parent_[b] = static_cast<std::int32_t>(b);
  for (const Row& row : constraints.row)
    if (row.body[0] >= 0 && row.body[1] >= 0) {
      const std::int32_t a = root_of(parent_, row.body[0]), b = root_of(parent_, row.body[1]);
      parent_[at(std::max(a, b))] = std::min(a, b);
    }
  cluster_.assign(bodies, none);
  of_root_.assign(bodies, none);
  start_.assign(1, 0);
  const auto cluster_of_row = [&](const Row& row) -> std::int32_t& {
    return of_root_[at(root_of(parent_, row.body[row.body[0] >= 0 ? 0 : 1]))];
  };
  for (const Row& row : constraints.row) {
    std::int32_t& cluster = cluster_of_row(row);
    if (cluster == none) {
      cluster = static_cast<std::int32_t>(start_.size() - 1);
      start_.push_back(0);
    }
    ++start_[at(cluster) + 1];
  }
  for (std::size_t c = 1; c < start_.size(); ++c) start_[c] += start_[c - 1];
  for (std::size_t b = 0; b < bodies; ++b) cluster_[b] = of_root_[at(root_of(parent_, static_cast<std::int32_t>(b)))];
}

std::int32_t Bilateral::search(const Constraints& constraints, std::int32_t from) {
  for (const std::int32_t b : queue_) rank_[at(b)] = none;
  queue_.assign(1, from);
  rank_[at(from)] = 0;
  for (std::size_t next = 0; next < queue_.size(); ++next) {
    const std::size_t body = at(queue_[next]);
    for (std::size_t k = rows_begin_[body]; k < rows_begin_[body + 1]; ++k)
      for (const std::int32_t other : constraints.row[rows_of_[k]].body)
        if (other >= 0 && rank_[at(other)] == none) {
          rank_[at(other)] = static_cast<std::int32_t>(queue_.size());
          queue_.push_back(other);
        }
  }
  return queue_.back();
}

void Bilateral::order_rows(const Constraints& constraints) {
  const std::size_t bodies = constraints.body.size(), rows = constraints.row.size();
  rows_begin_.assign(bodies + 1, 0);
  const auto each_body = [&](const auto& f) {
    for (std::size_t r = 0; r < rows; ++r)
      for (const std::int32_t body : constraints.row[r].body)
        if (body >= 0) f(at(body), r);
  };
  each_body([&](std::size_t body, std::size_t) { ++rows_begin_[body + 1]; });
  for (std::size_t b = 0; b < bodies; ++b) rows_begin_[b + 1] += rows_begin_[b];
  rows_of_.resize(rows_begin_[bodies]);
  lowest_.assign(rows_begin_.begin(), rows_begin_.end() - 1);
  each_body([&](std::size_t body, std::size_t r) { rows_of_[lowest_[body]++] = r; });

  rank_.assign(bodies, none);
  for (std::size_t b = 0; b < bodies; ++b)
    if (cluster_[b] != none && rank_[b] == none) {
      // From a body at one end.
      queue_.clear();
      search(constraints, search(constraints, static_cast<std::int32_t>(b)));
    }
  order_.resize(rows);
  for (std::size_t r = 0; r < rows; ++r) order_[r] = r;
  const auto key = [&](std::size_t r) {
    const Sides& body = constraints.row[r].body;
    const std::int32_t a = body[0] >= 0 ? rank_[at(body[0])] : none, b = body[1] >= 0 ? rank_[at(body[1])] : none;
    return std::tuple(cluster_[at(body[body[0] >= 0 ? 0 : 1])], std::max(a, b), std::min(a, b), r);
  };
  std::sort(order_.begin(), order_.end(), [&](std::size_t r, std::size_t s) { return key(r) < key(s); });
}

void Bilateral::factor(const Constraints& constraints) {
  find_clusters(constraints);
  order_rows(constraints);
  const std::size_t rows = order_.size();
  lowest_.assign(constraints.body.size(), rows);
  first_.resize(rows);
  offset_.resize(rows);
  inverse_.resize(rows);
  std::size_t numbers = 0;
  for (std::size_t k = 0; k < rows; ++k) {
    first_[k] = k;
    for (const std::int32_t body : constraints.row[order_[k]].body)
      if (body >= 0) first_[k] = std::min(first_[k], lowest_[at(body)] = std::min(lowest_[at(body)], k));
    offset_[k] = numbers;
    numbers += k - first_[k];
  }
  lower_.resize(numbers);
  for (std::size_t k = 0; k < rows; ++k) {
    const Row& row = constraints.row[order_[k]];
    double* const l = lower_.data() + offset_[k];
    const double whole = coupling(row, row) + row.compliance;
    double left = whole;
    for (std::size_t j = first_[k]; j < k; ++j) {
      double sum = coupling(row, constraints.row[order_[j]]);
      const double* const other = lower_.data() + offset_[j];
      for (std::size_t i = std::max(first_[k], first_[j]); i < j; ++i) sum -= l[i - first_[k]] * other[i - first_[j]];
      const double x = l[j - first_[k]] = sum * inverse_[j];
      left -= x * x;
    }
    inverse_[k] = left > SceneThresholds::least_pivot * whole ? 1 / std::sqrt(left) : 0;
  }
}

void Bilateral::solve_lower(std::size_t first, std::size_t end, std::size_t columns, double* x) const {
  for (std::size_t k = first; k < end; ++k) {
    const double* const l = lower_.data() + offset_[k];
    double* const to = x + (k - first) * columns;
    for (std::size_t j = std::max(first_[k], first); j < k; ++j)
      for (std::size_t c = 0; c < columns; ++c) to[c] -= l[j - first_[k]] * x[(j - first) * columns + c];
    for (std::size_t c = 0; c < columns; ++c) to[c] *= inverse_[k];
  }
}

void Bilateral::solve_upper(std::vector<double>& x) const {
  for (std::size_t k = x.size(); k-- > 0;) {
    x[k] *= inverse_[k];
    const double* const l = lower_.data() + offset_[k];
    for (std::size_t j = first_[k]; j < k; ++j) x[j] -= l[j - first_[k]] * x[k];
  }
}

}  // namespace carom::scene::coulomb
