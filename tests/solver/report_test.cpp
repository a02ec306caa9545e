// Reports count statuses, know the first contact of each, and print. The first contact does not depend on threads, the
// ISA, the law's kernel or the order of the work.
#include <gtest/gtest.h>

#include <algorithm>
#include <carom/carom.hpp>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "support/contacts/random_contacts.hpp"
#include "support/planar/random_contacts.hpp"
#include "support/running/configured_solver.hpp"
#include "support/scenes/generators.hpp"
#include "support/scenes/runs.hpp"

namespace carom {
namespace {

template <class Printed>
std::string text_of(const Printed& report) {
  std::ostringstream stream;
  stream << report;
  return stream.str();
}

/// Compares the counts of a report with the statuses.
template <class R, class S>
void expect_counts_of(const R& report, const std::vector<S>& statuses, std::size_t kinds, const std::string& what) {
  for (std::size_t i = 0; i < kinds; ++i) {
    const auto status = static_cast<S>(i);
    EXPECT_EQ(report.count(status), static_cast<std::size_t>(std::count(statuses.begin(), statuses.end(), status)))
        << what << ", status " << i;
    const auto found = std::find(statuses.begin(), statuses.end(), status);
    const auto expected =
        found == statuses.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - statuses.begin()));
    EXPECT_EQ(report.first(status), expected) << what << ", status " << i;
  }
  EXPECT_EQ(report.count(static_cast<S>(255)), 0u);
  EXPECT_EQ(report.first(static_cast<S>(255)), std::nullopt);
}

template <class F>
void on_isas_and_threads(const F& f) {
  for (const Isa isa : available_isas())
    for (const int threads : {1, 2, 3})
      f(Execution{.isa = isa, .threads = threads},
        std::string(to_string(isa)) + ", threads: " + std::to_string(threads));
}

constexpr std::size_t count = 7001;

/// Faults of several kinds, none of them early, all of them at several places.
template <class Numbers>
void spoil(Numbers& friction, Numbers& restitution) {
  using T = typename Numbers::value_type;
  for (std::size_t i = 1500; i < count; i += 977) friction[i] = -1;
  for (std::size_t i = 900; i < count; i += 1301) restitution[i] = 7;
  restitution[6999] = std::numeric_limits<T>::quiet_NaN();
}

TEST(CountsOfContacts, have_the_first_of_each_status) {
  support::RandomContacts<double> contacts(count, 3);
  support::RandomSpaceContacts<double> space(count, 4);
  spoil(contacts.friction, contacts.restitution);
  spoil(space.friction, space.restitution);
  // The first contacts are no collisions.
  for (std::size_t i = 0; i < 21; ++i) space.separation_velocity[2][i] = 1;
  std::vector<Law> laws(count);
  for (std::size_t i = 0; i < count; ++i) laws[i] = static_cast<Law>((i * 5 / 3) % law_count);
  auto mixed = space.space_contacts();
  mixed.laws.law = laws;
  auto of_bodies = contacts.inline_contacts();
  of_bodies.laws.law = laws;
  on_isas_and_threads([&](const Execution& execution, const std::string& what) {
    Solver solver(execution);
    std::vector<Status> status(count);
    Results<double> results;
    results.status = status;
    const auto expect_counts = [&](const auto& view, const Options& options, const char* of) {
      const Report report = solver.solve(view, results, options);
      expect_counts_of(report, status, status_room, what + ", " + of);
      EXPECT_FALSE(report.ok());
    };
    for (const Law law : {Law::incremental, Law::no_slip, Law::smith})
      expect_counts(contacts.inline_contacts(), {.law = law}, "inline");
    expect_counts(space.space_contacts(), {.law = Law::chatterjee_ruina}, "space");
    expect_counts(space.space_contacts(), {.integrator = Integrator::euler, .steps = 5}, "euler");
    expect_counts(mixed, {}, "mixed");
    expect_counts(of_bodies, {}, "mixed bodies");
  });
}

TEST(CountsOfPlanarContacts, have_the_first_of_each_status) {
  support::RandomPlanarBodies<float> contacts(count, 5);
  spoil(contacts.laws.friction, contacts.laws.restitution);
  on_isas_and_threads([&](const Execution& execution, const std::string& what) {
    std::vector<Status> status(count);
    planar::Results<float> results;
    results.status = status;
    for (const bool has_laws : {false, true}) {
      auto view = contacts.inline_contacts();
      if (has_laws)
        view.laws.law = contacts.laws.law;
      else
        view.laws = {};
      expect_counts_of(Solver(execution).solve(view, results), status, status_room, what);
    }
  });
}

TEST(CountsOfMargins, have_the_first_of_each_status) {
  support::RandomSpaceContacts<double> space(count, 6);
  spoil(space.friction, space.restitution);
  on_isas_and_threads([&](const Execution& execution, const std::string& what) {
    std::vector<Status> status(count);
    RegionMargins<double> margins;
    margins.status = status;
    const auto view = space.space_contacts();
    expect_counts_of(Solver(execution).find_margins(view, view.separation_velocity, margins), status, status_room,
                     what);
  });
}

TEST(CountsOfGradients, have_the_first_of_each_status) {
  support::RandomSpaceContacts<double> space(count, 7);
  spoil(space.friction, space.restitution);
  const Options options{.law = Law::chatterjee_ruina};
  on_isas_and_threads([&](const Execution& execution, const std::string& what) {
    std::vector<GradientStatus> status(count);
    Gradients<double> gradients;
    gradients.status = status;
    const GradientReport report = Solver(execution).differentiate(space.space_contacts(), gradients, options);
    expect_counts_of(report, status, gradient_status_count, what);
    EXPECT_FALSE(report.ok());
  });
}

TEST(CountsOfScenes, have_the_first_of_each_status) {
  auto data = scenes::islands<double>(300, 4, 4, 1);
  scenes::append(data, scenes::chain<double>(12));
  const std::size_t n = data.contact_count();
  for (std::size_t i = n / 3; i < n; i += 97) data.friction[i] = -1;
  for (std::size_t i = n / 2; i < n; i += 131) data.body_a[i] = 1 << 30;
  for (std::size_t i = 0; i < 5; ++i) data.restitution[i] = 0;
  data.joints.rows[7].compliance = -1;
  data.joints.rows[9].compliance = -1;
  std::vector<Status> status(n), joint_status(data.row_count());
  SceneResults<double> results;
  results.status = status;
  results.joint_status = joint_status;
  on_isas_and_threads([&](const Execution& execution, const std::string& what) {
    const SceneReport report =
        SceneSolver(execution).solve(select(data.view(), Substeps{}), results, {.time_step = 0.01});
    expect_counts_of(report, status, status_room, what);
    EXPECT_EQ(report.count_joints(Status::negative_compliance), 2u);
    EXPECT_EQ(report.first_joint(Status::negative_compliance), 7u);
    EXPECT_EQ(report.first_joint(Status::ok), 0u);
    EXPECT_FALSE(report.ok());
    EXPECT_EQ(report.faults(), n - report.count(Status::ok) - report.count(Status::separating) + 2);
  });
}

TEST(Reports, print_counts_and_the_first_contact_of_each_fault) {
  support::RandomSpaceContacts<double> space(3, 8);
  for (double& x : space.separation_velocity[2]) x = -1;
  space.friction[2] = -1;
  const auto view = space.space_contacts();
  Solver solver;
  EXPECT_EQ(text_of(solver.solve(view, Results<double>{})), "3 contacts: 2 ok, 1 negative_friction (first: contact 2)");
  EXPECT_EQ(text_of(solver.differentiate(view, Gradients<double>{})), "3 contacts: 2 exact, 1 none (first: contact 2)");
  const std::string margins = text_of(solver.find_margins(view, view.separation_velocity, RegionMargins<double>{}));
  EXPECT_EQ(margins.find("3 contacts: 2 ok, 1 negative_friction (first: contact 2); 2 outside"), 0u) << margins;
  EXPECT_EQ(text_of(Report{}), "0 contacts");
  EXPECT_TRUE(Report{}.ok());
}

TEST(SceneReports, print_what_their_method_bounds) {
  const auto stack = scenes::stack<double>(2);
  const auto report_of = [&](const SceneOptions& options) {
    return SceneSolver().solve(select(stack.view(), options.method), SceneResults<double>{}, options);
  };
  const auto after_counts = [](const SceneReport& report) {
    const std::string text = text_of(report);
    return text.substr(text.find("; "));
  };
  SceneReport ncp = report_of({.time_step = 0.01, .method = Ncp{}});
  EXPECT_EQ(text_of(ncp).find("8 contacts: 8 ok; 1 island, relative error "), 0u) << text_of(ncp);
  EXPECT_TRUE(ncp.ok());
  ncp.relative_error = 3.2e-10;
  ncp.iterations = 12;
  ncp.not_converged = 1;
  EXPECT_EQ(after_counts(ncp), "; 1 island, relative error 3e-10, 12 iterations, 1 not converged");
  EXPECT_FALSE(ncp.ok());
  SceneReport pgs = report_of({.time_step = 0.01, .method = Pgs{.iterations = 1}});
  pgs.residual = 0.0123;
  pgs.not_converged = 1;
  EXPECT_EQ(after_counts(pgs), "; 1 island, residual 0.01 m/s, 1 iteration, 1 not converged");
  EXPECT_TRUE(pgs.ok()) << "a fixed number of iterations";
  SceneReport substeps = report_of({.time_step = 0.01});
  substeps.residual = 0;
  substeps.substeps = 4;
  substeps.not_converged = 0;
  EXPECT_EQ(after_counts(substeps), "; 1 island, residual 0 m/s, 4 substeps");
  substeps.method = SceneMethod::sequential_impacts;
  substeps.impacts = 7;
  substeps.joint_rows = 2;
  substeps.joints_by_status.add(Status::ok, 0);
  substeps.joints_by_status.add(Status::negative_compliance, 1);
  EXPECT_EQ(after_counts(substeps),
            "; 2 joint rows: 1 ok, 1 negative_compliance (first: joint row 1); 1 island, residual 0 m/s, 7 impacts");
}

TEST(SystemReports, print_states_and_islands) {
  SystemReport report;
  report.contacts = 8;
  report.by_state.add(ContactState::open, 0, 3);
  report.by_state.add(ContactState::stick, 3, 5);
  report.islands = 1;
  report.error = 3.1e-10;
  report.pgs_iterations = 7;
  report.newton_iterations = 5;
  EXPECT_EQ(text_of(report), "8 contacts: 3 open, 5 stick; 1 island, error 3e-10, 12 iterations");
  EXPECT_TRUE(report.ok());
  report.unsolved = 1;
  EXPECT_EQ(text_of(report), "8 contacts: 3 open, 5 stick; 1 island, error 3e-10, 12 iterations, 1 not solved");
  EXPECT_FALSE(report.ok());
}

}  // namespace
}  // namespace carom
