// The content of a contact file in memory: columns with the names in docs/contact-files.md, and views of them for the
// solver.
#pragma once

#include <algorithm>
#include <array>
#include <carom/solver.hpp>
#include <cstddef>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/columns/columns.hpp"

namespace carom::probe {

enum class Form { bodies, space, planar_bodies, planar_space };
inline constexpr std::array forms{Form::bodies, Form::space, Form::planar_bodies, Form::planar_space};
constexpr bool is_planar(Form form) {
  return form >= Form::planar_bodies;
}
constexpr bool has_bodies(Form form) {
  return form == Form::bodies || form == Form::planar_bodies;
}

inline std::string_view to_string(Form form) {
  constexpr std::array<std::string_view, 4> names{"bodies", "space", "planar_bodies", "planar_space"};
  return names[static_cast<std::size_t>(form)];
}

template <class T>
class AnyContacts {
 public:
  AnyContacts(Form which, std::size_t n) : form(which), count(n) {}

  const Form form;
  const std::size_t count;

  std::vector<T>& operator[](const std::string& name) {
    std::vector<T>& column = columns[name];
    if (column.empty()) column.resize(count);
    return column;
  }
  T at(const std::string& name, std::size_t i) const { return columns.at(name)[i]; }

  Contacts<T> bodies(Law law) {
    Contacts<T> c;
    common(c, law);
    c.normal = vector("normal");
    c.r_a = vector("r_a");
    c.r_b = vector("r_b");
    c.a = body("a");
    c.b = body("b");
    return c;
  }
  KContacts<T> space(Law law) {
    KContacts<T> c;
    common(c, law);
    c.k = matrix("k");
    c.separation_velocity = vector("u0");
    return c;
  }
  planar::Contacts<T> planar_bodies(Law law) {
    planar::Contacts<T> c;
    common(c, law);
    c.normal = flat("normal");
    c.r_a = flat("r_a");
    c.r_b = flat("r_b");
    c.a = planar_body("a");
    c.b = planar_body("b");
    return c;
  }
  planar::KContacts<T> planar_space(Law law) {
    planar::KContacts<T> c;
    common(c, law);
    c.k.xx = (*this)["k_xx"];
    c.k.xy = (*this)["k_xy"];
    c.k.yy = (*this)["k_yy"];
    c.separation_velocity = flat("u0");
    return c;
  }

  std::map<std::string, std::vector<T>> columns;

 private:
  /// A composite reads the parameters of all of its members.
  template <class AnyContacts>
  void common(AnyContacts& c, Law law) {
    c.friction = (*this)["friction"];
    c.restitution = (*this)["restitution"];
    columns::each_parameter(
        [&](const columns::Label& label, columns::Parameter parameter, Column<const T>& column) {
          const bool is_read = law == Law::composite ? columns::readers_of(parameter, is_planar(form)) != 0
                                                     : columns::reads(law, parameter, is_planar(form));
          if (is_read) column = (*this)[label.in_file()];
        },
        c.laws);
    if (law != Law::composite) return;
    columns::each_weight(
        [&](const columns::Label& label, Law, Column<const T>& column) { column = (*this)[label.in_file()]; },
        c.laws.weight);
  }
  Vector3Columns<const T> vector(const std::string& name) {
    return {(*this)[name + "_x"], (*this)[name + "_y"], (*this)[name + "_z"]};
  }
  planar::Vector2Columns<const T> flat(const std::string& name) { return {(*this)[name + "_x"], (*this)[name + "_y"]}; }
  SymmetricColumns<const T> matrix(const std::string& name) {
    return {(*this)[name + "_xx"], (*this)[name + "_xy"], (*this)[name + "_xz"],
            (*this)[name + "_yy"], (*this)[name + "_yz"], (*this)[name + "_zz"]};
  }
  BodyColumns<const T> body(const std::string& side) {
    return {(*this)["inverse_mass_" + side], matrix("inverse_inertia_" + side), vector("velocity_" + side),
            vector("angular_velocity_" + side)};
  }
  planar::BodyColumns<const T> planar_body(const std::string& side) {
    return {(*this)["inverse_mass_" + side], (*this)["inverse_inertia_" + side], flat("velocity_" + side),
            (*this)["angular_velocity_" + side]};
  }
};

/// Results in 2D and 3D. Planar contacts use the components x and y, and the angular velocities about z.
template <class T>
struct Outcomes {
  explicit Outcomes(std::size_t n) : status(n), path(n), work_compression(n), work_decompression(n) {
    for (auto* v : {&impulse, &velocity, &velocity_a, &spin_a, &velocity_b, &spin_b})
      for (auto& column : *v) column.assign(n, T(0));
  }
  std::array<std::vector<T>, 3> impulse, velocity, velocity_a, spin_a, velocity_b, spin_b;
  std::vector<Status> status;
  std::vector<Path> path;
  std::vector<T> work_compression, work_decompression;

  Results<T> spatial(bool bodies) {
    Results<T> r;
    const auto view = [](std::array<std::vector<T>, 3>& v) { return Vector3Columns<T>{v[0], v[1], v[2]}; };
    r.impulse = view(impulse);
    r.separation_velocity = view(velocity);
    if (bodies) {
      r.velocity_a = view(velocity_a);
      r.angular_velocity_a = view(spin_a);
      r.velocity_b = view(velocity_b);
      r.angular_velocity_b = view(spin_b);
    }
    rest(r);
    return r;
  }
  planar::Results<T> planar(bool bodies) {
    planar::Results<T> r;
    const auto view = [](std::array<std::vector<T>, 3>& v) { return planar::Vector2Columns<T>{v[0], v[1]}; };
    r.impulse = view(impulse);
    r.separation_velocity = view(velocity);
    if (bodies) {
      r.velocity_a = view(velocity_a);
      r.angular_velocity_a = spin_a[2];
      r.velocity_b = view(velocity_b);
      r.angular_velocity_b = spin_b[2];
    }
    rest(r);
    return r;
  }

 private:
  void rest(auto& r) {
    r.status = status;
    r.path = path;
    r.work_compression = work_compression;
    r.work_decompression = work_decompression;
  }
};

/// Makes `input` refer to the memory of `output`, after copying its numbers there.
template <class T>
void share(Column<const T>& input, const Column<T>& output) {
  for (std::size_t i = 0; i < input.count; ++i) output[i] = input[i];
  input = output;
}
template <class T>
void share(Vector3Columns<const T>& input, const Vector3Columns<T>& output) {
  share(input.x, output.x), share(input.y, output.y), share(input.z, output.z);
}
template <class T>
void share(planar::Vector2Columns<const T>& input, const planar::Vector2Columns<T>& output) {
  share(input.x, output.x), share(input.y, output.y);
}

/// `in_place`: writes results over the columns that they replace.
template <class T>
Report solve(Solver& solver, AnyContacts<T>& contacts, Outcomes<T>& outcomes, const Options& options,
             bool in_place = false) {
  const auto solve_bodies = [&](auto view, const auto& results) {
    if (in_place) {
      share(view.a.velocity, results.velocity_a);
      share(view.a.angular_velocity, results.angular_velocity_a);
      share(view.b.velocity, results.velocity_b);
      share(view.b.angular_velocity, results.angular_velocity_b);
    }
    return solver.solve(view, results, options);
  };
  const auto solve_space = [&](auto view, const auto& results) {
    if (in_place) share(view.separation_velocity, results.separation_velocity);
    return solver.solve(view, results, options);
  };
  switch (contacts.form) {
    case Form::bodies:
      return solve_bodies(contacts.bodies(options.law), outcomes.spatial(true));
    case Form::space:
      return solve_space(contacts.space(options.law), outcomes.spatial(false));
    case Form::planar_bodies:
      return solve_bodies(contacts.planar_bodies(options.law), outcomes.planar(true));
    default:
      return solve_space(contacts.planar_space(options.law), outcomes.planar(false));
  }
}

/// The contacts rotated so that contact `first` comes first.
template <class T>
AnyContacts<T> rotated(AnyContacts<T> contacts, std::size_t first) {
  for (auto& [name, column] : contacts.columns)
    std::rotate(column.begin(), column.begin() + static_cast<std::ptrdiff_t>(first), column.end());
  return contacts;
}

/// Compares the bits of two contacts' results.
template <class T>
bool has_bits_of(const Outcomes<T>& a, std::size_t i, const Outcomes<T>& b, std::size_t k) {
  const auto same = [](const auto& x, const auto& y) { return std::memcmp(&x, &y, sizeof x) == 0; };
  bool all = a.status[i] == b.status[k] && same(a.work_compression[i], b.work_compression[k]) &&
             same(a.work_decompression[i], b.work_decompression[k]);
  const auto compare = [&](auto... member) {
    for (std::size_t c = 0; c < 3; ++c) ((all = all && same((a.*member)[c][i], (b.*member)[c][k])), ...);
  };
  compare(&Outcomes<T>::impulse, &Outcomes<T>::velocity, &Outcomes<T>::velocity_a, &Outcomes<T>::spin_a,
          &Outcomes<T>::velocity_b, &Outcomes<T>::spin_b);
  return all;
}

}  // namespace carom::probe
