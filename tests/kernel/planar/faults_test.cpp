// The planar lanes with contacts that they cannot resolve, with the caller's own layouts, and in place.
#include "support/planar/faults.hpp"

#include <gtest/gtest.h>

#include <carom/carom.hpp>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "support/running/configured_solver.hpp"

namespace carom {
namespace {

using support::PlanarFaultBatch;
using support::PlanarResultArrays;
using support::RandomPlanarBodies;
using support::RandomPlanarSpace;

template <class T>
class PlanarFaults : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(PlanarFaults, Precisions);

// More than a vector of any ISA, and no multiple of one.
constexpr std::size_t count = 37;

SolverSetup on(Isa isa, Law law = Law::incremental) {
  SolverSetup options;
  options.execution.isa = isa;
  options.law = law;
  options.execution.threads = 1;
  return options;
}

template <class T>
void expect_same_but_for(std::size_t bad, const PlanarResultArrays<T>& a, const PlanarResultArrays<T>& b) {
  for (std::size_t i = 0; i < count; ++i) {
    if (i == bad) continue;
    for (std::size_t j = 0; j < a.numbers.size(); ++j)
      ASSERT_EQ(std::memcmp(&a.numbers[j][i], &b.numbers[j][i], sizeof(T)), 0) << i << ' ' << j;
    ASSERT_EQ(a.status[i], b.status[i]);
    ASSERT_EQ(a.path[i], b.path[i]);
  }
}

TYPED_TEST(PlanarFaults, are_named_wherever_they_stand_and_touch_nothing) {
  using T = TypeParam;
  using R = PlanarResultArrays<T>;
  for (const Isa isa : available_isas()) {
    ConfiguredSolver solver(on(isa));
    for (const auto& faults : {support::planar_law_faults<T>(), support::planar_body_faults<T>()}) {
      for (const auto& fault : faults) {
        SCOPED_TRACE(std::string(to_string(fault.status)) + " of " + std::string(to_string(fault.law)) + " on " +
                     std::string(to_string(isa)));
        const PlanarFaultBatch<T> good(count, fault.law);
        R expected(count);
        ASSERT_EQ(solver.solve(good.inline_contacts(), expected.results()).count(Status::ok), count);
        for (const std::size_t bad : {std::size_t{0}, std::size_t{5}, count - 1}) {
          PlanarFaultBatch<T> batch(count, fault.law);
          fault.spoil(batch, bad);
          for (const bool indexed : {false, true}) {
            R out(count);
            for (auto& column : out.numbers) column.assign(count, 7);
            const Report report = indexed ? solver.solve(batch.indexed_contacts(), out.results())
                                          : solver.solve(batch.inline_contacts(), out.results());
            EXPECT_EQ(out.status[bad], fault.status) << to_string(out.status[bad]);
            EXPECT_EQ(report.count(fault.status), 1u);
            EXPECT_EQ(report.count(Path{}), 1u);
            EXPECT_EQ(out.path[bad], Path{});
            EXPECT_EQ(out.numbers[R::p_x][bad], T(0));
            EXPECT_EQ(out.numbers[R::p_y][bad], T(0));
            EXPECT_EQ(out.numbers[R::va_x][bad], batch.bodies.a.velocity_x[bad]);
            EXPECT_EQ(out.numbers[R::vb_y][bad], batch.bodies.b.velocity_y[bad]);
            EXPECT_EQ(out.numbers[R::compression][bad], T(0));
            expect_same_but_for(bad, out, expected);
          }
        }
      }
    }
  }
}

TYPED_TEST(PlanarFaults, of_indices_and_of_matrices_are_named) {
  using T = TypeParam;
  using R = PlanarResultArrays<T>;
  for (const Isa isa : available_isas()) {
    ConfiguredSolver solver(on(isa));
    const auto status_of = [&](std::int32_t a, std::int32_t b) {
      PlanarFaultBatch<T> batch(count, Law::incremental);
      batch.bodies.body_a[3] = a;
      batch.bodies.body_b[3] = b;
      R out(count);
      solver.solve(batch.indexed_contacts(), out.results());
      EXPECT_EQ(out.status[2], Status::ok);
      EXPECT_EQ(out.numbers[R::p_y][3], T(0));
      return out.status[3];
    };
    EXPECT_EQ(status_of(2 * count, 0), Status::body_index_out_of_range);
    EXPECT_EQ(status_of(0, -2), Status::body_index_out_of_range);
    EXPECT_EQ(status_of(4, 4), Status::same_body);
    EXPECT_EQ(status_of(-1, -1), Status::both_immovable);

    constexpr T infinity = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
    const auto matrix_status = [&](T xx, T xy, T yy, T ux, T uy) {
      RandomPlanarSpace<T> drawn(count, 3);
      drawn.k_xx[3] = xx;
      drawn.k_xy[3] = xy;
      drawn.k_yy[3] = yy;
      drawn.u0_x[3] = ux;
      drawn.u0_y[3] = uy;
      R out(count, false);
      solver.solve(drawn.view(), out.results());
      EXPECT_EQ(out.status[2], Status::ok);
      return out.status[3];
    };
    constexpr T large = std::numeric_limits<T>::max();
    EXPECT_EQ(matrix_status(1, 1, 1, 0, -1), Status::collision_matrix_not_positive_definite);
    EXPECT_EQ(matrix_status(-1, 0, 1, 0, -1), Status::collision_matrix_not_positive_definite);
    EXPECT_EQ(matrix_status(1, 0, -1, 0, -1), Status::collision_matrix_not_positive_definite);
    EXPECT_EQ(matrix_status(0, 0, 0, 0, -1), Status::collision_matrix_not_positive_definite);
    EXPECT_EQ(matrix_status(large, 0, large, 0, -1), Status::overflow);
    EXPECT_EQ(matrix_status(1, 0, 1, 0, 1), Status::separating);
    EXPECT_EQ(matrix_status(1, 0, 1, 0, 0), Status::separating);
    EXPECT_EQ(matrix_status(infinity, 0, 1, nan, -1), Status::not_a_number);
    EXPECT_EQ(matrix_status(infinity, 0, 1, 0, -1), Status::infinite);
    EXPECT_EQ(matrix_status(1, T(0.5), 1, -large / 4, -large / 2), Status::ok);
  }
}

// u of a faulty contact is known if its data are; a NaN in the caller's velocities is returned unchanged.
TYPED_TEST(PlanarFaults, leave_unknown_velocities_unknown) {
  using T = TypeParam;
  using R = PlanarResultArrays<T>;
  PlanarFaultBatch<T> batch(count, Law::incremental);
  batch.bodies.r_a_x[1] = std::numeric_limits<T>::quiet_NaN();
  batch.bodies.laws.friction[2] = -1;
  for (const Isa isa : available_isas()) {
    R out(count);
    ConfiguredSolver(on(isa)).solve(batch.inline_contacts(), out.results());
    EXPECT_TRUE(std::isnan(out.numbers[R::u_y][1]));
    // v_a - w_a r_ay - v_b + w_b r_by
    EXPECT_EQ(out.numbers[R::u_x][2], T(1 + 0.5 * 0.25 + 0.5 * 0.25));
    EXPECT_EQ(out.numbers[R::u_y][2], T(-1 + 0.5 * 0.25 - 1 + 0.5 * 0.25));
  }
}

// The caller's structs, with results that replace the velocities.
TYPED_TEST(PlanarFaults, structs_of_the_host_give_the_same_bits_in_place) {
  using T = TypeParam;
  using R = PlanarResultArrays<T>;
  struct Host {
    T velocity[2], spin;
    char name[5];
    Status status;
  };
  const RandomPlanarBodies<T> drawn(count, 7);
  for (const Isa isa : available_isas()) {
    R expected(count);
    ConfiguredSolver solver(on(isa));
    solver.solve(drawn.inline_contacts(), expected.results());
    std::vector<Host> hosts(count);
    for (std::size_t i = 0; i < count; ++i)
      hosts[i] = {
          {drawn.a.velocity_x[i], drawn.a.velocity_y[i]}, drawn.a.angular_velocity[i], "host", Status::overflow};
    constexpr auto stride = static_cast<std::ptrdiff_t>(sizeof(Host));
    planar::Contacts<T> contacts = drawn.inline_contacts();
    contacts.a.velocity = {hosts[0].velocity, count, stride};
    contacts.a.angular_velocity = {&hosts[0].spin, count, stride};
    planar::Results<T> results;
    results.velocity_a = {hosts[0].velocity, count, stride};
    results.angular_velocity_a = {&hosts[0].spin, count, stride};
    results.status = {&hosts[0].status, count, stride};
    solver.solve(contacts, results);
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_EQ(hosts[i].velocity[0], expected.numbers[R::va_x][i]) << i;
      EXPECT_EQ(hosts[i].velocity[1], expected.numbers[R::va_y][i]) << i;
      EXPECT_EQ(hosts[i].spin, expected.numbers[R::wa][i]) << i;
      EXPECT_EQ(hosts[i].status, Status::ok) << i;
      EXPECT_STREQ(hosts[i].name, "host");
    }
  }
}

TYPED_TEST(PlanarFaults, misuse_is_an_error_with_the_column_s_name) {
  using T = TypeParam;
  PlanarFaultBatch<T> batch(count, Law::incremental);
  PlanarResultArrays<T> out(count);
  auto contacts = batch.inline_contacts();
  contacts.laws.candidate.y.count = count - 1;
  try {
    Solver().solve(contacts, out.results());
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("candidate.y"), std::string::npos) << error.what();
  }
  // Empty columns without data.
  EXPECT_EQ(Solver().solve(planar::KContacts<T>{}, planar::Results<T>{}).contacts, 0u);
}

}  // namespace
}  // namespace carom
