// Coefficients of pairs of bodies.
#include <carom/joints.hpp>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/columns/column_check.hpp"

namespace carom {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

}  // namespace

double combine(CombineRule rule, double a, double b) {
  const bool is_number = !std::isnan(a) && !std::isnan(b), has_product = a >= 0 && b >= 0;
  const double product = a == 0 || b == 0 ? 0 : a * b;
  switch (rule) {
    case CombineRule::mean:
      return std::midpoint(a, b);
    case CombineRule::geometric_mean:
      return has_product ? std::sqrt(product) : nan;
    case CombineRule::min:
      return is_number ? std::fmin(a, b) : nan;
    case CombineRule::max:
      return is_number ? std::fmax(a, b) : nan;
    case CombineRule::product:
      return has_product ? product : nan;
  }
  throw Error(Text("carom: number ", static_cast<int>(rule), " is not a rule of combination"), {.option = "rule"});
}

template <class T>
void combine(CombineRule rule, const std::type_identity_t<Column<const T>>& given_of_bodies, T of_world,
             const Column<const std::int32_t>& given_body_a, const Column<const std::int32_t>& given_body_b,
             const std::type_identity_t<Column<T>>& result) {
  columns::Length length;
  length({}, given_body_a);
  length({}, given_body_b);
  ColumnCheck of_contacts(length, false), all_bodies({"of_bodies"}, given_of_bodies.count);
  of_contacts.need({"body_a"}, given_body_a);
  of_contacts.need({"body_b"}, given_body_b);
  of_contacts.is_good("contacts");
  of_contacts.need({"result"}, result);
  all_bodies.need({"of_bodies"}, given_of_bodies);
  static_cast<void>(combine(rule, 0, 0));  // throws if there is no such rule

  const std::size_t count = length.count;
  Column<const T> of_bodies = given_of_bodies;
  Column<const std::int32_t> body_a = given_body_a, body_b = given_body_b;
  columns::WithoutConstants{given_of_bodies.count}({}, of_bodies, given_of_bodies);
  columns::WithoutConstants{count}({}, body_a, given_body_a);
  columns::WithoutConstants{count}({}, body_b, given_body_b);
  const auto of = [&](std::int32_t body) -> double {
    if (body == -1) return of_world;
    return body >= 0 && static_cast<std::size_t>(body) < of_bodies.count ? of_bodies[static_cast<std::size_t>(body)]
                                                                         : nan;
  };
  for (std::size_t i = 0; i < count; ++i) result[i] = static_cast<T>(combine(rule, of(body_a[i]), of(body_b[i])));
}

#define CAROM_INSTANTIATE(T)                                                                  \
  template void combine(CombineRule, const std::type_identity_t<Column<const T>>&, T,         \
                        const Column<const std::int32_t>&, const Column<const std::int32_t>&, \
                        const std::type_identity_t<Column<T>>&);
CAROM_INSTANTIATE(float)
CAROM_INSTANTIATE(double)
#undef CAROM_INSTANTIATE

}  // namespace carom
