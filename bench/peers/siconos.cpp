#include "siconos.hpp"

#include <siconos/numerics/FrictionContactProblem.h>
#include <siconos/numerics/Friction_cst.h>
#include <siconos/numerics/NonSmoothDrivers.h>
#include <siconos/numerics/NumericsMatrix.h>
#include <siconos/numerics/SolverOptions.h>
#include <siconos/numerics/SparseBlockMatrix.h>

#include <map>
#include <utility>

namespace carom::peers {
namespace {

/// The place in carom of Siconos's axis: the normal comes first there.
constexpr std::size_t axis_of[3] = {2, 0, 1};

const std::map<std::string, int> identifiers = {
    {"NSGS", SICONOS_FRICTION_3D_NSGS}, {"NSN_AC", SICONOS_FRICTION_3D_NSN_AC}, {"ADMM", SICONOS_FRICTION_3D_ADMM}};

}  // namespace

const std::vector<std::string>& siconos_solvers() {
  static const std::vector<std::string> names = {"NSGS", "NSN_AC", "ADMM"};
  return names;
}

struct Siconos::State {
  std::vector<double> q, friction;
  std::vector<double> numbers;
  std::vector<double*> block;
  std::vector<unsigned> sizes;
  std::vector<std::size_t> rows, columns;
  SparseBlockStructuredMatrix blocks{};
  FrictionContactProblem problem{};
  SolverOptions* options = nullptr;
};

Siconos::Siconos(const io::FclibProblem& from, const std::string& solver, double tolerance) : state_(new State) {
  State& s = *state_;
  const std::size_t n = from.contacts();
  s.friction = from.friction;
  s.q.resize(3 * n);
  for (std::size_t i = 0; i < 3 * n; ++i) s.q[i] = from.velocity[i - i % 3 + axis_of[i % 3]];
  s.numbers.resize(9 * from.block.size());
  for (std::size_t k = 0; k < from.block.size(); ++k) {
    for (std::size_t row = 0; row < 3; ++row)
      for (std::size_t column = 0; column < 3; ++column)
        s.numbers[9 * k + 3 * column + row] = from.block[k][3 * axis_of[row] + axis_of[column]];
    s.columns.push_back(static_cast<std::size_t>(from.column[k]));
  }
  for (std::size_t k = 0; k < from.block.size(); ++k) s.block.push_back(&s.numbers[9 * k]);
  for (const std::int64_t row : from.row_start) s.rows.push_back(static_cast<std::size_t>(row));
  for (std::size_t i = 0; i < n; ++i) s.sizes.push_back(static_cast<unsigned>(3 * (i + 1)));
  s.blocks.nbblocks = static_cast<unsigned>(from.block.size());
  s.blocks.block = s.block.data();
  s.blocks.blocknumber0 = s.blocks.blocknumber1 = static_cast<unsigned>(n);
  s.blocks.blocksize0 = s.blocks.blocksize1 = s.sizes.data();
  s.blocks.filled1 = n + 1;
  s.blocks.filled2 = from.block.size();
  s.blocks.index1_data = s.rows.data();
  s.blocks.index2_data = s.columns.data();
  s.problem.dimension = 3;
  s.problem.numberOfContacts = static_cast<int>(n);
  s.problem.M = NM_create_from_data(NM_SPARSE_BLOCK, static_cast<int>(3 * n), static_cast<int>(3 * n), &s.blocks);
  s.problem.q = s.q.data();
  s.problem.mu = s.friction.data();
  s.options = solver_options_create(identifiers.at(solver));
  s.options->dparam[SICONOS_DPARAM_TOL] = tolerance;
  s.options->iparam[SICONOS_IPARAM_MAX_ITER] = 10'000'000;
}

std::vector<double> Siconos::solve() {
  State& s = *state_;
  std::vector<double> reaction(s.q.size()), velocity(s.q.size());
  fc3d_driver(&s.problem, reaction.data(), velocity.data(), s.options);
  std::vector<double> impulse(reaction.size());
  for (std::size_t i = 0; i < impulse.size(); ++i) impulse[i - i % 3 + axis_of[i % 3]] = reaction[i];
  return impulse;
}

}  // namespace carom::peers
