#include "natural_map.hpp"

#include <cmath>
#include <cstddef>

namespace carom::peers {
namespace {

/// |x - the point of the cone |x_t| <= μ x_n that is next to y|², y = x - v.
double miss2(const double* x, const double* v, double friction) {
  const double y[3] = {x[0] - v[0], x[1] - v[1], x[2] - v[2]};
  const double tangential = std::hypot(y[0], y[1]);
  double p[3] = {0, 0, 0};
  if (std::isinf(friction) ? y[2] >= 0 : tangential <= friction * y[2]) {
    for (int i = 0; i < 3; ++i) p[i] = y[i];
  } else if (!std::isinf(friction) && friction * tangential > -y[2]) {
    const double normal = (friction * tangential + y[2]) / (1 + friction * friction);
    for (int i = 0; i < 2; ++i) p[i] = friction * normal * y[i] / tangential;
    p[2] = normal;
  }
  double sum = 0;
  for (int i = 0; i < 3; ++i) sum += (x[i] - p[i]) * (x[i] - p[i]);
  return sum;
}

}  // namespace

double natural_map_error(const io::FclibProblem& problem, const std::vector<double>& impulse) {
  double sum = 0, size = 0;
  for (std::size_t i = 0; i < problem.contacts(); ++i) {
    double u[3];
    for (std::size_t c = 0; c < 3; ++c) {
      u[c] = problem.velocity[3 * i + c];
      size += u[c] * u[c];
    }
    for (auto k = static_cast<std::size_t>(problem.row_start[i]);
         k < static_cast<std::size_t>(problem.row_start[i + 1]); ++k)
      for (std::size_t c = 0; c < 3; ++c)
        for (std::size_t d = 0; d < 3; ++d)
          u[c] += problem.block[k][3 * c + d] * impulse[3 * static_cast<std::size_t>(problem.column[k]) + d];
    const double friction = problem.friction[i];
    if (!std::isinf(friction)) u[2] += friction * std::hypot(u[0], u[1]);
    sum += miss2(&impulse[3 * i], u, friction);
  }
  return std::sqrt(sum / (size > 0 ? size : 1));
}

}  // namespace carom::peers
