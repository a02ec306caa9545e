#include "support/contacts/random_contacts.hpp"

namespace carom::support {
namespace {

template <class T>
Vector3Columns<T> columns(Vectors3<T>& v) {
  return {v[0], v[1], v[2]};
}

}  // namespace

template <class T>
ResultArrays<T>::ResultArrays(std::size_t contacts, bool bodies)
    : status(contacts), path(contacts), work_compression(contacts), work_decompression(contacts), steps(contacts) {
  for (auto* vectors : {&impulse, &separation_velocity}) vectors->fill(std::vector<T>(contacts));
  if (bodies) {
    for (auto* vectors : {&velocity_a, &angular_velocity_a, &velocity_b, &angular_velocity_b}) {
      vectors->fill(std::vector<T>(contacts));
    }
  }
}

template <class T>
Results<T> ResultArrays<T>::results() {
  Results<T> r;
  r.impulse = columns(impulse);
  r.separation_velocity = columns(separation_velocity);
  if (!velocity_a[0].empty()) {
    r.velocity_a = columns(velocity_a);
    r.angular_velocity_a = columns(angular_velocity_a);
    r.velocity_b = columns(velocity_b);
    r.angular_velocity_b = columns(angular_velocity_b);
  }
  r.status = status;
  r.path = path;
  r.work_compression = work_compression;
  r.work_decompression = work_decompression;
  r.steps = steps;
  return r;
}

template struct ResultArrays<float>;
template struct ResultArrays<double>;

}  // namespace carom::support
