// Calls in C give the bits and the reports of calls in C++, for every form of contacts.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <type_traits>

#include "c/in_c.hpp"
#include "support/contacts/random_laws.hpp"
#include "support/planar/random_contacts.hpp"
#include "support/planar/same_bits.hpp"
#include "support/running/same_bits.hpp"

namespace carom {
namespace {

constexpr std::size_t count = 100;

template <class T>
class CSolver : public testing::Test {
 protected:
  CSolver() {
    const carom_execution execution = execution_in_c(CAROM_ISA_AUTOMATIC, 1);
    EXPECT_EQ(carom_solver_create(&execution, &solver), CAROM_OK) << carom_error_message();
  }
  ~CSolver() override { carom_solver_destroy(solver); }

  /// Solves contacts of a form in C++ and by a function of C.
  template <class C, class R, class AnyContacts, class Arrays, class Function>
  void solve(const AnyContacts& contacts, Function function, Arrays& in_cpp, Arrays& in_c) {
    Options options;
    options.restitution_law = RestitutionLaw::kinetic;
    Solver solver_in_cpp({.threads = 1});
    EXPECT_EQ(carom_solver_memory(solver), solver_in_cpp.memory());
    const Report expected = solver_in_cpp.solve(contacts, in_cpp.results(), options);

    carom_options options_in_c;
    carom_options_init(&options_in_c, sizeof options_in_c);
    options_in_c.restitution_law = CAROM_RESTITUTION_KINETIC;
    const carom_law_columns laws = laws_in_c(contacts.laws);
    const C contacts_in_c = carom::contacts_in_c<C>(contacts, laws);
    const R results_in_c = carom::results_in_c<R>(in_c.results());
    auto report = sized<carom_report>();
    ASSERT_EQ(function(solver, precision_of<T>, &contacts_in_c, &results_in_c, &options_in_c, &report), CAROM_OK)
        << carom_error_message();
    expect_same(expected, report);
    EXPECT_EQ(carom_solver_memory(solver), solver_in_cpp.memory());
  }

  static void expect_same(const Report& expected, const carom_report& report) {
    EXPECT_EQ(report.contacts, expected.contacts);
    expect_same_counts(expected, report, carom_report_first);
    for (std::size_t i = 0; i < Path::kinds; ++i)
      EXPECT_EQ(report.by_path[i], expected.count(Path::from_index(i))) << i;
    EXPECT_EQ(report.isa, static_cast<int>(expected.isa));
    EXPECT_EQ(report.threads, expected.threads);
    EXPECT_EQ(report.sliding_steps, expected.sliding_steps);
    EXPECT_EQ(report.max_energy_gain, expected.max_energy_gain);
    EXPECT_EQ(report.max_energy_gain_contact, expected.max_energy_gain_contact);
  }

  template <class AnyContacts>
  AnyContacts with_laws(AnyContacts contacts) const {
    laws_.give(contacts.laws);
    contacts.laws.law = laws_.law;
    return contacts;
  }

  carom_solver* solver = nullptr;
  const support::RandomLaws<T> laws_{count, 3};
};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(CSolver, Precisions);

TYPED_TEST(CSolver, gives_the_bits_of_cpp_for_inline_contacts) {
  const support::RandomContacts<TypeParam> random(count, 1);
  support::ResultArrays<TypeParam> in_cpp(count), in_c(count);
  this->template solve<carom_contacts, carom_results>(this->with_laws(random.inline_contacts()), carom_solve, in_cpp,
                                                      in_c);
  support::expect_same_bits(in_cpp, in_c, "inline");
}

TYPED_TEST(CSolver, gives_the_bits_of_cpp_for_indexed_contacts) {
  const support::RandomIndexedContacts<TypeParam> random(count, 40, 1);
  support::ResultArrays<TypeParam> in_cpp(count), in_c(count);
  this->template solve<carom_indexed_contacts, carom_results>(this->with_laws(random.indexed_contacts()),
                                                              carom_solve_indexed, in_cpp, in_c);
  support::expect_same_bits(in_cpp, in_c, "indexed");
}

TYPED_TEST(CSolver, gives_the_bits_of_cpp_in_contact_space) {
  const support::RandomSpaceContacts<TypeParam> random(count, 1);
  support::ResultArrays<TypeParam> in_cpp(count, false), in_c(count, false);
  this->template solve<carom_k_contacts, carom_results>(this->with_laws(random.space_contacts()), carom_solve_k, in_cpp,
                                                        in_c);
  support::expect_same_bits(in_cpp, in_c, "space");
}

TYPED_TEST(CSolver, gives_the_bits_of_cpp_for_blocked_contacts) {
  using T = TypeParam;
  const support::RandomContacts<T> random(count, 1);
  support::ResultArrays<T> expected(count), found(count);
  const auto view = this->with_laws(random.inline_contacts());
  const Report report = Solver({.threads = 1}).solve(view, expected.results());

  carom_blocked_contacts* blocked = nullptr;
  ASSERT_EQ(carom_blocked_contacts_create(precision_of<T>, count, &blocked), CAROM_OK);
  carom_blocked_columns columns;
  ASSERT_EQ(carom_blocked_contacts_columns(blocked, &columns), CAROM_OK);
  fill(view, columns);
  const carom_law_columns laws = laws_in_c(view.laws);
  ASSERT_EQ(carom_blocked_contacts_set_laws(blocked, &laws), CAROM_OK);
  const auto results = results_in_c<carom_results>(found.results());
  auto report_in_c = sized<carom_report>();
  ASSERT_EQ(carom_solve_blocked(this->solver, blocked, &results, nullptr, &report_in_c), CAROM_OK);
  support::expect_same_bits(expected, found, "blocked");
  this->expect_same(report, report_in_c);
  carom_blocked_contacts_destroy(blocked);
}

TYPED_TEST(CSolver, gives_the_bits_of_cpp_for_planar_inline_contacts) {
  const support::RandomPlanarBodies<TypeParam> random(count, 1);
  auto view = random.inline_contacts();
  view.laws.law = random.laws.law;
  support::PlanarResultArrays<TypeParam> in_cpp(count), in_c(count);
  this->template solve<carom_planar_contacts, carom_planar_results>(view, carom_solve_planar, in_cpp, in_c);
  EXPECT_TRUE(support::same(in_cpp, in_c));
}

TYPED_TEST(CSolver, gives_the_bits_of_cpp_for_planar_indexed_contacts) {
  const support::RandomPlanarBodies<TypeParam> random(count, 1, 40);
  auto view = random.indexed_contacts();
  view.laws.law = random.laws.law;
  view.laws.restitution_law = random.laws.restitution_law;
  support::PlanarResultArrays<TypeParam> in_cpp(count), in_c(count);
  this->template solve<carom_planar_indexed_contacts, carom_planar_results>(view, carom_solve_planar_indexed, in_cpp,
                                                                            in_c);
  EXPECT_TRUE(support::same(in_cpp, in_c));
}

TYPED_TEST(CSolver, gives_the_bits_of_cpp_in_planar_contact_space) {
  const support::RandomPlanarSpace<TypeParam> random(count, 1);
  auto view = random.view();
  view.laws.law = random.laws.law;
  support::PlanarResultArrays<TypeParam> in_cpp(count, false), in_c(count, false);
  this->template solve<carom_planar_k_contacts, carom_planar_results>(view, carom_solve_planar_k, in_cpp, in_c);
  EXPECT_TRUE(support::same(in_cpp, in_c));
}

/// Runs all pieces but the last `*left_out`.
void run_in_c(void* left_out, std::size_t pieces, carom_piece run, void* work) {
  for (std::size_t i = 0; i + *static_cast<std::size_t*>(left_out) < pieces; ++i) run(work, i);
}

TEST(CScheduler, runs_the_pieces_or_is_an_error_after_complete_results) {
  constexpr std::size_t many = 5000;  // several ranges
  const support::RandomSpaceContacts<double> contacts(many, 3);
  support::ResultArrays<double> expected(many, false);
  Solver({.threads = 1}).solve(contacts.space_contacts(), expected.results());
  const carom_law_columns laws = laws_in_c(contacts.space_contacts().laws);
  const auto contacts_in_c = carom::contacts_in_c<carom_k_contacts>(contacts.space_contacts(), laws);
  std::size_t left_out = 0;
  auto execution = sized<carom_execution>();
  execution.parallel_for = run_in_c;
  execution.context = &left_out;
  execution.workers = 3;
  carom_solver* solver = nullptr;
  ASSERT_EQ(carom_solver_create(&execution, &solver), CAROM_OK) << carom_error_message();
  for (const carom_error outcome : {CAROM_OK, CAROM_ERROR_SCHEDULER, CAROM_OK}) {
    left_out = outcome == CAROM_OK ? 0 : 1;
    support::ResultArrays<double> found(many, false);
    const auto results = carom::results_in_c<carom_results>(found.results());
    EXPECT_EQ(carom_solve_k(solver, CAROM_DOUBLE, &contacts_in_c, &results, nullptr, nullptr), outcome);
    support::expect_same_bits(found, expected, std::to_string(outcome));
  }
  EXPECT_STREQ(carom_error_message(), "carom: the scheduler has left out 1 of 3 pieces");
  carom_solver_destroy(solver);

  execution.parallel_for = nullptr;
  EXPECT_EQ(carom_solver_create(&execution, &solver), CAROM_ERROR_ARGUMENT);
  // A program of an older version, whose struct ended here.
  execution.struct_size = offsetof(carom_execution, parallel_for);
  EXPECT_EQ(carom_solver_create(&execution, &solver), CAROM_OK) << carom_error_message();
  carom_solver_destroy(solver);
}

}  // namespace
}  // namespace carom
