#include <carom/carom.h>

#include <bit>
#include <carom/body_gradients.hpp>
#include <carom/solver.hpp>

#include "contact_columns.hpp"
#include "core/columns/derivative_columns.hpp"
#include "solver.hpp"

using namespace carom;

namespace carom::c {

namespace {

constexpr auto columns_of_derivatives = [](auto&& f, auto&... by) { columns::each_derivative(f, "", by...); };

template <class T>
Gradients<T> taken_gradients(const carom_gradients* gradients) {
  Gradients<T> to;
  static_assert(sizeof *gradients ==
                sizeof(std::size_t) + (columns::gradient_rows + 1) * sizeof(void*) + sizeof(carom_output));
  if (gradients == nullptr) return to;
  const Given<carom_gradients> from(*gradients);
  const carom_derivatives* const in_c[columns::gradient_rows] = {from->impulse_x,  from->impulse_y,  from->impulse_z,
                                                                 from->velocity_x, from->velocity_y, from->velocity_z};
  std::size_t row = 0;
  columns::each_gradient(
      [&](const char*, Derivatives<T>& of) { take_columns(of, in_c[row++], columns_of_derivatives); }, to);
  Take{}(to.status, from->status);
  if (from->cotangent == nullptr) return to;
  const Given<carom_vector_jacobian_product> cotangent(*from->cotangent);
  auto& [impulse, separation_velocity, product] = to.cotangent;
  columns::each(TakeEach{}, {}, impulse, cotangent->impulse);
  columns::each(TakeEach{}, {}, separation_velocity, cotangent->separation_velocity);
  take_columns(product, cotangent->product, columns_of_derivatives);
  return to;
}

}  // namespace
}  // namespace carom::c

carom_error carom_differentiate(carom_solver* solver, std::int32_t precision, const carom_k_contacts* contacts,
                                const carom_gradients* gradients, const carom_options* options, double tolerance,
                                carom_gradient_report* report) {
  return c::report_of(solver, report, [&](Solver& with) {
    const auto options_of_call = c::taken<Options>(options);
    return c::in_precision(precision, [&]<class T>(std::type_identity<T>) {
      return with.differentiate(c::taken_contacts<KContacts<T>>(contacts), c::taken_gradients<T>(gradients),
                                options_of_call, c::tolerance_of<T>(tolerance));
    });
  });
}

// Structs of the same numbers in the same order, which tests compare.

carom_error carom_contact_space_of(const carom_body_pair* pair, carom_contact_space* space) {
  return c::guarded([&] {
    c::given(space, "space") =
        std::bit_cast<carom_contact_space>(contact_space(std::bit_cast<BodyPair<double>>(c::given(pair, "pair"))));
  });
}

carom_error carom_pull_back(const carom_body_pair* pair, const carom_contact_space* space,
                            const carom_contact_cotangent* cotangent, carom_body_pair* derivatives) {
  return c::guarded([&] {
    c::given(derivatives, "derivatives") = std::bit_cast<carom_body_pair>(
        pull_back(std::bit_cast<BodyPair<double>>(c::given(pair, "pair")),
                  std::bit_cast<ContactSpace<double>>(c::given(space, "space")),
                  std::bit_cast<ContactCotangent<double>>(c::given(cotangent, "cotangent"))));
  });
}

std::int64_t carom_gradient_report_first(const carom_gradient_report* report, std::int32_t status) {
  return c::first_of(report, &carom_gradient_report::by_status, &carom_gradient_report::first, status);
}
