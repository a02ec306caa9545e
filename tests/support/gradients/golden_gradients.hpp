// golden/gradients3d.csv: impulses and their derivatives by central differences of solutions in 34 digits.
#pragma once

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "io/csv/csv.hpp"
#include "support/gradients/gradient_table.hpp"

namespace carom::test {

struct GoldenGradient {
  std::string kind, sliding_end;
  Law law;
  RestitutionLaw restitution_law;
  std::vector<double> numbers;                     // as GradientTable::add takes them
  std::vector<double> p;                           // 3
  std::vector<std::vector<double>> of_p;           // 3 rows of GradientTable::variables
  double scale[GradientTable<double>::variables];  // of the numbers
};

inline std::vector<GoldenGradient> golden_gradients() {
  const io::Table table = io::read_csv(std::filesystem::path(CAROM_GOLDEN_DIR) / "gradients3d.csv");
  // The variables in the order of the library; columns that the file has not are 0.
  std::vector<std::string> names;
  Derivatives<double> derivatives;
  columns::each_derivative([&](const columns::Label& label, const auto&) { names.push_back(label.in_file()); }, "",
                           derivatives);
  std::vector<GoldenGradient> all;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    GoldenGradient g;
    const auto text = [&](const std::string& name) { return table.cell(i, table.find(name)); };
    const auto number = [&](const std::string& name) {
      return table.find(name) == io::Table::none ? 0.0 : io::to_number(text(name)).value();
    };
    g.kind = text("kind");
    g.sliding_end = text("sliding_end");
    g.law = law_from_string(text("law"));
    g.restitution_law = restitution_law_from_string(text("restitution_law"));
    for (const std::string& name : names) g.numbers.push_back(number(name));
    for (const char* axis : {"x", "y", "z"}) {
      g.p.push_back(number(std::string("p_") + axis));
      g.of_p.emplace_back();
      for (const std::string& name : names) g.of_p.back().push_back(number("d_p_" + (axis + ("_d_" + name))));
    }
    const double* n = g.numbers.data();
    std::fill(std::begin(g.scale), std::end(g.scale), 1.0);
    std::fill(g.scale + GradientVariable::k, g.scale + GradientVariable::u0, std::max({n[2], n[5], n[7]}));
    std::fill(g.scale + GradientVariable::u0, g.scale + GradientVariable::own,
              std::max({std::abs(n[8]), std::abs(n[9]), std::abs(n[10])}));
    all.push_back(g);
  }
  return all;
}

/// The worst column's error, relative to its size or, where it is smaller, to 1e-3 of |p| over the number's scale.
template <class T>
double error_of(const GradientTable<T>& table, std::size_t i, const GoldenGradient& golden) {
  const double size_of_p = std::hypot(golden.p[0], golden.p[1], golden.p[2]);
  double worst = 0;
  for (std::size_t v = 0; v < GradientTable<T>::variables; ++v) {
    double size = 1e-3 * size_of_p / golden.scale[v], error = 0;
    for (std::size_t r = 0; r < 3; ++r) {
      size = std::max(size, std::abs(golden.of_p[r][v]));
      error = std::max(error, std::abs(static_cast<double>(table.at(r, v, i)) - golden.of_p[r][v]));
    }
    if (!(error / size <= worst)) worst = error / size;
  }
  return worst;
}

}  // namespace carom::test
