// Contacts in contact space with room for all of their gradients.
#pragma once

#include <algorithm>
#include <carom/carom.hpp>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "core/columns/derivative_columns.hpp"

namespace carom::test {

template <class T>
class GradientTable {
 public:
  static constexpr std::size_t variables = columns::derivative_count, rows = columns::gradient_rows;

  /// `numbers` holds a contact's friction, restitution, K, u0 and its laws' parameters, then weights.
  void add(Law law, RestitutionLaw restitution_law, const std::vector<double>& numbers) {
    for (std::size_t i = 0; i < variables; ++i)
      numbers_[i].push_back(static_cast<T>(i < numbers.size() ? numbers[i] : 0.0));
    laws_.push_back(law);
    restitution_laws_.push_back(restitution_law);
  }
  std::size_t count() const { return laws_.size(); }
  T& number(std::size_t variable, std::size_t i) { return numbers_[variable][i]; }
  /// All numbers of contact i, as `add` takes them.
  std::vector<double> numbers_of(std::size_t i) const {
    std::vector<double> numbers;
    for (const std::vector<T>& column : numbers_) numbers.push_back(static_cast<double>(column[i]));
    return numbers;
  }

  KContacts<T> contacts() const {
    KContacts<T> c;
    std::size_t i = 0;
    const auto set = [&](const auto&, Column<const T>& column) { column = numbers_[i++]; };
    columns::each_number(set, c);
    columns::each_parameter([&](const auto& label, auto, Column<const T>& column) { set(label, column); }, c.laws);
    columns::each_weight([&](const auto& label, Law, Column<const T>& column) { set(label, column); }, c.laws.weight);
    c.laws.law = laws_;
    c.laws.restitution_law = restitution_laws_;
    return c;
  }

  /// All columns.
  Gradients<T> gradients() {
    Gradients<T> g;
    std::size_t row = 0;
    columns::each_gradient([&](const char*, Derivatives<T>& to) { set_all(to, row++); }, g);
    set_all(g.cotangent.product, rows);
    status_.resize(count());
    g.status = status_;
    return g;
  }
  T at(std::size_t row, std::size_t variable, std::size_t i) const { return values_[row][variable][i]; }
  T product(std::size_t variable, std::size_t i) const { return values_[rows][variable][i]; }
  GradientStatus status(std::size_t i) const { return status_[i]; }

  const std::vector<T> (&values() const)[columns::gradient_rows + 1][columns::derivative_count] { return values_; }

 private:
  void set_all(Derivatives<T>& to, std::size_t row) {
    std::size_t d = 0;
    columns::each_derivative(
        [&](const auto&, Column<T>& column) {
          values_[row][d].assign(count(), T(-77));
          column = values_[row][d++];
        },
        "", to);
  }

  std::vector<T> numbers_[variables];
  std::vector<Law> laws_;
  std::vector<RestitutionLaw> restitution_laws_;
  std::vector<T> values_[rows + 1][variables];
  std::vector<GradientStatus> status_;
};

/// Max difference of two tables over the columns of contact i, relative to the column's max entry or 1e-3 of the max
/// over all columns.
template <class T>
double difference(const GradientTable<T>& a, const GradientTable<double>& b, std::size_t i, std::size_t first_row) {
  double worst = 0, largest = 0;
  for (std::size_t r = first_row; r < first_row + 3; ++r)
    for (std::size_t v = 0; v < GradientTable<T>::variables; ++v) largest = std::max(largest, std::abs(b.at(r, v, i)));
  for (std::size_t v = 0; v < GradientTable<T>::variables; ++v) {
    double size = 1e-3 * largest, error = 0;
    for (std::size_t r = first_row; r < first_row + 3; ++r) {
      size = std::max(size, std::abs(b.at(r, v, i)));
      error = std::max(error, std::abs(static_cast<double>(a.at(r, v, i)) - b.at(r, v, i)));
    }
    worst = std::max(worst, error / size);
  }
  return worst;
}

/// Indices of a contact's numbers, in the order of GradientTable::add.
struct GradientVariable {
  static constexpr std::size_t friction = 0, restitution = 1, k = 2, u0 = 8, own = 11, weight = 20;
};

}  // namespace carom::test
