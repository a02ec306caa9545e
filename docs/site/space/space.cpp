// What the page of impulse space asks of carom, for WebAssembly: the answers are the scalar reference's.
#include <emscripten.h>

#include <algorithm>
#include <array>
#include <carom/body_gradients.hpp>
#include <carom/law_info.hpp>
#include <carom/reference.hpp>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

namespace {

using carom::reference::Vector3;

/// The sliders, in their order on the page.
struct Setting {
  double friction, restitution, tangential_restitution, impulse_ratio_1, impulse_ratio_2;
  double tilt, turn;        // [rad] of the box: about x, then about the normal
  double slip, slip_angle;  // [m/s], [rad] of the first slip; it approaches at 1 m/s
  double restitution_law;
} setting;

carom::reference::Collision collision;
carom::reference::LawParameters parameters;

/// The laws that the sliders have all parameters of.
std::vector<const carom::LawInfo*> shown_laws() {
  constexpr std::array known = {"tangential_restitution", "impulse_ratio_1", "impulse_ratio_2"};
  std::vector<const carom::LawInfo*> laws;
  for (const carom::LawInfo& law : carom::all_laws()) {
    const auto has_slider = [&](const carom::LawParameter& parameter) {
      return !parameter.in_space || std::find(known.begin(), known.end(), parameter.name) != known.end();
    };
    const bool sliders = std::all_of(law.parameters.begin(), law.parameters.end(), has_slider);
    if (law.in_space && sliders) laws.push_back(&law);
  }
  return laws;
}

const std::vector<const carom::LawInfo*> laws = shown_laws();

/// Of each place on a sphere around 1.5 P_I: the point of the boundary, and the bound that it lies on.
constexpr std::size_t latitudes = 97, longitudes = 129;
std::array<float, latitudes * longitudes * 4> boundary;

struct Answer {
  double status;
  Vector3 p, u;
  double energy, non_penetration, tension, cone;  // margins, as carom::RegionMargins
} answer;

std::size_t nearest_bound(const Vector3& p, double energy) {
  const auto margins = carom::reference::region_margins(collision, p);
  const double speed = std::hypot(collision.u0[0], collision.u0[1], collision.u0[2]);
  const double length = std::hypot(p[0], p[1], p[2]);
  const std::array distances = {margins.energy / energy, margins.non_penetration / speed, margins.cone / length};
  return static_cast<std::size_t>(std::min_element(distances.begin(), distances.end()) - distances.begin());
}

}  // namespace

extern "C" {

EMSCRIPTEN_KEEPALIVE double* setting_at() {
  return &setting.friction;
}

EMSCRIPTEN_KEEPALIVE int law_count() {
  return static_cast<int>(laws.size());
}
EMSCRIPTEN_KEEPALIVE const char* law_name(int law) {
  static std::string name;
  return (name = carom::to_string(laws[static_cast<std::size_t>(law)]->law)).c_str();
}
EMSCRIPTEN_KEEPALIVE int law_may_gain_energy(int law) {
  return laws[static_cast<std::size_t>(law)]->may_gain_energy ? 1 : 0;
}

/// Takes the setting: a box of 1 kg that hits the ground with a corner.
EMSCRIPTEN_KEEPALIVE void collide() {
  constexpr Vector3 half = {0.3, 0.2, 0.1};  // [m]
  const double c = std::cos(setting.tilt), s = std::sin(setting.tilt), ct = std::cos(setting.turn);
  const double st = std::sin(setting.turn);
  const std::array<Vector3, 3> axes = {{{ct, st, 0}, {-st * c, ct * c, s}, {st * s, -ct * s, c}}};
  carom::BodyPair<double> pair{.normal = {0, 0, 1}, .a = {.inverse_mass = 1}, .b = {}};
  for (std::size_t i = 0; i < 3; ++i) {
    const double a = half[(i + 1) % 3], b = half[(i + 2) % 3], inverse = 3 / (a * a + b * b);
    for (std::size_t j = 0, entry = 0; j < 3; ++j) {
      pair.a.lever[j] -= half[i] * axes[i][j];
      for (std::size_t l = j; l < 3; ++l) pair.a.inverse_inertia[entry++] += inverse * axes[i][j] * axes[i][l];
    }
  }
  pair.a.velocity = {setting.slip * std::cos(setting.slip_angle), setting.slip * std::sin(setting.slip_angle), -1};
  const auto space = carom::contact_space(pair);
  const auto& k = space.k;
  collision = {.k = {{{k[0], k[1], k[2]}, {k[1], k[3], k[4]}, {k[2], k[4], k[5]}}},
               .u0 = space.separation_velocity,
               .friction = setting.friction,
               .restitution = setting.restitution};
  parameters = {.tangential_restitution = setting.tangential_restitution,
                .impulse_ratio_1 = setting.impulse_ratio_1,
                .impulse_ratio_2 = setting.impulse_ratio_2};
}

/// The answer of a law, with another restitution if it is not negative.
EMSCRIPTEN_KEEPALIVE Answer* solve(int law, double restitution) {
  auto of = collision;
  if (restitution >= 0) of.restitution = restitution;
  const auto outcome = carom::reference::apply(laws[static_cast<std::size_t>(law)]->law, of, parameters,
                                               static_cast<carom::RestitutionLaw>(setting.restitution_law));
  const auto margins = carom::reference::region_margins(of, outcome.p);
  answer = {static_cast<double>(outcome.status),
            outcome.p,
            outcome.u,
            margins.energy,
            margins.non_penetration,
            margins.tension,
            margins.cone};
  return &answer;
}

/// ½ u0·K⁻¹u0 [J].
EMSCRIPTEN_KEEPALIVE double contact_energy() {
  return carom::reference::impulse_space(collision).contact_energy;
}

EMSCRIPTEN_KEEPALIVE int boundary_latitudes() {
  return latitudes;
}
EMSCRIPTEN_KEEPALIVE int boundary_longitudes() {
  return longitudes;
}
EMSCRIPTEN_KEEPALIVE float* find_boundary() {
  constexpr double pi = 3.14159265358979323846;
  const double energy = contact_energy();
  auto at = boundary.begin();
  carom::reference::LawParameters place;
  place.fraction = 1;
  for (std::size_t i = 0; i < latitudes; ++i)
    for (std::size_t j = 0; j < longitudes; ++j) {
      place.polar_angle = pi * static_cast<double>(i) / (latitudes - 1);
      place.azimuth = 2 * pi * static_cast<double>(j % (longitudes - 1)) / (longitudes - 1);
      const Vector3 p = carom::reference::apply(carom::Law::polar, collision, place).p;
      for (const double x : p) *at++ = static_cast<float>(x);
      *at++ = static_cast<float>(nearest_bound(p, energy));
    }
  return boundary.data();
}
}
