#include "check.hpp"

#include <algorithm>
#include <type_traits>

#include "column_check.hpp"
#include "columns.hpp"
#include "derivative_columns.hpp"
#include "instantiate.hpp"
#include "law_columns.hpp"
#include "scene_columns.hpp"
#include "text.hpp"

namespace carom {
namespace {

using columns::Label;

/// Checks whether the columns of a call are complete, of equal length and no constants, without finding the fault. It
/// must be fast: a whole call with few contacts takes little longer. A call that this check rejects may still be valid.
class QuickColumnCheck {
 public:
  /// The columns have `count` elements. `some`: columns are required even if `count` is 0.
  QuickColumnCheck(std::size_t count, bool some)
      : count_(count), wanted_(some || count > 0), good_(count != Column<const float>::every) {}

  template <class T>
  [[gnu::always_inline]] void need(const Label&, const Column<T>& column) {
    good_ = good_ && (column.data != nullptr || !wanted_) && column.count == count_;
  }
  template <class T>
  [[gnu::always_inline]] void accept(const Label&, const Column<T>& column) {
    const bool shares = !std::is_const_v<T> && column.stride == 0;
    good_ = good_ && (column.data != nullptr ? column.count == count_ && !shares : column.count == 0);
  }
  [[gnu::always_inline]] void require(bool condition, const char*, const char*) { good_ = good_ && condition; }
  [[gnu::always_inline]] void at_most(std::size_t count, std::size_t most, const char*, const char*, const char*) {
    good_ = good_ && count <= most;
  }
  template <class T>
  void need_all_or_none(const Label&, const Vector3Columns<const T>& v) {
    require(static_cast<bool>(v.x) == static_cast<bool>(v.y) && static_cast<bool>(v.x) == static_cast<bool>(v.z), "",
            "");
  }

  bool is_good(const char*) const { return good_; }

 private:
  std::size_t count_;
  bool wanted_, good_;
};

/// Passes columns to one of these checks.
template <class Check>
class EachColumn : public Check {
 public:
  template <class Length>
  explicit EachColumn(const Length& length, bool some = false) : Check(length, some) {}

  // For the columns of a form. `of` replaces the owner in their labels, if not empty. Some columns come with a further
  // argument between label and column, which is ignored.
  auto needs(const char* of = "") { return Show<true>{*this, of}; }
  auto accepts(const char* of = "") { return Show<false>{*this, of}; }

  template <class AnyContacts>
  [[gnu::always_inline]] void contacts(const AnyContacts& contacts, const char* of = "") {
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

  template <class AnyContacts, class Results>
  [[gnu::always_inline]] void results(const AnyContacts&, const Results& results) {
    columns::each_vector_result(accepts(), results);
    columns::each_scalar_result(accepts(), results);
    if constexpr (requires(const AnyContacts& contacts) { contacts.separation_velocity; }) {
      const char* otherwise = "contacts in contact space have no bodies, so there is no result for their velocities";
      columns::each_body_result(
          [&](const Label&, const auto& column)
              __attribute__((always_inline)) { this->require(!column, "velocity_a", otherwise); },
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

/// Passes the columns of contacts and of their bodies to checks.
template <class Check, class AnyContacts, class Length>
[[gnu::always_inline]] inline bool check_contacts(EachColumn<Check>& all, const AnyContacts& contacts,
                                                  const Length& body_count) {
  all.contacts(contacts);
  if constexpr (requires { contacts.bodies; }) {
    // A caller without bodies has empty columns. Missing columns mean that the caller has forgotten them.
    EachColumn<Check> bodies(body_count, contacts.friction.count > 0);
    bodies.bodies(contacts.bodies);
    return bodies.is_good("bodies");
  }
  return true;
}

/// Throws Error if a column of the contacts is at fault. Returns the check for the other columns. As "cold" it is
/// compiled for size.
template <template <class> class AnyContacts, class T>
[[gnu::cold, gnu::noinline]] EachColumn<ColumnCheck> explain_contacts(const AnyContacts<T>& given,
                                                                      const columns::FormLengths& lengths) {
  AnyContacts<T> contacts = given;
  columns::add_world(contacts, lengths.contacts.count);
  EachColumn<ColumnCheck> all(lengths.contacts);
  check_contacts(all, contacts, lengths.bodies);
  return all;
}
/// Throws Error if a column is at fault. show_more(check) passes all columns other than the contacts'.
template <class AnyContacts, class ShowMore>
[[gnu::cold, gnu::noinline]] void explain(const AnyContacts& given, const columns::FormLengths& lengths,
                                          const ShowMore& show_more) {
  EachColumn<ColumnCheck> all = explain_contacts(given, lengths);
  show_more(all);
  all.is_good("contacts");
}

template <class AnyContacts, class ResultsOf>
[[gnu::noinline]] bool are_good(const AnyContacts& contacts, const ResultsOf& results) {
  std::size_t bodies = 0;
  if constexpr (requires { contacts.bodies; }) bodies = contacts.bodies.inverse_mass.count;
  EachColumn<QuickColumnCheck> all(contacts.friction.count);
  const bool good = check_contacts(all, contacts, bodies);
  all.results(contacts, results);
  return all.is_good("contacts") && good;
}
/// Throws Error for a column of laws or an option that no law of the call reads.
template <class T>
[[gnu::cold, gnu::noinline]] void check_what_laws_read(const LawColumns<T>& columns, const Options& options,
                                                       bool planar) {
  const unsigned laws = columns::possible_laws(columns, options.law);
  check_options_of_laws(options, laws, planar);
  const auto refuse_unread = [&](const Label& label, const auto& column) {
    if (!column) [[likely]]
      return;
    const bool is_step = label.member == std::string_view("step");
    if (is_step && (planar || (laws & columns::bit_of(Law::incremental)) != 0))
      refuse_column(
          label, planar ? " is not read: planar contacts are not integrated" : " is not read by the integrator series",
          "; leave it out");
    refuse_column(label, " is not read by ", columns.law ? "laws of planar contacts" : "the law ",
                  columns.law ? "" : to_string(options.law), "; leave it out");
  };
  columns::each_unread_law_column(refuse_unread, columns, laws, options.integrator, planar);
}

/// The contacts without constants, after their check. For size, as most forms of contacts have a copy of this function.
template <class AnyContacts, class ResultsOf>
[[gnu::cold, gnu::noinline]] Resolved<AnyContacts> resolve(const AnyContacts& given, const ResultsOf& results) {
  const columns::FormLengths lengths(given);
  const Resolved<AnyContacts> made(given, columns::without_constants(given, lengths));
  if (lengths.are_missing() || !are_good(*made, results)) [[unlikely]]
    explain(given, lengths, [&](auto& check) { check.results(given, results); });
  return made;
}

}  // namespace

template <template <class> class AnyContacts, class T, class ResultsOf>
Resolved<AnyContacts<T>> check_columns(const AnyContacts<T>& contacts, const ResultsOf& results,
                                       const Options& options) {
  constexpr bool planar = FormTraits<AnyContacts<T>>::is_planar;
  bool is_doubtful = options != Options{.law = options.law, .data = options.data};
  columns::each_unread_law_column(
      [&](const Label&, const auto& column) __attribute__((always_inline)) { is_doubtful = is_doubtful || column; },
      contacts.laws, columns::possible_laws(contacts.laws, options.law), options.integrator, planar);
  if (is_doubtful) check_what_laws_read(contacts.laws, options, planar);
  if (are_good(contacts, results)) return Resolved(contacts);
  return resolve(contacts, results);
}

template <template <class> class AnyContacts, class T>
[[gnu::cold]] RegionColumns<AnyContacts<T>, T> check_region_columns(const AnyContacts<T>& contacts,
                                                                    const Vector3Columns<const T>& impulse,
                                                                    const RegionMargins<T>& margins,
                                                                    const ImpulseSpace<T>& space,
                                                                    const Options& options) {
  columns::each_law_column(
      [](const Label& label, const auto& column) {
        if (column) refuse_column(label, " is not read by find_margins; leave it out");
      },
      contacts.laws);
  check_options_of_margins(options);
  columns::FormLengths lengths(contacts);
  columns::each(lengths.contacts, {}, impulse);
  explain(contacts, lengths, [&](auto& check) {
    columns::each(check.needs(), Label{"", "impulse", "", "impulse"}, impulse);
    columns::each_margin(check.accepts(), margins);
    columns::each_landmark(check.accepts(), space);
  });
  RegionColumns<AnyContacts<T>, T> made{columns::without_constants(contacts, lengths), impulse};
  columns::each(columns::WithoutConstants{lengths.contacts.count}, {}, made.impulse, impulse);
  return made;
}

template <class T>
[[gnu::cold]] GradientColumns<T> check_gradients(const KContacts<T>& contacts, const Gradients<T>& gradients,
                                                 const Options& options, double tolerance) {
  check_options(options);
  if (options.integrator != Integrator::series)
    refuse_option("integrator", " is ", to_string(options.integrator), "; gradients are those of series");
  check_tolerance(tolerance);
  check_what_laws_read(contacts.laws, options, false);
  const auto each_input = [](const auto& f, auto& first, auto&... rest) {
    columns::each(f, Label{"", "impulse"}, first.cotangent.impulse, rest.cotangent.impulse...);
    columns::each(f, Label{"", "separation_velocity"}, first.cotangent.separation_velocity,
                  rest.cotangent.separation_velocity...);
  };
  columns::FormLengths lengths(contacts);
  each_input([&](const Label& label, const auto& column) { lengths.contacts(label, column); }, gradients);
  explain(contacts, lengths, [&](auto& check) {
    const auto derivatives = [&](const char* of, const Derivatives<T>& by) {
      columns::each_derivative(check.accepts(), of, by);
    };
    columns::each_gradient(derivatives, gradients);
    each_input(check.accepts("gradients.cotangent"), gradients);
    derivatives("gradients.cotangent.product", gradients.cotangent.product);
    check.accept(Label{"gradients", "status"}, gradients.status);
  });
  GradientColumns<T> made{columns::without_constants(contacts, lengths), gradients};
  each_input(columns::WithoutConstants{lengths.contacts.count}, made.gradients, gradients);
  return made;
}
template GradientColumns<float> check_gradients(const KContacts<float>&, const Gradients<float>&, const Options&,
                                                double);
template GradientColumns<double> check_gradients(const KContacts<double>&, const Gradients<double>&, const Options&,
                                                 double);

namespace {

template <class Check>
void check_size(Check& check, std::size_t bodies, std::size_t contacts, std::size_t rows) {
  check.at_most(bodies, SceneLimits::max_bodies, "SceneLimits::max_bodies", "scene", "bodies");
  // Saturates if the sum exceeds the range of std::size_t.
  check.at_most(contacts + std::min(rows, ~contacts), SceneLimits::max_contacts_and_rows,
                "SceneLimits::max_contacts_and_rows", "scene", "contacts and joint rows");
}

std::size_t count_of(std::size_t count) {
  return count;
}
std::size_t count_of(const columns::Length& length) {
  return length.count;
}

template <class Check, class T, class Length>
bool check_scene(const Scene<T>& scene, const SceneResults<T>& results, const Length& contact_length,
                 const Length& row_length, const Length& body_length) {
  const std::size_t contact_count = count_of(contact_length), row_count = count_of(row_length),
                    body_count = count_of(body_length);
  EachColumn<Check> contacts(contact_length), rows(row_length), bodies(body_length, contact_count + row_count > 0);
  contacts.contacts(scene.contacts, "contacts");
  columns::each_of_scene(contacts.accepts(), scene.contacts);
  contacts.need_all_or_none({"contacts", "surface_velocity"}, scene.contacts.surface_velocity);
  contacts.need_all_or_none({"contacts", "warm_impulse"}, scene.contacts.warm_impulse);
  contacts.need_all_or_none({"contacts", "warm_angular_impulse"}, scene.contacts.warm_angular_impulse);
  contacts.need_all_or_none({"contacts", "friction_direction"}, scene.contacts.friction_direction);
  contacts.require(
      static_cast<bool>(scene.contacts.friction_2) == static_cast<bool>(scene.contacts.friction_direction.x),
      scene.contacts.friction_2 ? "contacts.friction_direction" : "contacts.friction_2",
      "of the columns contacts.friction_2 and contacts.friction_direction one is missing");
  contacts.require(!scene.contacts.damping || scene.contacts.stiffness, "contacts.stiffness",
                   "the column contacts.damping needs the column contacts.stiffness");
  columns::each_scene_result(contacts.accepts(), results);
  columns::each_needed_of_rows(rows.needs(), scene.joints);
  columns::each_optional_of_rows(rows.accepts(), scene.joints);
  const auto &r_a = scene.joints.r_a, &r_b = scene.joints.r_b;
  rows.need_all_or_none({"joints", "r_a"}, r_a);
  rows.need_all_or_none({"joints", "r_b"}, r_b);
  rows.require(static_cast<bool>(r_a.x) == static_cast<bool>(r_b.x), r_a.x ? "joints.r_b" : "joints.r_a",
               "of the columns joints.r_a and joints.r_b one is missing");
  columns::each_scene_row_result(rows.accepts(), results);
  bodies.bodies(scene.bodies);
  columns::each_of_scene_bodies(bodies.accepts(), scene.bodies);
  const auto &change = scene.bodies.velocity_change, &angular_change = scene.bodies.angular_velocity_change;
  bodies.need_all_or_none({"bodies", "velocity_change"}, change);
  bodies.need_all_or_none({"bodies", "angular_velocity_change"}, angular_change);
  bodies.require(static_cast<bool>(change.x) == static_cast<bool>(angular_change.x),
                 change.x ? "bodies.angular_velocity_change" : "bodies.velocity_change",
                 "of the columns bodies.velocity_change and bodies.angular_velocity_change one is missing");
  columns::each_scene_body_result(bodies.accepts(), results);
  columns::each_island_result(bodies.accepts(), results.islands);
  check_size(bodies, body_count, contact_count, row_count);
  return contacts.is_good("contacts") && rows.is_good("joint rows") && bodies.is_good("bodies");
}

template <class T>
[[gnu::noinline]] bool are_good(const Scene<T>& scene, const SceneResults<T>& results) {
  return check_scene<QuickColumnCheck>(scene, results, scene.contacts.friction.count, scene.joints.body_a.count,
                                       scene.bodies.inverse_mass.count);
}
template <class T>
[[gnu::cold, gnu::noinline]] void explain(const Scene<T>& scene, const SceneResults<T>& results,
                                          const columns::SceneLengths& lengths) {
  check_scene<ColumnCheck>(scene, results, lengths.contacts, lengths.rows, lengths.bodies);
}

}  // namespace

void check_scene_size(std::size_t bodies, std::size_t contacts, std::size_t joint_rows) {
  ColumnCheck check(columns::Length{}, false);
  check_size(check, bodies, contacts, joint_rows);
}

template <class T>
bool check_scene_columns(const Scene<T>& scene, const SceneResults<T>& results) {
  if (are_good(scene, results)) return false;
  const columns::SceneLengths lengths(scene);
  if (lengths.are_missing() || !are_good(columns::without_constants(scene, lengths), results)) [[unlikely]]
    explain(scene, results, lengths);
  return lengths.have_constants();
}
template bool check_scene_columns(const Scene<float>&, const SceneResults<float>&);
template bool check_scene_columns(const Scene<double>&, const SceneResults<double>&);

template <class T>
Scene<T> without_constants(const Scene<T>& scene) {
  return columns::without_constants(scene, columns::SceneLengths(scene));
}
template Scene<float> without_constants(const Scene<float>&);
template Scene<double> without_constants(const Scene<double>&);

namespace {

/// Calls f(label, column) for every column that `method` does not read.
template <class F, class AnyScene>
void each_unread(const SceneOptions::Method& method, AnyScene& scene, const F& f) {
  columns::each_unread(columns::reader_of(method), scene.contacts, scene.joints, f);
  const auto visit_laws = [&](columns::Label label, auto& column) {
    label.of = "contacts";
    label.readers = columns::readers_of_laws;
    f(label, column);
  };
  auto& laws = scene.contacts.laws;
  if (const auto* impacts = std::get_if<SequentialImpacts>(&method))
    columns::each_unread_law_column(visit_laws, laws, columns::possible_laws(laws, impacts->law), impacts->integrator,
                                    false);
  else
    columns::each_law_column(visit_laws, laws);
}

/// Throws Error for the default of a column that no contact or row reads, because the column is there.
template <class T>
void check_defaults_of_columns(const Scene<T>& scene, const SceneOptions& options) {
  const auto* substeps = std::get_if<Substeps>(&options.method);
  const auto* pgs = std::get_if<Pgs>(&options.method);
  const bool has_correction = pgs != nullptr && pgs->position_correction;
  if (substeps == nullptr && !has_correction) return;
  const PositionCorrection &of = has_correction ? *pgs->position_correction : substeps->position_correction, usual;
  const auto check = [&](double PositionCorrection::*member, const Column<const T>& column, const char* name,
                         const char* column_name) {
    if (of.*member == usual.*member || !column || column.count == 0) [[likely]]
      return;
    const Text option(has_correction ? "pgs" : "substeps", ".position_correction.", name);
    throw Error(Text("carom: the option ", option, " is ", of.*member, ", but is not read together with the column ",
                     column_name, "; leave out one of them"),
                {.option = option});
  };
  check(&PositionCorrection::joint_frequency, scene.joints.frequency, "joint_frequency", "joints.frequency");
  check(&PositionCorrection::joint_damping_ratio, scene.joints.damping_ratio, "joint_damping_ratio",
        "joints.damping_ratio");
  check(&PositionCorrection::contact_damping_ratio, scene.contacts.damping_ratio, "contact_damping_ratio",
        "contacts.damping_ratio");
}

}  // namespace

template <class T>
void check_columns_of_method(const Scene<T>& scene, const SceneOptions& options) {
  const LawColumns<T>& laws = scene.contacts.laws;
  const auto* impacts = std::get_if<SequentialImpacts>(&options.method);
  if (impacts != nullptr) check_options_of_laws(*impacts, columns::possible_laws(laws, impacts->law));
  check_defaults_of_columns(scene, options);
  each_unread(options.method, scene, [&](const columns::Label& label, const auto& column) {
    if (column) [[unlikely]]
      refuse_column(label, " is not read by the method ", to_string(options.selected()),
                    label.readers & columns::by_corrected_pgs && options.selected() == SceneMethod::pgs
                        ? " without position_correction"
                        : "",
                    impacts != nullptr ? " under its law" : "", "; leave it out");
  });
}
template void check_columns_of_method(const Scene<float>&, const SceneOptions&);
template void check_columns_of_method(const Scene<double>&, const SceneOptions&);

template <class T>
[[gnu::cold]] Scene<T> select(const Scene<T>& scene, const SceneOptions::Method& method) {
  Scene<T> made = scene;
  each_unread(method, made, [](const columns::Label&, auto& column) { column = {}; });
  return made;
}
template Scene<float> select(const Scene<float>&, const SceneOptions::Method&);
template Scene<double> select(const Scene<double>&, const SceneOptions::Method&);

template <ContactForm AnyContacts>
[[gnu::cold]] AnyContacts select(const AnyContacts& contacts, const Options& options) {
  AnyContacts made = contacts;
  columns::each_unread_law_column([](const Label&, auto& column) { column = {}; }, made.laws,
                                  columns::possible_laws(contacts.laws, options.law), options.integrator,
                                  FormTraits<AnyContacts>::is_planar);
  return made;
}
#define CAROM_INSTANTIATE(T, AnyContacts) template AnyContacts<T> select(const AnyContacts<T>&, const Options&);
CAROM_FOR_FORMS(CAROM_INSTANTIATE)
CAROM_FOR_PLANAR_FORMS(CAROM_INSTANTIATE)
#undef CAROM_INSTANTIATE

#define CAROM_INSTANTIATE(T, AnyContacts)                                                                  \
  template Resolved<AnyContacts<T>> check_columns(const AnyContacts<T>&, const ResultsOf<AnyContacts<T>>&, \
                                                  const Options&);
CAROM_FOR_FORMS(CAROM_INSTANTIATE)
CAROM_FOR_PLANAR_FORMS(CAROM_INSTANTIATE)
#undef CAROM_INSTANTIATE
#define CAROM_INSTANTIATE(T, AnyContacts)                                                                     \
  template RegionColumns<AnyContacts<T>, T> check_region_columns(                                             \
      const AnyContacts<T>&, const Vector3Columns<const T>&, const RegionMargins<T>&, const ImpulseSpace<T>&, \
      const Options&);
CAROM_FOR_FORMS(CAROM_INSTANTIATE)
#undef CAROM_INSTANTIATE

}  // namespace carom
