// Files of FCLIB: the forms of matrices, the order of axes, and files that are not sound.
#include "io/fclib/fclib.hpp"

#include <gtest/gtest.h>
#include <hdf5.h>

#include <functional>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "io/files/table_file.hpp"
#include "io/hdf5/hdf5_file.hpp"
#include "support/files/temporary_file.hpp"

namespace carom::test {
namespace {

/// The contents of a file.
struct Contents {
  std::map<std::string, std::vector<int>> integers;
  std::map<std::string, std::vector<double>> numbers;

  std::string write() const {
    const TemporaryFile place({}, ".hdf5");
    const hid_t file = H5Fcreate(place.name().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    const auto put = [&](const std::string& path, hid_t type, std::size_t size, const void* values) {
      const hsize_t count = size;
      const hid_t space = H5Screate_simple(1, &count, nullptr);
      const hid_t set = H5Dcreate2(file, path.c_str(), type, space, links, H5P_DEFAULT, H5P_DEFAULT);
      H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
      H5Dclose(set);
      H5Sclose(space);
    };
    for (const auto& [path, values] : integers) put(path, H5T_NATIVE_INT, values.size(), values.data());
    for (const auto& [path, values] : numbers) put(path, H5T_NATIVE_DOUBLE, values.size(), values.data());
    H5Pclose(links);
    H5Fclose(file);
    return place.text();
  }
  io::FclibProblem read() const { return io::read_fclib(TemporaryFile(write(), ".hdf5").name()); }
};

/// One contact, W = (1 2 3; 4 5 6; 7 8 9) in FCLIB's order n, t1, t2.
struct Problem : Contents {
  Problem() {
    integers = {{"/fclib_local/spacedim", {3}},     {"/fclib_local/W/m", {3}},
                {"/fclib_local/W/n", {3}},          {"/fclib_local/W/nz", {-2}},
                {"/fclib_local/W/p", {0, 3, 6, 9}}, {"/fclib_local/W/i", {0, 1, 2, 0, 1, 2, 0, 1, 2}}};
    numbers = {{"/fclib_local/W/x", {1, 2, 3, 4, 5, 6, 7, 8, 9}},
               {"/fclib_local/vectors/q", {10, 11, 12}},
               {"/fclib_local/vectors/mu", {0.5}}};
  }
};

const SystemBlock<double> turned = {5, 6, 4, 8, 9, 7, 2, 3, 1};

TEST(Fclib, axes_are_turned_from_n_t_t_to_t_t_n) {
  const io::FclibProblem problem = Problem{}.read();
  ASSERT_EQ(problem.contacts(), 1u);
  EXPECT_EQ(problem.block.at(0), turned);
  EXPECT_EQ(problem.velocity, (std::vector<double>{11, 12, 10}));
  EXPECT_EQ(problem.row_start, (std::vector<std::int64_t>{0, 1}));
}

TEST(Fclib, compressed_columns_and_triplets_are_read_as_rows_are) {
  Problem columns;
  columns.integers["/fclib_local/W/nz"] = {-1};
  columns.numbers["/fclib_local/W/x"] = {1, 4, 7, 2, 5, 8, 3, 6, 9};
  EXPECT_EQ(columns.read().block.at(0), turned);
  // Triplets in any order. Triplets of one position are added; zeros may be omitted.
  Problem triplets;
  triplets.integers["/fclib_local/W/nz"] = {10};
  triplets.integers["/fclib_local/W/p"] = {2, 1, 0, 2, 1, 0, 2, 1, 0, 0};
  triplets.integers["/fclib_local/W/i"] = {2, 2, 2, 1, 1, 1, 0, 0, 0, 0};
  triplets.numbers["/fclib_local/W/x"] = {9, 8, 7, 6, 5, 4, 3, 2, 0.25, 0.75};
  EXPECT_EQ(triplets.read().block.at(0), turned);
}

TEST(Fclib, a_solution_is_written_in_the_order_of_the_file_and_replaced) {
  const io::FclibProblem problem = Problem{}.read();
  const std::string once = io::with_solution(problem, {1, 2, 3}, {4, 5, 6}, {});
  const TemporaryFile file(once, ".hdf5");
  const std::string twice = io::with_solution(io::read_fclib(file.name()), {-1, -2, -3}, {-4, -5, -6}, {});
  const io::Hdf5File solved("twice", twice);
  EXPECT_EQ(solved.numbers("/solution/r"), (std::vector<double>{-3, -1, -2}));
  EXPECT_EQ(solved.numbers("/solution/u"), (std::vector<double>{-6, -4, -5}));
  EXPECT_EQ(solved.numbers("/fclib_local/vectors/q"), (std::vector<double>{10, 11, 12}));
}

template <class P>
struct Unsound {
  std::function<void(P&)> change;
  std::string named;
};

template <class P>
void expect_errors(const std::vector<Unsound<P>>& cases) {
  for (const auto& [change, named] : cases) {
    P problem;
    change(problem);
    try {
      problem.read();
      ADD_FAILURE() << named;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(named), std::string::npos) << error.what() << ", not " << named;
    }
  }
}

TEST(Fclib, files_that_are_not_sound_are_errors_that_name_the_place) {
  expect_errors<Problem>({
      {[](Problem& p) { p.numbers.erase("/fclib_local/vectors/q"); }, "has no /fclib_local/vectors/q"},
      {[](Problem& p) { p.integers.erase("/fclib_local/W/nz"); }, "has no /fclib_local/W/nz"},
      {[](Problem& p) { p.integers["/fclib_local/spacedim"] = {2}; }, "2 dimensions"},
      {[](Problem& p) { p.integers["/fclib_local/W/nz"] = {-3}; }, "unknown form of matrix, -3"},
      {[](Problem& p) { p.integers["/fclib_local/W/nz"] = {10}; }, "fewer than the 10 triplets"},
      {[](Problem& p) { p.integers["/fclib_local/W/m"] = {4}; }, "numbers in /fclib_local/W/p, not 5"},
      {[](Problem& p) { p.integers["/fclib_local/W/n"] = {2}; }, "an entry (0, 2) in /fclib_local/W"},
      {[](Problem& p) { p.integers["/fclib_local/W/n"] = {6}; }, "a matrix W of 3 x 6"},
      {[](Problem& p) {
         p.integers["/fclib_local/W/p"] = {0, 6, 3, 9};
       },
       "has 3 in place 2 of /fclib_local/W/p, after 6"},
      {[](Problem& p) {
         p.integers["/fclib_local/W/p"] = {0, 3, 6, 90};
       },
       "has 90 in place 3 of /fclib_local/W/p, after 6 and for 9 entries"},
      {[](Problem& p) {
         p.integers["/fclib_local/W/p"] = {1, 3, 6, 9};
       },
       "has 1 as the first number of /fclib_local/W/p, not 0"},
      {[](Problem& p) {
         p.integers["/fclib_local/W/p"] = {0, 3, 6, 8};
       },
       "an entry in place 8 of /fclib_local/W/x, beyond the 8 that /fclib_local/W/p tells"},
      {[](Problem& p) { p.integers["/fclib_local/W/i"].pop_back(); },
       "8 numbers in /fclib_local/W/i and 9 in /fclib_local/W/x"},
      {[](Problem& p) { p.integers["/fclib_local/W/nz"] = {2}; },
       "an entry in place 2 of /fclib_local/W/x, beyond the 2 that /fclib_local/W/nz tells"},
      {[](Problem& p) {
         p.integers["/fclib_local/W/p"] = {-1, 3, 6, 9};
       },
       "has -1 as the first number of /fclib_local/W/p"},
      {[](Problem& p) { p.integers["/fclib_local/W/i"][4] = -7; }, "an entry (1, -7) in /fclib_local/W"},
      {[](Problem& p) {
         p.integers["/fclib_local/W/m"] = {3, 3};
       },
       "not one number in /fclib_local/W/m"},
      {[](Problem& p) {
         p.numbers["/fclib_local/vectors/mu"] = {0.5, 0.5};
       },
       "2 of mu for 1 contacts"},
      {[](Problem& p) { p.integers["/fclib_local/R/m"] = {1}; }, "bilateral constraints"},
      {[](Problem& p) {
         p.numbers.erase("/fclib_local/W/m");
         p.integers.erase("/fclib_local/W/m");
         p.numbers["/fclib_local/W/m"] = {3};
       },
       "something else than integers in /fclib_local/W/m"},
      {[](Problem& p) {
         p.integers = {{"/other", {1}}};
         p.numbers.clear();
       },
       "holds no problem of FCLIB"},
      {[](Problem& p) { p.integers["/fclib_global_rolling/spacedim"] = {3}; }, "rolling friction"},
  });
}

TEST(Fclib, files_are_told_by_their_first_bytes) {
  EXPECT_TRUE(io::is_hdf5(TemporaryFile("\x89HDF\r\n\x1a\n and more").name()));
  EXPECT_FALSE(io::is_hdf5(TemporaryFile("\x89HDF").name()));
  EXPECT_FALSE(io::is_hdf5(TemporaryFile("friction,restitution\n").name()));
  EXPECT_FALSE(io::is_hdf5("absent.hdf5"));
  EXPECT_FALSE(io::is_hdf5("/"));
}

/// M of 4 x 4 by triplets, which couples its first two rows. Contact 0 is on rows 0 to 2, contact 1 on row 2, contact 2
/// on row 3. Contacts 1 and 2 have nonzero rows only along the normal.
struct GlobalProblem : Contents {
  GlobalProblem() {
    integers = {{"/fclib_global/spacedim", {3}},
                {"/fclib_global/M/m", {4}},
                {"/fclib_global/M/n", {4}},
                {"/fclib_global/M/nz", {6}},
                {"/fclib_global/M/i", {0, 0, 1, 1, 2, 3}},
                {"/fclib_global/M/p", {0, 1, 0, 1, 2, 3}},
                {"/fclib_global/H/m", {4}},
                {"/fclib_global/H/n", {9}},
                {"/fclib_global/H/nz", {5}},
                {"/fclib_global/H/i", {0, 1, 2, 2, 3}},
                {"/fclib_global/H/p", {0, 1, 2, 3, 6}}};
    numbers = {{"/fclib_global/M/x", {2, 1, 1, 2, 4, 5}},
               {"/fclib_global/H/x", {1, 1, 1, 2, 10}},
               {"/fclib_global/vectors/f", {3, 0, 8, 10}},
               {"/fclib_global/vectors/w", {10, 20, 30, 1, 0, 0, 0, 7, 0}},
               {"/fclib_global/vectors/mu", {0.5, 0.25, 0}}};
  }
};

void expect_near(const std::vector<double>& numbers, const std::vector<double>& expected, double bound) {
  ASSERT_EQ(numbers.size(), expected.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) EXPECT_NEAR(numbers[i], expected[i], bound) << i;
}

std::vector<double> numbers_of(const std::vector<SystemBlock<double>>& blocks) {
  std::vector<double> numbers;
  for (const SystemBlock<double>& block : blocks) numbers.insert(numbers.end(), block.begin(), block.end());
  return numbers;
}

// M's condition is 3, so numbers near 1 have a few rounding errors.
constexpr double roundings = 20 * 0x1p-53;

TEST(FclibGlobal, is_condensed_to_the_contacts_with_the_normal_last) {
  const io::FclibProblem problem = GlobalProblem{}.read();
  // M⁻¹ = (2/3 -1/3; -1/3 2/3), 1/4, 1/5; W = Hᵀ M⁻¹ H.
  EXPECT_EQ(problem.row_start, (std::vector<std::int64_t>{0, 2, 4, 5}));
  EXPECT_EQ(problem.column, (std::vector<std::int32_t>{0, 1, 0, 1, 2}));
  expect_near(numbers_of(problem.block), {2. / 3, 0, -1. / 3, 0, 0.25, 0,   -1. / 3, 0,   2. / 3,  //
                                          0,      0, 0,       0, 0,    0.5, 0,       0,   0,       //
                                          0,      0, 0,       0, 0,    0,   0,       0.5, 0,       //
                                          0,      0, 0,       0, 0,    0,   0,       0,   1,       //
                                          0,      0, 0,       0, 0,    0,   0,       0,   20},
              20 * roundings);
  // M⁻¹ f = (2, -1, 2, 2); q = Hᵀ M⁻¹ f + w.
  expect_near(problem.velocity, {19, 32, 12, 0, 0, 5, 7, 0, 20}, 32 * roundings);
  EXPECT_EQ(problem.friction, (std::vector<double>{0.5, 0.25, 0}));
}

TEST(FclibGlobal, compressed_rows_and_columns_are_read_as_triplets_are) {
  const io::FclibProblem triplets = GlobalProblem{}.read();
  GlobalProblem rows, columns;
  rows.integers["/fclib_global/M/nz"] = rows.integers["/fclib_global/H/nz"] = {-2};
  rows.integers["/fclib_global/M/i"] = {0, 1, 0, 1, 2, 3};
  rows.integers["/fclib_global/M/p"] = {0, 2, 4, 5, 6};
  rows.integers["/fclib_global/H/i"] = {0, 1, 2, 3, 6};
  rows.integers["/fclib_global/H/p"] = {0, 1, 2, 4, 5};
  columns.integers["/fclib_global/M/nz"] = columns.integers["/fclib_global/H/nz"] = {-1};
  columns.integers["/fclib_global/M/i"] = {0, 1, 0, 1, 2, 3};
  columns.integers["/fclib_global/M/p"] = {0, 2, 4, 5, 6};
  columns.integers["/fclib_global/H/i"] = {0, 1, 2, 2, 3};
  columns.integers["/fclib_global/H/p"] = {0, 1, 2, 3, 4, 4, 4, 5, 5, 5};
  for (const GlobalProblem& other : {rows, columns}) {
    const io::FclibProblem read = other.read();
    EXPECT_EQ(read.block, triplets.block);
    EXPECT_EQ(read.velocity, triplets.velocity);
  }
}

TEST(FclibGlobal, one_side_of_the_diagonal_is_half_of_a_symmetric_mass) {
  const io::FclibProblem whole = GlobalProblem{}.read();
  EXPECT_FALSE(whole.global->global().mass_was_half);
  for (const std::size_t erased : {1u, 2u}) {
    GlobalProblem half;
    half.integers["/fclib_global/M/nz"] = {5};
    for (const char* name : {"i", "p"}) {
      std::vector<int>& numbers = half.integers[std::string("/fclib_global/M/") + name];
      numbers.erase(numbers.begin() + static_cast<std::ptrdiff_t>(erased));
    }
    std::vector<double>& values = half.numbers["/fclib_global/M/x"];
    values.erase(values.begin() + static_cast<std::ptrdiff_t>(erased));
    const io::FclibProblem read = half.read();
    EXPECT_TRUE(read.global->global().mass_was_half);
    EXPECT_EQ(read.block, whole.block);
  }
}

TEST(FclibGlobal, a_solution_has_the_velocities_of_its_impulses) {
  const io::FclibProblem problem = GlobalProblem{}.read();
  // M v = H r + f with normal impulses r = 1 of contact 0 and 3 of contact 2.
  const std::vector<double> r = {0, 0, 1, 0, 0, 0, 0, 0, 3};
  const std::string bytes = io::with_solution(problem, r, std::vector<double>(9, 0), problem.global->velocities_of(r));
  const io::Hdf5File solved("solved", bytes);
  expect_near(solved.numbers("/solution/v"), {2 + 2. / 3, -1 - 1. / 3, 2, 8}, 8 * roundings);
  EXPECT_EQ(solved.numbers("/solution/r"), (std::vector<double>{1, 0, 0, 0, 0, 0, 3, 0, 0}));
}

TEST(FclibGlobal, bilateral_constraints_are_none_or_refused) {
  GlobalProblem none;
  none.integers["/fclib_global/G/n"] = {0};
  EXPECT_EQ(none.read().contacts(), 3u);
  none.integers["/fclib_global/G/n"] = {2};
  try {
    none.read();
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("bilateral constraints (/fclib_global/G)"), std::string::npos);
  }
}

TEST(FclibGlobal, problems_that_are_not_sound_are_errors_that_name_field_and_row) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  expect_errors<GlobalProblem>({
      {[](GlobalProblem& p) { p.numbers.erase("/fclib_global/vectors/w"); }, "has no /fclib_global/vectors/w"},
      {[](GlobalProblem& p) { p.integers.erase("/fclib_global/H/n"); }, "has no /fclib_global/H/n"},
      {[](GlobalProblem& p) { p.integers["/fclib_global/spacedim"] = {2}; }, "2 dimensions"},
      {[](GlobalProblem& p) {
         p.integers["/fclib_global/H/n"] = p.integers["/fclib_global/H/nz"] = {0};
         p.numbers["/fclib_global/H/x"].assign(5, 0);
         p.numbers["/fclib_global/vectors/w"] = p.numbers["/fclib_global/vectors/mu"] = {};
       },
       "without contacts"},
      {[](GlobalProblem& p) { p.integers["/fclib_global/M/n"] = {5}; }, "M of 4 x 5, which must be square"},
      {[](GlobalProblem& p) { p.integers["/fclib_global/H/n"] = {10}; }, "H of 4 x 10 beside M of 4 x 4"},
      {[](GlobalProblem& p) { p.integers["/fclib_global/H/m"] = {6}; }, "H of 6 x 9 beside M of 4 x 4"},
      {[](GlobalProblem& p) { p.numbers["/fclib_global/vectors/f"] = {1}; },
       "1 numbers in /fclib_global/vectors/f, not 4"},
      {[](GlobalProblem& p) { p.numbers["/fclib_global/vectors/w"] = {1}; },
       "1 numbers in /fclib_global/vectors/w, not 9"},
      {[](GlobalProblem& p) { p.numbers["/fclib_global/vectors/mu"] = {1}; },
       "1 numbers in /fclib_global/vectors/mu, not 3"},
      {[](GlobalProblem& p) { p.numbers["/fclib_global/vectors/b"] = {1}; },
       "1 numbers in /fclib_global/vectors/b, not 0"},
      {[=](GlobalProblem& p) { p.numbers["/fclib_global/vectors/f"][2] = nan; },
       "no number in row 2 of /fclib_global/vectors/f"},
      {[=](GlobalProblem& p) { p.numbers["/fclib_global/vectors/w"][8] = infinity; },
       "an infinite number in row 8 of /fclib_global/vectors/w"},
      {[=](GlobalProblem& p) { p.numbers["/fclib_global/M/x"][3] = nan; }, "no number in (1, 1) of /fclib_global/M"},
      {[=](GlobalProblem& p) { p.numbers["/fclib_global/H/x"][3] = nan; }, "no number in (2, 3) of /fclib_global/H"},
      {[](GlobalProblem& p) { p.numbers["/fclib_global/M/x"][1] = 1.5; }, "not symmetric: (0, 1) of /fclib_global/M"},
      {[](GlobalProblem& p) { p.numbers["/fclib_global/M/x"][4] = 0; },
       "row 2 of /fclib_global/M has nothing above 0 on the diagonal"},
      {[](GlobalProblem& p) { p.numbers["/fclib_global/M/x"][4] = -4; }, "row 2 of /fclib_global/M"},
      {[](GlobalProblem& p) { p.numbers["/fclib_global/M/x"] = {2, 2, 2, 2, 4, 5}; },
       "has a matrix M that is not positive definite"},
      {[](GlobalProblem& p) { p.numbers["/fclib_global/H/x"][4] = 0; },
       "column 6 of /fclib_global/H, the normal of contact 2"},
      {[](GlobalProblem& p) { p.numbers["/fclib_global/vectors/mu"][1] = -1; },
       "in row 1 of /fclib_global/vectors/mu; it must be >= 0"},
      {[](GlobalProblem& p) {
         for (double& x : p.numbers["/fclib_global/H/x"]) x *= 1e200;
       },
       "leaves the range of numbers at contact 0, columns 0 to 2 of /fclib_global/H"},
  });
}

/// A membrane of side x side points that is held everywhere and damped unsymmetrically, its columns by points.
io::SparseMatrix membrane(int side) {
  io::SparseMatrix m;
  m.rows = m.columns = side * side;
  const auto add = [&](int i, int j, double value) { m.entries.push_back({i, j, value}); };
  for (int y = 0; y < side; ++y)
    for (int x = 0; x < side; ++x) {
      const int i = y * side + x;
      add(i, i, 5);
      if (x > 0) add(i, i - 1, -1.01);
      if (x + 1 < side) add(i, i + 1, -0.99);
      if (y > 0) add(i, i - side, -1);
      if (y + 1 < side) add(i, i + side, -1);
    }
  m.put_in_order();
  return m;
}

TEST(FclibGlobal, velocities_satisfy_the_equations_of_bodies_and_contacts_for_a_sparse_mass) {
  constexpr std::int32_t side = 15, rows = side * side, contacts = 6;
  io::GlobalSystem system;
  system.mass = membrane(side);
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  system.directions.rows = rows;
  system.directions.columns = 3 * contacts;
  for (std::int32_t column = 0; column < 3 * contacts; ++column)
    for (int e = 0; e < 3; ++e)
      system.directions.entries.push_back({static_cast<std::int32_t>(random() % rows), column, uniform(random)});
  system.directions.put_in_order();
  const auto draw = [&](std::size_t count) {
    std::vector<double> numbers(count);
    for (double& x : numbers) x = uniform(random);
    return numbers;
  };
  system.momentum = draw(rows);
  system.velocity = draw(3 * contacts);
  system.friction.assign(contacts, 0.5);
  io::CondensedSystem condensed(system);
  ASSERT_FALSE(condensed.faulty_row());
  const io::SystemNumbers numbers = condensed.numbers();
  ASSERT_EQ(numbers.block.size(), static_cast<std::size_t>(contacts * contacts));
  const std::vector<double> r = draw(3 * contacts), v = condensed.velocities_of(r);
  EXPECT_LE(condensed.error_of(v, r), 8 * 0x1p-53);
  std::vector<double> rest = system.momentum, u = system.velocity;
  for (const auto& [row, column, value] : system.directions.entries) {
    const auto i = static_cast<std::size_t>(row), j = static_cast<std::size_t>(column);
    rest[i] += value * r[j];
    u[j] += value * v[i];
  }
  for (const auto& [row, column, value] : system.mass.entries)
    rest[static_cast<std::size_t>(row)] -= value * v[static_cast<std::size_t>(column)];
  // Numbers are below 10, and M⁻¹ is below 1: in each row of M the diagonal is 5 and the other entries sum up to 4.
  for (const double x : rest) EXPECT_NEAR(x, 0, 10 * roundings);
  // W r + q is Hᵀ v + w.
  for (std::size_t i = 0; i < contacts; ++i)
    for (std::size_t c = 0; c < 3; ++c) {
      double sum = numbers.velocity[3 * i + c];
      for (std::size_t j = 0; j < contacts; ++j)
        for (std::size_t d = 0; d < 3; ++d) sum += numbers.block[contacts * i + j][3 * c + d] * r[3 * j + d];
      EXPECT_NEAR(sum, u[3 * i + c], 100 * roundings);
    }
}

// A chain of springs, free in space, has M = 1 + stiffness times its graph's matrix.
TEST(FclibGlobal, velocities_of_contacts_and_bodies_part_where_mass_is_ill_conditioned) {
  constexpr std::int32_t rows = 12;
  for (const double stiffness : {1.0, 1e12}) {
    io::GlobalSystem system;
    system.mass.rows = system.mass.columns = system.directions.rows = rows;
    system.directions.columns = 3;
    const auto add = [&](int i, int j, double value) { system.mass.entries.push_back({i, j, value}); };
    for (int i = 0; i < rows; ++i) {
      add(i, i, 1);
      system.directions.entries.push_back({i, i % 3, 1.0 / (1 + i)});
      system.momentum.push_back(i - 5);
    }
    for (int i = 0; i + 1 < rows; ++i)
      for (const auto& [j, k] : {std::pair{i, i}, {i + 1, i + 1}, {i, i + 1}, {i + 1, i}})
        add(j, k, j == k ? stiffness : -stiffness);
    system.mass.put_in_order();
    system.directions.put_in_order();
    system.velocity = {0.1, 0.2, -0.3};
    system.friction = {0.5};
    io::CondensedSystem condensed(system);
    ASSERT_FALSE(condensed.faulty_row());
    const io::SystemNumbers numbers = condensed.numbers();
    const std::vector<double> r = {0.3, -0.2, 1};
    std::vector<double> u = numbers.velocity;
    for (std::size_t c = 0; c < 3; ++c)
      for (std::size_t d = 0; d < 3; ++d) u[c] += numbers.block[0][3 * c + d] * r[d];
    const double difference = condensed.difference(condensed.velocities_of(r), u, numbers.velocity);
    if (stiffness > 1)
      EXPECT_GT(difference, 1e-8);
    else
      EXPECT_LE(difference, 100 * roundings);
  }
}

}  // namespace
}  // namespace carom::test
