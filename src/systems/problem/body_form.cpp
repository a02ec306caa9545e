#include "body_form.hpp"

#include <cmath>

namespace carom::systems {

void BodyForm::clear() {
  bodies = 0;
  body.clear();
  direction.clear();
  response.clear();
  extra.clear();
  rows.clear();
}

void BodyForm::scale(double mass) {
  for (Numbers* numbers : {&response, &extra})
    for (double& x : *numbers) x *= mass;
  rows.scale(mass);
}

void BodyForm::own_block(std::size_t i, std::size_t j, double* block) const {
  for (std::size_t e = 0; e < 9; ++e) block[e] = i == j && e % 4 == 0 ? extra[3 * i + e / 4] : 0;
  for (std::size_t s = 0; s < 2; ++s) {
    if (body[i][s] < 0) continue;
    const double *h = &direction[36 * i + 18 * s], *m = &response[36 * j + 18 * s];
    for (std::size_t e = 0; e < 9; ++e)
      for (std::size_t k = 0; k < 6; ++k) block[e] += h[6 * (e / 3) + k] * m[6 * (e % 3) + k];
  }
}

double BodyForm::mean_diagonal(std::size_t i) const {
  double sum = extra[3 * i] + extra[3 * i + 1] + extra[3 * i + 2];
  for (std::size_t s = 0; s < 2; ++s) {
    if (body[i][s] < 0) continue;
    const double *h = &direction[36 * i + 18 * s], *m = &response[36 * i + 18 * s];
    for (std::size_t k = 0; k < 18; ++k) sum += h[k] * m[k];
  }
  return sum / 3;
}

void BodyForm::push(std::size_t contact, const double* impulse, Numbers& v) const {
  const double x = impulse[0], y = impulse[1], z = impulse[2];
  for (std::size_t s = 0; s < 2; ++s) {
    if (body[contact][s] < 0) continue;
    const double* m = &response[36 * contact + 18 * s];
    double* to = &v[6 * at(body[contact][s])];
    for (std::size_t k = 0; k < 6; ++k) to[k] += m[k] * x + m[6 + k] * y + m[12 + k] * z;
  }
}

void BodyForm::answer(const Numbers& r, Numbers& v) const {
  v.assign(6 * bodies, 0);
  for (std::size_t i = 0; i < body.size(); ++i) push(i, &r[3 * i], v);
  if (rows.empty()) return;
  rows.measure(v, missed_);
  rows.hold(missed_, v, lambda_);
}

void BodyForm::add_velocity(std::size_t contact, const Numbers& v, const double* r, double* u) const {
  for (std::size_t a = 0; a < 3; ++a) u[a] += extra[3 * contact + a] * r[a];
  for (std::size_t s = 0; s < 2; ++s) {
    if (body[contact][s] < 0) continue;
    const double *h = &direction[36 * contact + 18 * s], *w = &v[6 * at(body[contact][s])];
    for (std::size_t a = 0; a < 3; ++a, h += 6)
      u[a] += h[0] * w[0] + h[1] * w[1] + h[2] * w[2] + (h[3] * w[3] + h[4] * w[4] + h[5] * w[5]);
  }
}

void BodyForm::add_product(const Numbers& x, Numbers& y) const {
  answer(x, v_);
  for (std::size_t i = 0; i < body.size(); ++i) add_velocity(i, v_, &x[3 * i], &y[3 * i]);
}

double BodyForm::magnitude(const Numbers& r) const {
  v_.assign(6 * bodies, 0);
  for (std::size_t i = 0; i < body.size(); ++i)
    for (std::size_t s = 0; s < 2; ++s) {
      if (body[i][s] < 0) continue;
      for (std::size_t e = 0; e < 18; ++e)
        v_[6 * at(body[i][s]) + e % 6] += std::abs(response[36 * i + 18 * s + e] * r[3 * i + e / 6]);
    }
  double square = 0;
  for (std::size_t i = 0; i < body.size(); ++i)
    for (std::size_t a = 0; a < 3; ++a) {
      double sum = std::abs(extra[3 * i + a] * r[3 * i + a]);
      for (std::size_t s = 0; s < 2; ++s) {
        if (body[i][s] < 0) continue;
        const double *h = &direction[36 * i + 18 * s + 6 * a], *v = &v_[6 * at(body[i][s])];
        for (std::size_t k = 0; k < 6; ++k) sum += std::abs(h[k]) * v[k];
      }
      square += sum * sum;
    }
  return std::sqrt(square);
}

}  // namespace carom::systems
