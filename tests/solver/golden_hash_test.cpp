// One hash of all bits of the results on the golden sets. It is the same for every ISA with fused multiply-add, every
// compiler and every build type, and changes only deliberately.
#include <gtest/gtest.h>

#include <carom/carom.hpp>
#include <cstdint>
#include <filesystem>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

#include "io/csv/csv.hpp"
#include "io/files/contact_file.hpp"
#include "support/contacts/file_contacts.hpp"
#include "support/contacts/random_contacts.hpp"
#include "support/running/configured_solver.hpp"
#include "support/running/hash.hpp"

namespace carom {
namespace {

/// The rows whose law is the energetic one, which is all that Euler offers.
std::vector<std::size_t> energetic_rows(const io::Table& table) {
  const std::size_t law = table.find("restitution_law");
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < table.rows(); ++i)
    if (law == io::Table::none || table.cell(i, law) == "energetic") rows.push_back(i);
  return rows;
}

std::vector<std::size_t> all_rows(const io::Table& table) {
  std::vector<std::size_t> rows(table.rows());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return rows;
}

template <class T, template <class> class AnyContacts>
std::string hash_of(const std::string& file, Integrator integrator, Isa isa) {
  const io::Table table = io::read_csv(std::filesystem::path(CAROM_GOLDEN_DIR) / file);
  const std::vector<std::size_t> rows = integrator == Integrator::euler ? energetic_rows(table) : all_rows(table);
  EXPECT_GE(rows.size(), 500u);
  const support::FileContacts<AnyContacts<T>> contacts(table);
  SolverSetup options;
  options.integrator = integrator;
  options.execution.isa = isa;
  options.execution.threads = 1;
  options.steps = 100;
  support::ResultArrays<T> results(contacts.size(), std::is_same_v<AnyContacts<T>, Contacts<T>>);
  const Report report = ConfiguredSolver(options).solve(contacts.view(), results.results());
  EXPECT_EQ(report.isa, isa);

  support::Hash hash;
  for (const std::size_t i : rows) {
    EXPECT_FALSE(is_fault(results.status[i])) << file << ", row " << i << ": " << to_string(results.status[i]);
    for (std::size_t j = 0; j < 3; ++j) hash.add(results.impulse[j][i]);
    for (std::size_t j = 0; j < 3; ++j) hash.add(results.separation_velocity[j][i]);
    hash.add(results.work_compression[i]);
    hash.add(results.work_decompression[i]);
    hash.add(results.steps[i]);
    hash.add(results.status[i]);
    hash.add(results.path[i]);
  }
  return hash.text();
}

template <class T, template <class> class AnyContacts>
void expect_hash(const std::string& file, Integrator integrator, const std::string& expected) {
  for (const Isa isa : available_isas()) {
    if (isa == Isa::sse2) continue;  // it has no fused multiply-add
    EXPECT_EQ((hash_of<T, AnyContacts>(file, integrator, isa)), expected)
        << file << " on " << to_string(isa)
        << ": bits of the results have changed. If that is meant, write the decision and its reason into CHANGELOG.md, "
           "then put the new value here; if not, a compiler or a change has altered the arithmetic.";
  }
}

TEST(GoldenHash, of_contact_space_in_float_by_euler) {
  expect_hash<float, KContacts>("incremental3d.csv", Integrator::euler, "0x00dd7a58ff214dfb");
}

TEST(GoldenHash, of_contact_space_in_float_by_the_series) {
  expect_hash<float, KContacts>("incremental3d.csv", Integrator::series, "0xf0ed6aa18d05d61e");
}

TEST(GoldenHash, of_contact_space_in_double_by_euler) {
  expect_hash<double, KContacts>("incremental3d.csv", Integrator::euler, "0x1b2c142562fc98be");
}

TEST(GoldenHash, of_contact_space_in_double_by_the_series) {
  expect_hash<double, KContacts>("incremental3d.csv", Integrator::series, "0x09a64973ad4bd26b");
}

TEST(GoldenHash, of_bodies_in_float_by_euler) {
  expect_hash<float, Contacts>("bodies3d.csv", Integrator::euler, "0xf869d74101053054");
}

TEST(GoldenHash, of_bodies_in_float_by_the_series) {
  expect_hash<float, Contacts>("bodies3d.csv", Integrator::series, "0x732ec576f4d69f12");
}

TEST(GoldenHash, of_bodies_in_double_by_euler) {
  expect_hash<double, Contacts>("bodies3d.csv", Integrator::euler, "0xfbe88be231bc218b");
}

TEST(GoldenHash, of_bodies_in_double_by_the_series) {
  expect_hash<double, Contacts>("bodies3d.csv", Integrator::series, "0xeba5233e6f1fa7db");
}

// A change of one bit in one result must not go by unnoticed.
TEST(GoldenHash, tells_results_apart_that_differ_in_one_bit) {
  const auto of = [](double a, double b) {
    support::Hash hash;
    hash.add(a);
    hash.add(b);
    return hash.text();
  };
  EXPECT_NE(of(1, 2), of(1, 2 + 0x1p-51));
  EXPECT_NE(of(1, 2), of(2, 1));
  EXPECT_NE(of(0.0, 1), of(-0.0, 1));
}

}  // namespace
}  // namespace carom
