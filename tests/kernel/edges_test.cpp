// Contacts that once violated docs/accuracy.md, each in a separate file: the prober's judge finds no violation on any
// ISA, in the original and the other precision.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "probe/judge.hpp"

namespace carom::probe {
namespace {

struct Row {
  Law law = Law::incremental;
  RestitutionLaw restitution_law = RestitutionLaw::energetic;
  std::map<std::string, double> numbers;
};

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream stream(line);
  for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
  return cells;
}

std::vector<Row> rows_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  const std::vector<std::string> names = cells_of(line);
  std::vector<Row> rows;
  while (std::getline(file, line)) {
    const std::vector<std::string> cells = cells_of(line);
    Row row;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i] == "law")
        row.law = law_from_string(cells.at(i));
      else if (names[i] == "restitution_law")
        row.restitution_law = restitution_law_from_string(cells.at(i));
      else
        row.numbers[names[i]] = std::strtod(cells.at(i).c_str(), nullptr);  // subnormal numbers too
    }
    rows.push_back(row);
  }
  return rows;
}

Form form_of(const Row& row) {
  const auto has = [&](const char* name) { return row.numbers.contains(name); };
  if (has("k_xx")) return has("k_zz") ? Form::space : Form::planar_space;
  return has("normal_z") ? Form::bodies : Form::planar_bodies;
}

/// Returns the number of results that can be judged. A fault that the condition of K permits cannot be.
template <class T, std::size_t D>
std::size_t expect_promises_kept(const Row& row) {
  std::size_t judged = 0;
  AnyContacts<T> contacts(form_of(row), 1);
  for (const auto& [name, value] : row.numbers) contacts[name][0] = static_cast<T>(value);
  Options options;
  options.law = row.law;
  if (may_be_incremental(row.law)) options.restitution_law = row.restitution_law;
  for (const Isa isa : available_isas()) {
    Solver solver({.isa = isa, .threads = 1});
    Outcomes<T> outcomes(1);
    solve(solver, contacts, outcomes, options);
    const Encounter<Real<T>, D> seen = encounter<Real<T>, D>(contacts, 0);
    if (!seen.solvable) continue;  // singular once it is rounded to this precision
    Judge<T, D> judge(contacts, seen, 0);
    const std::optional<Verdict> verdict = judge.judge(options, outcomes);
    if (!verdict) continue;
    ++judged;
    EXPECT_LE(verdict->worst, bound) << verdict->promise << ", " << carom::to_string(isa)
                                     << (sizeof(T) == sizeof(float) ? ", float" : ", double");
  }
  return judged;
}

class Edges : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(Edges, break_no_promise) {
  const std::vector<Row> rows = rows_of(GetParam());
  ASSERT_FALSE(rows.empty());
  for (const Row& row : rows) {
    const std::size_t judged = is_planar(form_of(row))
                                   ? expect_promises_kept<float, 2>(row) + expect_promises_kept<double, 2>(row)
                                   : expect_promises_kept<float, 3>(row) + expect_promises_kept<double, 3>(row);
    EXPECT_GT(judged, 0u);
  }
}

std::vector<std::filesystem::path> files() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(CAROM_GOLDEN_DIR "/edges"))
    paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

INSTANTIATE_TEST_SUITE_P(golden, Edges, testing::ValuesIn(files()),
                         [](const auto& found) { return found.param.stem().string(); });

}  // namespace
}  // namespace carom::probe
