// Files of FCLIB: the forms of matrices, the order of axes, and files that are not sound.
#include "io/fclib/fclib.hpp"

#include <gtest/gtest.h>
#include <hdf5.h>

#include <functional>
#include <map>
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
  const std::string once = io::with_solution(problem, {1, 2, 3}, {4, 5, 6});
  const TemporaryFile file(once, ".hdf5");
  const std::string twice = io::with_solution(io::read_fclib(file.name()), {-1, -2, -3}, {-4, -5, -6});
  const io::Hdf5File solved("twice", twice);
  EXPECT_EQ(solved.numbers("/solution/r"), (std::vector<double>{-3, -1, -2}));
  EXPECT_EQ(solved.numbers("/solution/u"), (std::vector<double>{-6, -4, -5}));
  EXPECT_EQ(solved.numbers("/fclib_local/vectors/q"), (std::vector<double>{10, 11, 12}));
}

TEST(Fclib, files_that_are_not_sound_are_errors_that_name_the_place) {
  const struct {
    std::function<void(Problem&)> change;
    std::string named;
  } cases[] = {
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
      {[](Problem& p) {
         p.integers = {{"/fclib_global/spacedim", {3}}};
         p.numbers.clear();
       },
       "has a global problem (/fclib_global), which carom does not read: condense it to a local problem"},
      {[](Problem& p) { p.integers["/fclib_global_rolling/spacedim"] = {3}; }, "rolling friction"},
  };
  for (const auto& [change, named] : cases) {
    Problem problem;
    change(problem);
    try {
      problem.read();
      ADD_FAILURE() << named;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(named), std::string::npos) << error.what() << ", not " << named;
    }
  }
}

TEST(Fclib, a_file_with_a_local_and_a_global_problem_is_read_as_the_local_one) {
  Problem both;
  both.integers["/fclib_global/spacedim"] = {3};
  EXPECT_EQ(both.read().block.at(0), turned);
}

TEST(Fclib, files_are_told_by_their_first_bytes) {
  EXPECT_TRUE(io::is_hdf5(TemporaryFile("\x89HDF\r\n\x1a\n and more").name()));
  EXPECT_FALSE(io::is_hdf5(TemporaryFile("\x89HDF").name()));
  EXPECT_FALSE(io::is_hdf5(TemporaryFile("friction,restitution\n").name()));
  EXPECT_FALSE(io::is_hdf5("absent.hdf5"));
  EXPECT_FALSE(io::is_hdf5("/"));
}

}  // namespace
}  // namespace carom::test
