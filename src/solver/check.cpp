#include "check.hpp"

#include <carom/system.hpp>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

#include "columns.hpp"
#include "derivative_columns.hpp"
#include "instantiate.hpp"
#include "scene/scene_columns.hpp"

namespace carom {
namespace {

using columns::Label;

/// Throws Error at the first column that is not as it should be; every one is compared with the first that is needed.
class ColumnCheck {
 public:
  /// The first column has `count` elements; `some` are known to be wanted.
  ColumnCheck(std::size_t count, bool some) : count_(count), wanted_(some || count > 0) {}

  template <class T>
  [[gnu::noinline]] void need(const Label& label, const Column<T>& column) {
    // An empty batch may come as null pointers: an empty std::vector has no data.
    if (!column && (wanted_ || column.count > 0)) throw Error("carom: the column " + label.in_code() + " is missing");
    if (!known_) first_ = label;
    known_ = true;
    same_length(label, column.count);
  }

  template <class T>
  [[gnu::noinline]] void accept(const Label& label, const Column<T>& column) {
    if (!column && column.count > 0)
      throw Error("carom: the column " + label.in_code() + " has elements, but no address");
    if (column) same_length(label, column.count);
    if (column && !std::is_const_v<T> && column.stride == 0 && column.count > 1)
      throw Error("carom: the result column " + label.in_code() + " has stride 0, so its contacts share one place");
  }

  [[gnu::noinline]] void require(bool condition, const char* otherwise) {
    if (!condition) throw Error(std::string("carom: ") + otherwise);
  }
  template <class T>
  void need_all_or_none(const char* owner, const char* name, const Vector3Columns<const T>& v) {
    if (!v.x && !v.y && !v.z) return;
    columns::each(
        [](const Label& label, const auto& column) {
          if (!column) throw Error("carom: the column " + label.in_code() + " is missing, but others of it are there");
        },
        Label{owner, name}, v);
  }

  bool is_good() const { return true; }

 private:
  void same_length(const Label& label, std::size_t count) const {
    if (count != count_)
      throw Error("carom: the column " + label.in_code() + " has " + std::to_string(count) + " elements, but " +
                  first_.in_code() + " has " + std::to_string(count_));
  }

  Label first_;
  std::size_t count_;
  bool wanted_, known_ = false;
};

/// Tells whether the columns of a call are all there and alike, but not what is wrong: a call of few contacts takes
/// little longer than this. What it does not take for good may still be.
class QuickColumnCheck {
 public:
  /// As of a ColumnCheck.
  QuickColumnCheck(std::size_t count, bool some) : count_(count), wanted_(some || count > 0) {}

  template <class T>
  [[gnu::always_inline]] void need(const Label&, const Column<T>& column) {
    good_ = good_ && (column.data != nullptr || !wanted_) && column.count == count_;
  }
  template <class T>
  [[gnu::always_inline]] void accept(const Label&, const Column<T>& column) {
    const bool shares = !std::is_const_v<T> && column.stride == 0;
    good_ = good_ && (column.data != nullptr ? column.count == count_ && !shares : column.count == 0);
  }
  [[gnu::always_inline]] void require(bool condition, const char*) { good_ = good_ && condition; }
  template <class T>
  void need_all_or_none(const char*, const char*, const Vector3Columns<const T>& v) {
    require(static_cast<bool>(v.x) == static_cast<bool>(v.y) && static_cast<bool>(v.x) == static_cast<bool>(v.z), "");
  }

  bool is_good() const { return good_; }

 private:
  std::size_t count_;
  bool wanted_, good_ = true;
};

/// Shows columns to one of these checks.
template <class Check>
class EachColumn : public Check {
 public:
  explicit EachColumn(std::size_t count, bool some = false) : Check(count, some) {}

  // For each of a form's columns, `of` a scene or of no other; between its label and the column may stand what the
  // column is of.
  auto needs(const char* of = "") { return Show<true>{*this, of}; }
  auto accepts(const char* of = "") { return Show<false>{*this, of}; }

  template <class Contacts>
  [[gnu::always_inline]] void contacts(const Contacts& contacts, const char* of = "") {
    columns::each_number(needs(of), contacts);
    columns::each_index(needs(of), contacts);
    columns::each_choice(accepts(of), contacts.laws);
    columns::each_parameter(accepts(of), contacts.laws);
    columns::each_weight(accepts(of), contacts.laws.weight);
  }

  template <class Bodies>
  [[gnu::always_inline]] void bodies(const Bodies& bodies) {
    columns::each(needs(), Label{"bodies"}, bodies);
  }

  template <class Contacts, class Results>
  [[gnu::always_inline]] void results(const Contacts&, const Results& results) {
    columns::each_vector_result(accepts(), results);
    columns::each_scalar_result(accepts(), results);
    if constexpr (requires(const Contacts& contacts) { contacts.separation_velocity; }) {
      const char* otherwise = "contacts in contact space have no bodies, so there is no result for their velocities";
      columns::each_body_result(
          [&](const Label&, const auto& column) __attribute__((always_inline)) { this->require(!column, otherwise); },
          results);
    }
  }

 private:
  template <bool needed>
  struct Show {
    Check& check;
    const char* of;

    template <class T>
    [[gnu::always_inline]] void operator()(Label label, const Column<T>& column) const {
      if (*of != '\0') label.of = of;
      if constexpr (needed)
        check.need(label, column);
      else
        check.accept(label, column);
    }
    template <class What, class T>
    [[gnu::always_inline]] void operator()(const Label& label, const What&, const Column<T>& column) const {
      (*this)(label, column);
    }
  };
};

/// Shows the columns of a call to a check; show_more(check) shows those beside the contacts.
template <class Check, class Contacts, class ShowMore>
[[gnu::always_inline]] inline bool check_call(const Contacts& contacts, const ShowMore& show_more) {
  EachColumn<Check> all(contacts.friction.count);
  all.contacts(contacts);
  bool good = true;
  if constexpr (requires { contacts.bodies; }) {
    // A host without bodies has empty columns. Where there is no column at all it has forgotten them.
    EachColumn<Check> bodies(contacts.bodies.inverse_mass.count, contacts.friction.count > 0);
    bodies.bodies(contacts.bodies);
    good = bodies.is_good();
  }
  show_more(all);
  return all.is_good() && good;
}

template <class Contacts, class ResultsOf>
[[gnu::noinline]] bool are_good(const Contacts& contacts, const ResultsOf& results) {
  return check_call<QuickColumnCheck>(
      contacts, [&](auto& check) __attribute__((always_inline)) { check.results(contacts, results); });
}
template <class Contacts, class ResultsOf>
[[gnu::cold, gnu::noinline]] void explain(const Contacts& contacts, const ResultsOf& results) {
  check_call<ColumnCheck>(contacts, [&](auto& check) { check.results(contacts, results); });
}

[[noreturn, gnu::cold, gnu::noinline]] void is_out_of_range(double value, double low, double high, const char* name) {
  throw Error(std::string("carom: the option ") + name + " is " + in_words(value) + ", not in [" + in_words(low) +
              ", " + in_words(high) + "]");
}
[[gnu::always_inline]] inline void in_range(double value, double low, double high, const char* name) {
  if (!(value >= low && value <= high)) [[unlikely]]
    is_out_of_range(value, low, high, name);
}

[[noreturn, gnu::cold, gnu::noinline]] void is_none_of(std::size_t count, std::size_t number, const char* name) {
  throw Error(std::string("carom: the option ") + name + " is number " + std::to_string(number) +
              ", of which there are " + std::to_string(count) + " from 0 on");
}
template <class Enum>
[[gnu::always_inline]] inline void is_one_of(std::size_t count, Enum value, const char* name) {
  if (static_cast<std::size_t>(value) >= count) [[unlikely]]
    is_none_of(count, static_cast<std::size_t>(value), name);
}

}  // namespace

std::string in_words(double value) {
  char text[32];
  return std::string(text, std::to_chars(text, text + sizeof text, value, std::chars_format::general, 15).ptr);
}

void check_execution(const Execution& execution) {
  is_one_of(isa_count, execution.isa, "isa");
  in_range(execution.threads, 0, Execution::most_threads, "threads");
}

void check_options(const Options& options) {
  is_one_of(law_count, options.law, "law");
  is_one_of(integrator_count, options.integrator, "integrator");
  is_one_of(restitution_law_count, options.restitution_law, "restitution_law");
  in_range(options.steps, 1, Options::most_steps, "steps");
  in_range(options.step_budget, 1, Options::most_steps, "step_budget");
  in_range(options.largest_restitution, 1, Options::most_restitution, "largest_restitution");
  in_range(options.normal_tolerance, 0, Options::most_tolerance, "normal_tolerance");
  in_range(options.inertia_tolerance, 0, Options::most_tolerance, "inertia_tolerance");
  if (options.integrator == Integrator::euler && options.restitution_law != RestitutionLaw::energetic)
    throw Error("carom: the option restitution_law is " + std::string(to_string(options.restitution_law)) +
                "; the integrator euler offers energetic only");
}

template <template <class> class Contacts, class T, class ResultsOf>
std::size_t check_columns(const Contacts<T>& contacts, const ResultsOf& results) {
  if (!are_good(contacts, results)) [[unlikely]]
    explain(contacts, results);
  return contacts.friction.count;
}

template <template <class> class Contacts, class T>
std::size_t check_region_columns(const Contacts<T>& contacts, const Vector3Columns<const T>& impulse,
                                 const RegionMargins<T>& margins, const ImpulseSpace<T>& space) {
  check_call<ColumnCheck>(contacts, [&](auto& check) {
    columns::each(check.needs(), Label{"", "impulse", "", "impulse"}, impulse);
    columns::each_margin(check.accepts(), margins);
    columns::each_landmark(check.accepts(), space);
  });
  return contacts.friction.count;
}

template <class T>
std::size_t check_gradients(const SpaceContacts<T>& contacts, const Gradients<T>& gradients, const Options& options,
                            double tolerance) {
  check_options(options);
  if (options.integrator != Integrator::series)
    throw Error("carom: the option integrator is " + std::string(to_string(options.integrator)) +
                "; gradients are those of series");
  if (!(tolerance >= 0 && std::isfinite(tolerance)))
    throw Error("carom: the tolerance is " + in_words(tolerance) + ", not a finite number >= 0");
  check_call<ColumnCheck>(contacts, [&](auto& check) {
    const auto derivatives = [&](const char* of, const Derivatives<T>& by) {
      columns::each_derivative(check.accepts(), of, by);
    };
    columns::each_gradient(derivatives, gradients);
    const VectorJacobianProduct<T>& vjp = gradients.cotangent;
    columns::each(check.accepts("gradients.cotangent"), Label{"", "impulse"}, vjp.impulse);
    columns::each(check.accepts("gradients.cotangent"), Label{"", "separation_velocity"}, vjp.separation_velocity);
    derivatives("gradients.cotangent.product", vjp.product);
    check.accept(Label{"gradients", "status"}, gradients.status);
  });
  return contacts.friction.count;
}
template std::size_t check_gradients(const SpaceContacts<float>&, const Gradients<float>&, const Options&, double);
template std::size_t check_gradients(const SpaceContacts<double>&, const Gradients<double>&, const Options&, double);

void check_scene_options(const SceneOptions& options) {
  check_options(options.collision);
  is_one_of(scene_method_count, options.method, "method");
  in_range(options.relative_tolerance, 0, 1, "relative_tolerance");
  constexpr double most = std::numeric_limits<float>::max();
  in_range(options.restitution_threshold, 0, most, "restitution_threshold");
  in_range(options.rest.gravity, 0, most, "rest.gravity");
  in_range(options.rest.tolerance, 0, most, "rest.tolerance");
  const auto is_count = [](int count, const char* name) { in_range(count, 1, SceneLimits::most_iterations, name); };
  is_count(options.shock_propagation.iterations, "shock_propagation.iterations");
  is_count(options.simultaneous.iterations, "simultaneous.iterations");
  in_range(options.simultaneous.warm_start, 0, 1, "simultaneous.warm_start");
  in_range(options.simultaneous.joint_warm_start, 0, 1, "simultaneous.joint_warm_start");
  if (const double relaxation = options.simultaneous.relaxation; !(relaxation > 0 && relaxation < 2))
    throw Error("carom: the option simultaneous.relaxation is " + in_words(relaxation) + ", not in (0, 2)");
  in_range(options.simultaneous.rounds, 1, SceneLimits::most_rounds, "simultaneous.rounds");
  in_range(options.simultaneous.time_step, 0, SceneLimits::most_time_step, "simultaneous.time_step");
  in_range(options.simultaneous.relaxing, 0, SceneLimits::most_iterations, "simultaneous.relaxing");
  is_count(options.sequence.impacts, "sequence.impacts");
  is_count(options.iteration.iterations, "iteration.iterations");
  is_one_of(swept_contacts_count, options.iteration.swept, "iteration.swept");
  is_count(options.resting.iterations, "resting.iterations");
  in_range(options.resting.time_step, 0, SceneLimits::most_time_step, "resting.time_step");
  const bool rests = options.method == SceneMethod::resting || options.method == SceneMethod::step;
  if (rests && !(options.resting.time_step > 0))
    throw Error("carom: the option resting.time_step is 0, but contacts at rest need a step above 0");
  for (const double g : options.resting.gravity) in_range(g, -most, most, "resting.gravity");
  const SubstepsOptions& s = options.substeps;
  in_range(s.time_step, 0, SceneLimits::most_time_step, "substeps.time_step");
  if (options.method == SceneMethod::substeps && !(s.time_step > 0))
    throw Error("carom: the option substeps.time_step is 0, but substeps need a step above 0");
  in_range(s.least, 1, SceneLimits::most_substeps, "substeps.least");
  in_range(s.most, s.least, SceneLimits::most_substeps, "substeps.most");
  in_range(s.rounds, 1, SceneLimits::most_rounds, "substeps.rounds");
  is_count(s.sweeps, "substeps.sweeps");
  in_range(s.relaxing, 0, SceneLimits::most_iterations, "substeps.relaxing");
  is_count(s.restitution_sweeps, "substeps.restitution_sweeps");
  if (!(s.slop > 0)) throw Error("carom: the option substeps.slop is " + in_words(s.slop) + ", not above 0");
  in_range(s.slop, 0, most, "substeps.slop");
  in_range(s.push_out, 0, 1, "substeps.push_out");
  in_range(s.largest_push_out_speed, 0, most, "substeps.largest_push_out_speed");
  if (!(s.joint_frequency >= 0))
    throw Error("carom: the option substeps.joint_frequency is " + in_words(s.joint_frequency) + ", not 0 or above");
  in_range(s.joint_damping_ratio, 0, most, "substeps.joint_damping_ratio");
  in_range(s.contact_damping_ratio, 0, most, "substeps.contact_damping_ratio");
  in_range(s.warm_start, 0, 1, "substeps.warm_start");
  in_range(s.joint_warm_start, 0, 1, "substeps.joint_warm_start");
  const CoulombOptions& c = options.coulomb;
  in_range(c.tolerance, 0, SystemOptions::most_tolerance, "coulomb.tolerance");
  in_range(c.budget, 1, SystemOptions::largest_budget, "coulomb.budget");
  if (!(c.most_friction > 0))
    throw Error("carom: the option coulomb.most_friction is " + in_words(c.most_friction) + ", not above 0");
  in_range(c.most_friction, 0, SystemOptions::largest_friction, "coulomb.most_friction");
  in_range(c.warm_start, 0, 1, "coulomb.warm_start");
}

namespace {

constexpr std::size_t most_of_scene = std::size_t{1} << 31;

template <class Check, class T>
bool check_scene(const Scene<T>& scene, const SceneResults<T>& results) {
  const std::size_t contact_count = scene.contacts.friction.count, row_count = scene.joints.body_a.count;
  const std::size_t body_count = scene.bodies.inverse_mass.count;
  EachColumn<Check> contacts(contact_count), rows(row_count), bodies(body_count, contact_count + row_count > 0);
  contacts.contacts(scene.contacts, "contacts");
  columns::each_of_scene(contacts.accepts(), scene.contacts);
  contacts.need_all_or_none("contacts", "surface_velocity", scene.contacts.surface_velocity);
  contacts.need_all_or_none("contacts", "warm_impulse", scene.contacts.warm_impulse);
  contacts.need_all_or_none("contacts", "warm_angular_impulse", scene.contacts.warm_angular_impulse);
  contacts.need_all_or_none("contacts", "friction_direction", scene.contacts.friction_direction);
  contacts.require(
      static_cast<bool>(scene.contacts.friction_2) == static_cast<bool>(scene.contacts.friction_direction.x),
      "of the columns contacts.friction_2 and contacts.friction_direction one is missing");
  contacts.require(!scene.contacts.damping || scene.contacts.stiffness,
                   "the column contacts.damping needs the column contacts.stiffness");
  columns::each_scene_result(contacts.accepts(), results);
  columns::each_needed_of_rows(rows.needs(), scene.joints);
  columns::each_optional_of_rows(rows.accepts(), scene.joints);
  const auto &arm_a = scene.joints.arm_a, &arm_b = scene.joints.arm_b;
  rows.need_all_or_none("joints", "arm_a", arm_a);
  rows.need_all_or_none("joints", "arm_b", arm_b);
  rows.require(static_cast<bool>(arm_a.x) == static_cast<bool>(arm_b.x),
               "of the columns joints.arm_a and joints.arm_b one is missing");
  columns::each_scene_row_result(rows.accepts(), results);
  bodies.bodies(scene.bodies);
  columns::each_of_scene_bodies(bodies.accepts(), scene.bodies);
  const auto &change = scene.bodies.velocity_change, &angular_change = scene.bodies.angular_velocity_change;
  bodies.need_all_or_none("bodies", "velocity_change", change);
  bodies.need_all_or_none("bodies", "angular_velocity_change", angular_change);
  bodies.require(static_cast<bool>(change.x) == static_cast<bool>(angular_change.x),
                 "of the columns bodies.velocity_change and bodies.angular_velocity_change one is missing");
  columns::each_scene_body_result(bodies.accepts(), results);
  columns::each_island_result(bodies.accepts(), results.islands);
  bodies.require(contact_count < most_of_scene && row_count < most_of_scene && body_count < most_of_scene,
                 "a scene has at most 2147483647 bodies, contacts and rows each");
  return contacts.is_good() && rows.is_good() && bodies.is_good();
}

template <class T>
[[gnu::noinline]] bool are_good(const Scene<T>& scene, const SceneResults<T>& results) {
  return check_scene<QuickColumnCheck>(scene, results);
}
template <class T>
[[gnu::cold, gnu::noinline]] void explain(const Scene<T>& scene, const SceneResults<T>& results) {
  check_scene<ColumnCheck>(scene, results);
}

}  // namespace

template <class T>
void check_scene_columns(const Scene<T>& scene, const SceneResults<T>& results) {
  if (!are_good(scene, results)) [[unlikely]]
    explain(scene, results);
}
template void check_scene_columns(const Scene<float>&, const SceneResults<float>&);
template void check_scene_columns(const Scene<double>&, const SceneResults<double>&);

#define CAROM_INSTANTIATE(T, Contacts) \
  template std::size_t check_columns(const Contacts<T>&, const ResultsOf<Contacts<T>>&);
CAROM_FOR_FORMS(CAROM_INSTANTIATE)
CAROM_FOR_PLANAR_FORMS(CAROM_INSTANTIATE)
#undef CAROM_INSTANTIATE
#define CAROM_INSTANTIATE(T, Contacts)                                                          \
  template std::size_t check_region_columns(const Contacts<T>&, const Vector3Columns<const T>&, \
                                            const RegionMargins<T>&, const ImpulseSpace<T>&);
CAROM_FOR_FORMS(CAROM_INSTANTIATE)
#undef CAROM_INSTANTIATE

}  // namespace carom
