// An Error names the wrong column, row or option. Building and copying it does not allocate. try_solve returns it.
#include <gtest/gtest.h>

#include <carom/carom.hpp>
#include <carom/mechanism.hpp>
#include <cstddef>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "support/contacts/random_contacts.hpp"
#include "support/running/counted_allocations.hpp"
#include "support/running/errors.hpp"
#include "support/scenes/generators.hpp"
#include "system/system_data.hpp"

namespace carom {
namespace {

using support::error_of;

static_assert(std::is_base_of_v<std::exception, Error> && !std::is_base_of_v<std::runtime_error, Error>);
static_assert(std::is_nothrow_copy_constructible_v<Error> && std::is_nothrow_copy_assignable_v<Error>);
static_assert(noexcept(std::declval<Solver&>().try_solve(std::declval<Contacts<float>&>(),
                                                         std::declval<Results<float>&>())));
static_assert(noexcept(std::declval<SceneSolver&>().try_solve(std::declval<Scene<float>&>(),
                                                              std::declval<SceneResults<float>&>())));
static_assert(noexcept(std::declval<SystemSolver&>().try_solve(std::declval<ContactSystem<float>&>(),
                                                               std::declval<SystemResults<float>&>())));

TEST(Errors, are_built_and_copied_without_allocation) {
  const std::string long_text(2000, 'x');
  const auto made = support::allocations_during([&] {
    const Error error(long_text, {ErrorKind::busy, long_text, 3, long_text});
    Error copy = error;
    copy = Error("short");
    EXPECT_STREQ(copy.what(), "short");
    const Expected<Report> expected(error);
    const Expected<Report> copied = expected;
    EXPECT_EQ(copied.error().row(), 3u);
  });
  EXPECT_EQ(made.by_new, 0u);
  EXPECT_EQ(made.by_malloc, 0u);
}

TEST(Errors, cut_long_texts) {
  const std::string fits(Error::max_text, 'x'), name(Error::max_name, 'y');
  EXPECT_EQ(Error(fits).what(), fits);
  EXPECT_EQ(Error(fits + 'x').what(), fits.substr(3) + "...");
  EXPECT_EQ(Error("", {.column = name}).column(), name);
  EXPECT_EQ(Error("", {.option = name + 'y'}).option(), name.substr(3) + "...");
  // Characters of UTF-8 stay whole.
  const std::string euros = "\u20ac";
  std::string many;
  while (many.size() <= Error::max_text) many += euros;
  const std::string_view cut = Error(many).what();
  ASSERT_TRUE(cut.ends_with("..."));
  EXPECT_EQ((cut.size() - 3) % euros.size(), 0u);
  EXPECT_GT(cut.size(), Error::max_text - euros.size());
}

TEST(Errors, have_names_of_their_kinds) {
  EXPECT_EQ(to_string(ErrorKind::argument), "argument");
  EXPECT_EQ(to_string(ErrorKind::busy), "busy");
  EXPECT_EQ(to_string(ErrorKind::not_available), "not_available");
  EXPECT_EQ(to_string(ErrorKind::out_of_memory), "out_of_memory");
  EXPECT_EQ(to_string(ErrorKind::scheduler), "scheduler");
  EXPECT_EQ(to_string(ErrorKind::moved_from), "moved_from");
  EXPECT_EQ(to_string(ErrorKind{0}), "unknown");
}

struct Place {
  ErrorKind kind;
  std::string column, option;
  std::optional<std::size_t> row;
  bool operator==(const Place&) const = default;
};
template <class Call>
Place place_of(Call&& call) {
  const auto error = error_of(call);
  if (!error) return {ErrorKind{0}, "no error", "", {}};
  return {error->kind(), std::string(error->column()), std::string(error->option()), error->row()};
}
Place of_column(const std::string& name, std::optional<std::size_t> row = {}) {
  return {ErrorKind::argument, name, "", row};
}
Place of_option(const std::string& name) {
  return {ErrorKind::argument, "", name, {}};
}

TEST(Errors, of_contacts_name_column_and_option) {
  const support::RandomContacts<double> data(5, 1);
  Contacts<double> contacts = data.inline_contacts();
  const auto solve = [&](const Options& options = {}) {
    return place_of([&] { Solver().solve(contacts, Results<double>{}, options); });
  };
  EXPECT_EQ(solve({.steps = 0}), of_option("steps"));
  EXPECT_EQ(solve({.law = static_cast<Law>(99)}), of_option("law"));
  contacts.a.velocity.x.count = 4;
  EXPECT_EQ(solve(), of_column("a.velocity.x"));
  contacts.a.velocity.x = {};
  EXPECT_EQ(solve(), of_column("a.velocity.x"));
  EXPECT_EQ(place_of([] { Solver({.threads = -1}); }), of_option("threads"));
  EXPECT_EQ(place_of([] { Solver({.scheduler = {.workers = 2}}); }), of_option("scheduler.workers"));
  EXPECT_EQ(place_of([] { isa_from_string("mmx"); }), of_column(""));
}

TEST(Errors, of_scenes_name_column_and_option) {
  const auto data = scenes::stack<double>(2);
  Scene<double> scene = select(data.view(), Substeps{});
  const auto solve = [&](const SceneOptions& options) {
    return place_of([&] { SceneSolver().solve(scene, SceneResults<double>{}, options); });
  };
  EXPECT_EQ(solve({}), of_option("time_step"));
  EXPECT_EQ(solve({.time_step = 0.01, .method = Pgs{.relaxation = 3}}), of_option("pgs.relaxation"));
  EXPECT_EQ(solve({.time_step = 0.01, .method = Substeps{.position_correction = {.rate = 2}}}),
            of_option("substeps.position_correction.rate"));
  const std::vector<double> none(data.contact_count(), 0);
  scene.contacts.damping = none;
  EXPECT_EQ(solve({.time_step = 0.01}), of_column("contacts.stiffness"));
  scene.contacts.damping = {};
  scene.contacts.normal.y.count = 1;
  EXPECT_EQ(solve({.time_step = 0.01}), of_column("contacts.normal.y"));
}

TEST(Errors, of_systems_name_column_row_and_option) {
  auto data = test::random_system(3, 4, 1, 0.5);
  const auto solve = [&](const SystemOptions& options = {}) {
    return place_of([&] { SystemSolver().solve(data.view(), SystemResults<double>{}, options); });
  };
  EXPECT_EQ(solve({.tolerance = 2}), of_option("tolerance"));
  data.friction[2] = -1;
  EXPECT_EQ(solve(), of_column("system.friction", 2));
}

TEST(Errors, of_mechanisms_name_the_row) {
  auto data = scenes::chain<double>(3);
  EXPECT_EQ(place_of([&] { Mechanisms<double>(data.view()).contact(7); }), of_column("", 7));
  data.joints.rows[4].body_a = 77;
  EXPECT_EQ(place_of([&] { Mechanisms<double> mechanisms(data.view()); }), of_column("", 4));
}

TEST(Expectation, is_the_report_or_the_error_of_the_call) {
  const support::RandomContacts<float> contacts(5, 1);
  Solver solver;
  const Expected<Report> report = solver.try_solve(contacts.inline_contacts(), Results<float>{});
  ASSERT_TRUE(report);
  EXPECT_EQ(report->contacts, 5u);
  EXPECT_EQ(&*report, &report.value());
  const Expected<Report> error = solver.try_solve(contacts.inline_contacts(), Results<float>{}, {.steps = 0});
  ASSERT_FALSE(error.has_value());
  EXPECT_EQ(error.error().option(), "steps");

  const auto stack = scenes::stack<float>(1);
  const Scene<float> scene = select(stack.view(), Substeps{});
  EXPECT_EQ(SceneSolver().try_solve(scene, SceneResults<float>{}).error().option(), "time_step");
  EXPECT_EQ(SceneSolver().try_solve(scene, SceneResults<float>{}, {.time_step = 0.01})->bodies, 1u);
  const auto system = test::random_system(3, 4, 1, 0.5);
  EXPECT_EQ(SystemSolver().try_solve(system.view(), SystemResults<double>{}, {.budget = 0}).error().option(), "budget");
  EXPECT_EQ(SystemSolver().try_solve(system.view(), SystemResults<double>{})->contacts, 4u);
}

TEST(ExpectationDeathTest, ends_the_program_where_it_is_not_what_it_is_taken_for) {
  const Expected<Report> report = Report{}, error = Error("no");
  EXPECT_DEATH(error.value(), "");
  EXPECT_DEATH(static_cast<void>(*error), "");
  EXPECT_DEATH(report.error(), "");
}

/// Exceptions of a scheduler.
enum class Thrown { standard, no_memory, other };

TEST(Expectation, is_an_error_where_the_scheduler_throws) {
  constexpr std::size_t count = 5000;
  const support::RandomContacts<double> contacts(count, 2);
  std::vector<double> expected(count), found(count);
  Results<double> results;
  results.impulse.x = expected;
  Solver({.threads = 1}).solve(contacts.inline_contacts(), results);
  for (Thrown thrown : {Thrown::standard, Thrown::no_memory, Thrown::other}) {
    const Scheduler scheduler{.parallel_for =
                                  [](void* context, std::size_t, void (*)(void*, std::size_t), void*) {
                                    switch (*static_cast<const Thrown*>(context)) {
                                      case Thrown::standard:
                                        throw std::runtime_error("the engine is out of jobs");
                                      case Thrown::no_memory:
                                        throw std::bad_alloc();
                                      case Thrown::other:
                                        throw 3;
                                    }
                                  },
                              .context = &thrown,
                              .workers = 2};
    Solver solver({.scheduler = scheduler});
    found.assign(count, -1);
    results.impulse.x = found;
    const Expected<Report> report = solver.try_solve(contacts.inline_contacts(), results);
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().kind(), ErrorKind::scheduler);
    EXPECT_EQ(std::string(report.error().what()).find("out of jobs") != std::string::npos, thrown == Thrown::standard);
    EXPECT_EQ(found, expected) << "all results are written";
    if (thrown == Thrown::no_memory) {
      EXPECT_EQ(error_of([&] { solver.solve(contacts.inline_contacts(), results); })->kind(), ErrorKind::scheduler);
    }
  }
}

}  // namespace
}  // namespace carom
