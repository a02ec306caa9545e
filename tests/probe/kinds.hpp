// The kinds of contacts that the prober draws. Each is hard in one way, and some contacts of every kind have
// coefficients at or next to their limits.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <string_view>

#include "probe/contacts.hpp"
#include "probe/real.hpp"
#include "probe/singular_draw.hpp"
#include "random/draw.hpp"

namespace carom::probe {

enum class Kind {
  ordinary,     ///< boxes of one material, K of moderate condition
  mass_ratio,   ///< masses in ratios up to 1e12
  slender,      ///< inertias in ratios up to 1e6
  conditioned,  ///< cond K up to 1e12, in float up to 1e6; only in contact space
  grazing,      ///< u·n down to 1e-15 |u|
  head_on,      ///< slip down to 1e-15 |u|, or zero
  ray,          ///< slip along and next to a ray of constant sliding
  eigenvector,  ///< slip along and next to an eigenvector of M
  limits,       ///< coefficients and parameters at and next to their limits
  uncoupled,    ///< k = 0 and next to it
  units,        ///< units over 60 decades
  subnormal,    ///< velocities among the subnormal numbers
  singular,     ///< K singular or nearly so: bodies that can only turn, or inverse masses far below the rotational part
  zeros,        ///< zeros of either sign
};
inline constexpr std::array<std::string_view, 14> kind_names{
    "ordinary",    "mass_ratio", "slender",   "conditioned", "grazing",   "head_on",  "ray",
    "eigenvector", "limits",     "uncoupled", "units",       "subnormal", "singular", "zeros"};

template <class T>
class Drawer {
 public:
  Drawer(Kind kind, Form form, std::size_t count, support::Draw& draw)
      : kind_(kind), draw_(draw), contacts_(form, count) {
    for (i_ = 0; i_ < count; ++i_) {
      if (form == Form::space) draw_space<3>();
      if (form == Form::planar_space) draw_space<2>();
      if (form == Form::bodies) draw_bodies();
      if (form == Form::planar_bodies) draw_planar_bodies();
      if (kind == Kind::zeros) draw_zeros();
    }
  }
  AnyContacts<T> take() { return std::move(contacts_); }

 private:
  static constexpr bool is_float = std::is_same_v<T, float>;
  static constexpr double epsilon = std::numeric_limits<T>::epsilon();

  void set(const std::string& name, double value) { contacts_[name][i_] = static_cast<T>(value); }
  double get(const std::string& name) { return contacts_[name][i_]; }
  /// 10^-x with x in [0, decades].
  double small(double decades) { return std::pow(10.0, -draw_.uniform(0, decades)); }
  double decades(double range) { return std::pow(10.0, draw_.uniform(-range, range)); }
  bool one_in(std::size_t n) { return draw_.below(n) == 0; }
  double sign() { return one_in(2) ? -1 : 1; }
  /// Exactly 0, or tiny.
  double next_to_zero() { return one_in(3) ? 0 : sign() * small(1.2 * digits); }
  static constexpr double digits = is_float ? 8 : 16;

  template <std::size_t D>
  using V = Vector<double, D>;
  template <std::size_t D>
  using M = Matrix<double, D>;

  /// `impulse` [N s]: order of magnitude of the contact's impulse.
  void draw_coefficients(double impulse) {
    const bool hard = kind_ == Kind::limits || one_in(4);
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const std::array<double, 10> frictions{
        0, small(3 * digits), small(3), 1, 1 - epsilon, 1 + 2 * epsilon, 1 / small(3), 1 / small(12), infinity, 0.5};
    const std::array<double, 6> restitutions{0, small(3 * digits), 1, 1 - epsilon, 0.5, small(2)};
    set("friction", hard ? frictions[draw_.below(10)] : draw_.uniform(0, 1.5));
    set("restitution", hard ? restitutions[draw_.below(6)] : draw_.uniform());
    const std::array<double, 5> tangential{-1, 1, 0, -1 + epsilon, small(digits)};
    set("tangential_restitution", hard ? tangential[draw_.below(5)] : draw_.uniform(-1, 1));
    for (const char* name : {"impulse_ratio_1", "impulse_ratio_2"})
      set(name, hard && one_in(2) ? next_to_zero() : hard ? sign() / small(12) : 3 * draw_.bell());
    const std::array<double, 5> angles{0, small(digits), std::numbers::pi / 2, std::numbers::pi - small(digits), 1};
    double angle = hard ? angles[draw_.below(5)] : draw_.uniform(0, std::numbers::pi);
    // Pi rounded up would be out of range.
    angle = std::min<double>(static_cast<T>(angle), std::nextafter(static_cast<T>(std::numbers::pi), T(0)));
    set("polar_angle", is_planar(contacts_.form) ? sign() * angle : angle);
    set("azimuth", draw_.uniform(-7, 7));
    const std::array<double, 4> fractions{0, 1, small(digits), 1 - epsilon};
    set("fraction", hard ? fractions[draw_.below(4)] : draw_.uniform());
    const double size = hard ? impulse * decades(6) : impulse;
    for (const char* name : {"candidate_x", "candidate_y", "candidate_z"}) set(name, size * draw_.bell());
    for (const char* law :
         {"incremental", "frictionless", "chatterjee_ruina", "smith", "anitescu_potra", "brach", "projected", "polar"})
      set(std::string("weight_") + law, one_in(2) ? 0 : draw_.uniform());
    set("weight_bilinear", one_in(8) ? draw_.uniform() : 0);
    set("weight_pfeiffer_glocker", is_planar(contacts_.form) && one_in(2) ? draw_.uniform() : 0);
    if (hard) set("weight_brach", 1);
    set("weight_frictionless", draw_.uniform(0.1, 1));
  }

  /// Finds û with (k - μ M û) ∥ û, and the friction μ for which this holds. Returns false if there is no such friction.
  bool ray_of(const M<3>& k, V<3>& direction, double& friction) {
    const V<3> d = draw_.direction();
    const double size = std::hypot(d[0], d[1]), x = d[0] / size, y = d[1] / size;
    const double mx = k[0][0] * x + k[0][1] * y, my = k[0][1] * x + k[1][1] * y;
    friction = (x * k[1][2] - y * k[0][2]) / (x * my - y * mx);
    direction = {x, y, 0};
    return friction > 0 && friction < 1e3;
  }

  /// Draws u0 in the contact frame, with about unit speed, for the kind; may set the friction.
  template <std::size_t D>
  V<D> draw_velocity(const M<D>& k) {
    V<D> u{};
    if constexpr (D == 3) {
      const V<3> d = draw_.direction();
      u = {d[0], d[1], 0};
      const double size = std::hypot(u[0], u[1]);
      for (double& x : u) x /= size;
      double friction = 0;
      V<3> direction{};
      if (kind_ == Kind::ray && ray_of(k, direction, friction)) {
        set("friction", friction);
        const double turn = one_in(3) ? 0 : sign() * small(digits);
        u = {direction[0] - turn * direction[1], direction[1] + turn * direction[0], 0};
        if (one_in(2))
          for (double& x : u) x = -x;
      }
      if (kind_ == Kind::eigenvector) {
        const double angle = 0.5 * std::atan2(2 * k[0][1], k[0][0] - k[1][1]);
        const double turn = one_in(3) ? 0 : sign() * small(digits);
        const double c = std::cos(angle), s = std::sin(angle);
        const V<3> axis = one_in(2) ? V<3>{c, s, 0} : V<3>{-s, c, 0};
        u = {axis[0] - turn * axis[1], axis[1] + turn * axis[0], 0};
      }
    } else {
      u[0] = sign();
    }
    double normal = -std::abs(draw_.bell()) - 1e-3, slip = std::abs(draw_.bell());
    if (kind_ == Kind::grazing) {
      normal = -small(15);
      slip = 1;
    }
    if (kind_ == Kind::head_on) {
      normal = -1;
      slip = one_in(4) ? 0 : small(15);
    }
    for (double& x : u) x *= slip;
    u[D - 1] = normal;
    return u;
  }

  template <std::size_t D>
  void draw_space() {
    constexpr std::array<std::string_view, 6> names3{"xx", "xy", "xz", "yy", "yz", "zz"};
    constexpr std::array<std::string_view, 6> names2{"xx", "xy", "yy"};
    const auto& names = D == 3 ? names3 : names2;
    const double range = kind_ == Kind::conditioned || kind_ == Kind::mass_ratio || kind_ == Kind::slender
                             ? draw_.uniform(0, is_float ? 6 : 12)
                             : draw_.uniform(0, kind_ == Kind::singular ? 1.3 * digits : 2);
    V<D> eigenvalues{};
    eigenvalues[0] = 1;
    eigenvalues[1] = std::pow(10.0, -range);
    if (D == 3) eigenvalues[D - 1] = std::pow(10.0, -range * draw_.uniform());
    if (kind_ == Kind::singular)
      for (double& x : eigenvalues) x = one_in(6) ? 0 : x;
    const support::Rows axes_of_world{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    const support::Rows turn = kind_ == Kind::singular && one_in(3) ? axes_of_world : draw_.rotation();
    const double planar_size = std::hypot(turn[0][0], turn[0][1]);
    const double cosine = turn[0][0] / planar_size, sine = turn[0][1] / planar_size;
    M<D> k{};
    for (std::size_t i = 0; i < D; ++i)
      for (std::size_t j = 0; j < D; ++j)
        for (std::size_t l = 0; l < D; ++l) {
          const auto axis = [&](std::size_t row) {
            return D == 3 ? turn[row][l] : row == l ? cosine : row < l ? -sine : sine;
          };
          k[i][j] += axis(i) * eigenvalues[l] * axis(j);
        }
    if (kind_ == Kind::uncoupled) {
      if (one_in(2)) k[0][1] = k[1][0] = D == 3 ? next_to_zero() * 0.1 : k[0][1];
      if (D == 3 && one_in(2)) k[1][1] = k[0][0] * (1 + next_to_zero());
      for (std::size_t i = 0; i + 1 < D; ++i) k[i][D - 1] = k[D - 1][i] = 0.1 * next_to_zero() * k[D - 1][D - 1];
      for (std::size_t i = 0; i + 1 < D; ++i) k[i][i] += 0.5;
    }
    if (kind_ == Kind::eigenvector && one_in(2)) k[0][1] = k[1][0] = 0;
    draw_coefficients(1);
    const V<D> u = draw_velocity<D>(k);
    double mobility = 1, speed = 1;
    if (kind_ == Kind::units) {
      mobility = decades(is_float ? 12 : 30);
      speed = decades(is_float ? 12 : 30);
    }
    if (kind_ == Kind::subnormal) speed = std::numeric_limits<T>::min() * small(is_float ? 6 : 14);
    std::size_t next = 0;
    for (std::size_t i = 0; i < D; ++i)
      for (std::size_t j = i; j < D; ++j) set("k_" + std::string(names[next++]), mobility * k[i][j]);
    constexpr std::array<const char*, 3> axes{"u0_x", "u0_y", "u0_z"};
    for (std::size_t i = 0; i < D; ++i) set(axes[i], speed * u[i]);
    for (const char* name : {"candidate_x", "candidate_y", "candidate_z"}) set(name, get(name) * speed / mobility);
  }

  struct Body {
    double inverse_mass = 0;
    M<3> inverse_inertia{};
    V<3> lever{}, velocity{}, spin{};
  };

  /// Lengths are multiples of `unit`.
  Body draw_body(double inverse_mass, double unit) {
    Body b;
    b.inverse_mass = inverse_mass;
    const double spread = kind_ == Kind::slender ? draw_.uniform(0, 6) : draw_.uniform(0, 1.5);
    V<3> d{std::pow(10.0, spread), std::pow(10.0, spread * draw_.uniform()), 1};
    if (kind_ == Kind::uncoupled) d = {2.5, 2.5, 2.5};
    const support::Rows turn = draw_.rotation();
    const double scale = 3 * inverse_mass / (unit * unit);
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j)
        for (std::size_t l = 0; l < 3; ++l) b.inverse_inertia[i][j] += turn[i][l] * scale * d[l] * turn[j][l];
    V<3> arm{draw_.uniform(-1, 1), draw_.uniform(-1, 1), draw_.uniform(-1, 1)};
    // Rods touched at their ends: the lever arm lies along the axis of the largest inverse inertia.
    if (kind_ == Kind::slender && one_in(3)) {
      const double across = one_in(4) ? 0 : small(4);
      for (std::size_t i = 0; i < 3; ++i) arm[i] = turn[i][0] + across * (turn[i][1] + turn[i][2]);
    }
    for (std::size_t i = 0; i < 3; ++i) b.lever[i] = unit * arm[i];
    return b;
  }

  /// Draws rotors with levers that are parallel, nearly parallel or not parallel, wheels, and single rotors.
  void make_singular(Body& a, Body& b, const V<3>& n) {
    SingularDraw singular(draw_, digits);
    for (Body* body : {&a, &b}) {
      const double scale = 6 * decades(1);
      body->inverse_mass = singular.inverse_mass(scale);
      const auto j = singular.inverse_inertia(scale);
      body->inverse_inertia = {{{j[0], j[1], j[2]}, {j[1], j[3], j[4]}, {j[2], j[4], j[5]}}};
    }
    if (one_in(6)) {
      b.inverse_inertia = {};
      if (a.inverse_mass == 0) b.inverse_mass = 0;
    }
    // Lever arms along the normal, as for balls, or arbitrary ones.
    if (one_in(2))
      for (std::size_t i = 0; i < 3; ++i) a.lever[i] = static_cast<T>(-0.5 * n[i]);
    for (double& x : a.lever) x = static_cast<T>(x);
    b.lever = singular.lever(a.lever);
  }

  /// Replaces numbers by zeros of either sign, and aligns normals with an axis.
  void draw_zeros() {
    const auto zero = [&] { return one_in(2) ? 0.0 : -0.0; };
    const bool diagonal = one_in(2), along_axis = one_in(2);
    const std::string axes = is_planar(contacts_.form) ? "xy" : "xyz";
    const char axis = axes[draw_.below(axes.size())];
    for (auto& [name, column] : contacts_.columns) {
      const char last = name.back();
      const bool is_matrix = name.starts_with("k_") || name.starts_with("inverse_inertia");
      if (name.starts_with("normal")) {
        if (along_axis) column[i_] = last == axis ? static_cast<T>(sign()) : static_cast<T>(zero());
      } else if (is_matrix) {
        if (diagonal && last != name[name.size() - 2]) column[i_] = static_cast<T>(zero());
      } else if (!name.starts_with("inverse_mass") && !name.starts_with("weight") && one_in(3)) {
        column[i_] = static_cast<T>(zero());
      }
    }
  }

  bool moves_slowly() const {
    return kind_ == Kind::grazing || kind_ == Kind::head_on || kind_ == Kind::ray || kind_ == Kind::eigenvector ||
           kind_ == Kind::subnormal;
  }

  void draw_bodies() {
    double mass = 1, unit = 1, speed = 1, other = one_in(2) ? 0 : decades(1);
    if (kind_ == Kind::mass_ratio) other = std::pow(10.0, (is_float ? 6 : 12) * draw_.uniform(-1, 1));
    if (kind_ == Kind::units) {
      mass = decades(is_float ? 8 : 20);
      unit = decades(is_float ? 6 : 15);
      speed = decades(is_float ? 8 : 20);
    }
    if (kind_ == Kind::subnormal) speed = std::numeric_limits<T>::min() * small(is_float ? 6 : 14);
    Body a = draw_body(mass, unit), b = draw_body(mass * other, unit);
    V<3> n = draw_.direction();
    if (kind_ == Kind::singular) make_singular(a, b, n);
    if (kind_ == Kind::uncoupled) {
      for (std::size_t i = 0; i < 3; ++i) {
        a.lever[i] = -unit * n[i] + unit * 0.1 * next_to_zero();
        b.lever[i] = unit * n[i];
      }
    }
    draw_coefficients(speed / mass);
    // The contact frame, and K in it.
    V<3> t1 = cross(n, draw_.direction());
    const double size = length(t1);
    for (double& x : t1) x /= size;
    const V<3> t2 = cross(n, t1);
    const M<3> frame{t1, t2, n};
    M<3> k{};
    for (const Body* body : {&a, &b})
      for (std::size_t i = 0; i < 3; ++i) {
        k[i][i] += body->inverse_mass;
        const V<3> turned = times(body->inverse_inertia, cross(body->lever, frame[i]));
        for (std::size_t j = 0; j < 3; ++j) k[i][j] += dot(turned, cross(body->lever, frame[j]));
      }
    const V<3> u = draw_velocity<3>(k);
    V<3> velocity{};
    for (std::size_t i = 0; i < 3; ++i) velocity[i] = speed * (u[0] * t1[i] + u[1] * t2[i] + u[2] * n[i]);
    if (!moves_slowly()) {
      for (Body* body : {&a, &b}) {
        for (double& x : body->spin) x = speed / unit * draw_.bell();
        for (double& x : body->velocity) x = one_in(2) ? speed * draw_.bell() : 0;
      }
    }
    const V<3> swing_a = cross(a.spin, a.lever), swing_b = cross(b.spin, b.lever);
    for (std::size_t i = 0; i < 3; ++i) a.velocity[i] = velocity[i] - swing_a[i] + b.velocity[i] + swing_b[i];
    const T x = static_cast<T>(n[0]), y = static_cast<T>(n[1]), z = static_cast<T>(n[2]);
    const T norm = std::sqrt(x * x + y * y + z * z);
    set("normal_x", x / norm);
    set("normal_y", y / norm);
    set("normal_z", z / norm);
    write("a", a);
    write("b", b);
  }

  void write(const std::string& side, const Body& b) {
    constexpr std::array<const char*, 3> axes{"_x", "_y", "_z"};
    set("inverse_mass_" + side, b.inverse_mass);
    for (std::size_t i = 0; i < 3; ++i) {
      set("r_" + side + axes[i], b.lever[i]);
      set("velocity_" + side + axes[i], b.velocity[i]);
      set("angular_velocity_" + side + axes[i], b.spin[i]);
      for (std::size_t j = i; j < 3; ++j)
        set("inverse_inertia_" + side + "_" + "xyz"[i] + "xyz"[j], b.inverse_inertia[i][j]);
    }
  }

  void draw_planar_bodies() {
    double mass = 1, unit = 1, speed = 1, other = one_in(2) ? 0 : decades(1);
    if (kind_ == Kind::mass_ratio) other = std::pow(10.0, (is_float ? 6 : 12) * draw_.uniform(-1, 1));
    if (kind_ == Kind::units) {
      mass = decades(is_float ? 8 : 20);
      unit = decades(is_float ? 6 : 15);
      speed = decades(is_float ? 8 : 20);
    }
    if (kind_ == Kind::subnormal) speed = std::numeric_limits<T>::min() * small(is_float ? 6 : 14);
    const double spread = kind_ == Kind::slender ? 6 : 1.5;
    draw_coefficients(speed / mass);
    const V<3> d = draw_.direction();
    const double size = std::hypot(d[0], d[1]), nx = d[0] / size, ny = d[1] / size;
    double vx = 0, vy = 0;
    SingularDraw singular(draw_, digits);
    const V<2> u = draw_velocity<2>({});
    const double tx = ny, ty = -nx;
    for (const char* side : {"b", "a"}) {
      const bool is_a = *side == 'a';
      const double inverse_mass = is_a ? mass : mass * other;
      double lx = unit * draw_.uniform(-1, 1), ly = unit * draw_.uniform(-1, 1);
      if (kind_ == Kind::uncoupled) {
        lx = (is_a ? -unit : unit) * nx + 0.1 * unit * next_to_zero();
        ly = (is_a ? -unit : unit) * ny;
      }
      double mass_here = inverse_mass,
             inertia = 3 * inverse_mass / (unit * unit) * std::pow(10.0, spread * draw_.uniform());
      if (kind_ == Kind::singular) {
        mass_here = singular.inverse_mass(6);
        if (one_in(6)) inertia = 0;
        lx = static_cast<T>(lx), ly = static_cast<T>(ly);
        if (is_a) {
          const V<3> lever = singular.lever({get("r_b_x"), get("r_b_y"), 0});
          lx = lever[0], ly = lever[1];
        }
      }
      const double spin = moves_slowly() ? 0 : speed / unit * draw_.bell();
      double ax = is_a || moves_slowly() ? 0 : speed * draw_.bell(),
             ay = is_a || moves_slowly() ? 0 : speed * draw_.bell();
      if (is_a) {
        ax = speed * (u[0] * tx + u[1] * nx) + spin * ly + vx;
        ay = speed * (u[0] * ty + u[1] * ny) - spin * lx + vy;
      } else {
        vx = ax - spin * ly;
        vy = ay + spin * lx;
      }
      const std::string s = side;
      set("inverse_mass_" + s, mass_here);
      set("inverse_inertia_" + s, inertia);
      set("r_" + s + "_x", lx);
      set("r_" + s + "_y", ly);
      set("velocity_" + s + "_x", ax);
      set("velocity_" + s + "_y", ay);
      set("angular_velocity_" + s, spin);
    }
    const T x = static_cast<T>(nx), y = static_cast<T>(ny), norm = std::sqrt(x * x + y * y);
    set("normal_x", x / norm);
    set("normal_y", y / norm);
  }

  Kind kind_;
  support::Draw& draw_;
  AnyContacts<T> contacts_;
  std::size_t i_ = 0;
};

}  // namespace carom::probe
