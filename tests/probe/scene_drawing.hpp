// A drawn scene, and the common base of its drawers.
#pragma once

#include <array>
#include <carom/scene.hpp>
#include <string_view>
#include <vector>

#include "core/columns/columns.hpp"
#include "support/scenes/generators.hpp"
#include "support/scenes/method_options.hpp"

namespace carom::probe {

using scenes::MethodOptions;
using scenes::Procedure;

enum class SceneKind {
  ordinary,
  manifolds,    ///< pairs with up to six points and one normal
  mass_ratio,   ///< masses over six decades
  steep,        ///< lever arms much longer than the radius of gyration
  anisotropic,  ///< inertias in ratios up to 1000, and warm impulses along the slip
  driven,       ///< belts, targets, kinematic bodies, forces
  joints,
  jammed,  ///< one or two bodies between contradictory contacts with the world
  limits,  ///< friction, restitution and bounds at their limits
  range,   ///< one number next to the range of the precision
  faults,
  models,   ///< friction ellipses, rolling and spinning friction, compliance
  rotors,   ///< bodies that can only turn, with K and rows that are singular or nearly so
  crowded,  ///< a body with hundreds of contacts
  zeros,    ///< zeros of either sign
};
inline constexpr std::array<std::string_view, 15> scene_kind_names{
    "ordinary", "manifolds", "mass_ratio", "steep",  "anisotropic", "driven",  "joints", "jammed",
    "limits",   "range",     "faults",     "models", "rotors",      "crowded", "zeros"};

template <class T>
struct DrawnScene {
  SceneKind kind{};
  double stretch = 1;  ///< factor on the inverse inertias of SceneKind::steep
  scenes::SceneData<T> data;
  SceneOptions options;
  Pgs pgs;                               ///< options of calls that take Pgs after the method
  LawColumns<T> laws;                    ///< parameters of laws, constants; `data` has tangential restitution
  std::vector<Status> fault, row_fault;  ///< faults drawn for contacts and rows; ok for all others

  /// Returns the procedure of a call. Pgs with position correction is a substep.
  Procedure procedure() const { return scene::call_options(options).procedure; }
  /// The columns that the method reads.
  Scene<T> view() const {
    Scene<T> all = data.view();
    columns::each_law_column(
        [](const columns::Label&, auto& column, const auto& constant) {
          if (constant) column = constant;
        },
        all.contacts.laws, laws);
    return select(all, options.method);
  }
};

/// Base of the classes that draw a part of `scene` from the random numbers of `draw`.
template <class T>
class SceneDrawing {
 public:
  SceneDrawing(support::Draw& draw, DrawnScene<T>& scene) : draw_(draw), scene_(scene) {}

 protected:
  scenes::SceneData<T>& data() { return scene_.data; }
  bool is(SceneKind kind) const { return scene_.kind == kind; }
  bool chance(std::size_t of) { return draw_.below(of) == 0; }
  T number(double low, double high) { return static_cast<T>(draw_.uniform(low, high)); }

  bool moves(std::int32_t body) {
    if (body < 0) return false;
    const auto b = static_cast<std::size_t>(body);
    const auto& j = data().bodies.inverse_inertia;
    return data().bodies.inverse_mass[b] > T(0) || j[0][b] + j[3][b] + j[5][b] > T(0);
  }

  support::Draw& draw_;
  DrawnScene<T>& scene_;
};

}  // namespace carom::probe
