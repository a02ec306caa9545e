#include <carom/carom.h>

#include <carom/mechanism.hpp>
#include <variant>

#include "fields.hpp"
#include "scene_columns.hpp"

using namespace carom;

struct carom_mechanisms {
  std::variant<Mechanisms<float>, Mechanisms<double>> mechanisms;
};

namespace carom::c {

namespace {

/// Calls f(mechanisms, velocity, angular_velocity, joint_impulse) in the precision of the scene.
template <class F>
carom_error change(const carom_mechanisms* mechanisms, const carom_outputs3* velocity,
                   const carom_outputs3* angular_velocity, const carom_output* joint_impulse, const F& f) {
  return guarded([&] {
    std::visit(
        [&]<class T>(const Mechanisms<T>& of) {
          Vector3Columns<T> v, w;
          Column<T> lambda;
          columns::each(TakeEach{}, {}, v, given(velocity, "velocity"));
          columns::each(TakeEach{}, {}, w, given(angular_velocity, "angular_velocity"));
          if (joint_impulse != nullptr) Take{}(lambda, *joint_impulse);
          f(of, v, w, lambda);
        },
        given(mechanisms, "mechanisms").mechanisms);
  });
}

}  // namespace
}  // namespace carom::c

void carom_mechanism_options_init(carom_mechanism_options* options, std::size_t struct_size) {
  c::init<MechanismOptions>(options, struct_size);
}

carom_error carom_mechanisms_create(std::int32_t precision, const carom_scene* scene,
                                    const carom_mechanism_options* options, carom_mechanisms** mechanisms) {
  return c::guarded([&] {
    c::given(mechanisms, "mechanisms") = nullptr;
    const auto with = c::taken<MechanismOptions>(options);
    c::in_precision(precision, [&]<class T>(std::type_identity<T>) {
      *mechanisms = new carom_mechanisms{Mechanisms<T>(c::taken_scene<T>(scene), with)};
    });
  });
}

void carom_mechanisms_destroy(carom_mechanisms* mechanisms) {
  delete mechanisms;
}

carom_error carom_mechanisms_contact(const carom_mechanisms* mechanisms, std::size_t index,
                                     carom_mechanism_contact* contact) {
  return c::guarded([&] {
    c::check_report(&c::given(contact, "contact"));
    const MechanismContact made =
        std::visit([&](const auto& of) { return of.contact(index); }, c::given(mechanisms, "mechanisms").mechanisms);
    c::put_report(made, contact);
    c::clear_rest(*contact);
  });
}

carom_error carom_mechanisms_apply(const carom_mechanisms* mechanisms, const carom_mechanism_contact* contact,
                                   const double impulse[3], const carom_outputs3* velocity,
                                   const carom_outputs3* angular_velocity, const carom_output* joint_impulse) {
  return c::change(mechanisms, velocity, angular_velocity, joint_impulse,
                   [&](const auto& of, const auto& v, const auto& w, const auto& lambda) {
                     const auto taken = c::taken<MechanismContact>(&c::given(contact, "contact"));
                     const double* p = &c::given(impulse, "impulse");
                     of.apply(taken, {p[0], p[1], p[2]}, v, w, lambda);
                   });
}

carom_error carom_mechanisms_satisfy_rows(const carom_mechanisms* mechanisms, const carom_outputs3* velocity,
                                          const carom_outputs3* angular_velocity, const carom_output* joint_impulse) {
  return c::change(
      mechanisms, velocity, angular_velocity, joint_impulse,
      [](const auto& of, const auto& v, const auto& w, const auto& lambda) { of.satisfy_rows(v, w, lambda); });
}
