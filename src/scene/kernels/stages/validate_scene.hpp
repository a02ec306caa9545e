// Validate: the faults of bodies, contacts and rows, each by itself, so that faulty data are left out before
// islands and colours are made.
#pragma once

#include "scene/kernels/blocks/neighbours.hpp"
#include "scene/kernels/models/validate.hpp"

namespace carom::kernel {
namespace {

template <class A, class T>
struct SceneValidation {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;
  using Load = Loader<A, T>;
  static constexpr std::size_t width = LaneTypes<A, T>::width;

  static B number(Status status) { return B(static_cast<T>(status)); }

  /// `sum` is zero where all numbers are finite; `each(f)` calls f on them.
  template <class Each>
  static void validate_finite(B& fault, B sum, Each&& each) {
    if (lane_bits(sum == B(0)) == (1u << width) - 1) [[likely]]
      return;
    B infinite(0);
    Mask nan = is_nan(B(0));
    each([&](const B& x) {
      infinite = infinite + vanishing(x);
      nan = nan || is_nan(x);
    });
    fault = choose(is_nan(infinite), number(Status::infinite), fault);
    fault = choose(nan, number(Status::not_a_number), fault);
  }

  static void store_faults(B fault, std::size_t count, std::uint8_t* to) {
    T values[width];
    store_lanes(values, fault);
    for (std::size_t lane = 0; lane < count; ++lane) to[lane] = static_cast<std::uint8_t>(values[lane]);
  }

  /// ½ (v²/m⁻¹ + w·J w), without axes that cannot turn and bodies without mass.
  static B energy(B mass, const Symmetric3<B>& j, const Vector3<B>& v, const Vector3<B>& w) {
    const B zero(0), one(1),
        tiny = B(T(8) * (sizeof(T) == sizeof(float) ? T(0x1p-23) : T(0x1p-52))) * (j.xx + j.yy + j.zz);
    const auto over = [&](B x, B pivot) {
      const Mask there = pivot > tiny;
      return choose(there, x / choose(there, pivot, one), zero);
    };
    // J = L D Lᵀ
    const B l21 = over(j.xy, j.xx), l31 = over(j.xz, j.xx);
    const B d2 = neg_mul_add(l21, j.xy, j.yy), off = neg_mul_add(l21, j.xz, j.yz), l32 = over(off, d2);
    const B d3 = neg_mul_add(l32, off, neg_mul_add(l31, j.xz, j.zz));
    const B y2 = neg_mul_add(l21, w.x, w.y), y3 = neg_mul_add(l32, y2, neg_mul_add(l31, w.x, w.z));
    const B linear = choose(mass > zero, dot(v, v) / choose(mass > zero, mass, one), zero);
    return B(T(0.5)) * (linear + over(w.x * w.x, j.xx) + over(y2 * y2, d2) + over(y3 * y3, d3));
  }

  static void rows_at(const T* rows, std::size_t first, std::size_t count, const T* (&row)[width]) {
    for (std::size_t lane = 0; lane < width; ++lane)
      row[lane] = record_of(rows, static_cast<std::ptrdiff_t>(first + (lane < count ? lane : count - 1)));
  }

  static void validate_bodies(const SceneJob<T>& job, std::size_t first, std::size_t count, std::uint8_t* fault,
                              std::uint8_t* movable, T* energies) {
    for (std::size_t i = first; i < first + count; i += width) {
      const std::size_t n = first + count - i < width ? first + count - i : width;
      const T* row[width];
      rows_at(job.body_rows, i, n, row);
      B c[row_size];
      load_rows<B, row_size>(row, c);
      const Symmetric3<B> j = {c[1], c[2], c[3], c[4], c[5], c[6]};
      const B zero(0), trace = j.xx + j.yy + j.zz;
      Validator<A, T> validator;
      validator.set(validator.indefinite(j, trace, B(job.parameters.inertia_tolerance)),
                    Status::inverse_inertia_not_positive_semidefinite);
      validator.set(c[0] < zero, Status::negative_inverse_mass);
      B sum = zero;
      for (std::size_t k = 0; k < BodyRecord::numbers; ++k) sum = sum + vanishing(c[k]);
      validate_finite(validator.fault, sum, [&](auto&& f) {
        for (std::size_t k = 0; k < BodyRecord::numbers; ++k) f(c[k]);
      });
      store_faults(validator.fault, n, fault + i);
      const Vector3<B> v = {c[7], c[8], c[9]}, w = {c[10], c[11], c[12]};
      T moves[width], of_body[width];
      store_lanes(moves, choose(validator.fault == zero && (c[0] > zero || trace > zero), B(1), zero));
      store_lanes(of_body, choose(validator.fault == zero, energy(c[0], j, v, w), zero));
      for (std::size_t lane = 0; lane < n; ++lane) {
        movable[i + lane] = moves[lane] > T(0) ? 1 : 0;
        energies[i + lane] = of_body[lane];
        T* const to = job.velocities[i + lane].numbers;
        for (std::size_t k = 0; k < 6; ++k) to[k] = row[lane][BodyRecord::velocity + k];
        to[6] = to[7] = T(0);
      }
    }
  }

  static void find_energies(const SceneJob<T>& job, std::size_t first, std::size_t count, T* energies) {
    for (std::size_t i = first; i < first + count; i += width) {
      const std::size_t n = first + count - i < width ? first + count - i : width;
      const T *row[width], *velocity[width];
      rows_at(job.body_rows, i, n, row);
      for (std::size_t lane = 0; lane < width; ++lane)
        velocity[lane] = job.velocities[i + (lane < n ? lane : n - 1)].numbers;
      B c[row_size], u[row_size];
      load_rows<B, 8>(row, c);
      load_rows<B, width == 1 ? 6 : 8>(velocity, u);
      T values[width];
      store_lanes(values, energy(c[0], {c[1], c[2], c[3], c[4], c[5], c[6]}, {u[0], u[1], u[2]}, {u[3], u[4], u[5]}));
      for (std::size_t lane = 0; lane < n; ++lane) energies[i + lane] = values[lane];
    }
  }

  static void validate_contacts(const JobInput<T>& job, std::size_t first, std::size_t count, std::uint8_t* fault,
                                std::uint8_t* link) {
    const SceneContacts<T>& contacts = job.scene->contacts;
    Neighbours<A, T> neighbours(contacts, first);
    for (std::size_t i = first; i < first + count; i += width) {
      const kernel::Block block = block_at<width>(i, first + count);
      const Vector3<B> normal = Load::load(contacts.normal, block);
      const Vector3<B> ra = Load::load(contacts.r_a, block), rb = Load::load(contacts.r_b, block);
      const B friction = Load::load(contacts.friction, block), restitution = Load::load(contacts.restitution, block);
      const B zero(0), one(1);
      Validator<A, T> validator;
      B sum = vanishing(normal) + vanishing(ra) + vanishing(rb) + vanishing(restitution);
      // Friction may be infinite.
      sum = sum + vanishing(without_infinity(friction));
      B static_friction = friction, more[10];
      std::size_t further = 0;
      const auto read = [&](const Column<const T>& column) {
        if (column.data == nullptr) return;
        more[further] = Load::load(column, block);
        sum = sum + vanishing(more[further++]);
      };
      for_each_field(normal, [&](const B& x) { neighbours.add(x); });
      for_each_field(contacts.surface_velocity, [&](const Column<const T>& column) {
        read(column);
        if (column.data != nullptr) neighbours.add(more[further - 1]);
      });
      neighbours.add(friction);
      if (contacts.static_friction.data != nullptr) {
        static_friction = Load::load(contacts.static_friction, block);
        neighbours.add(static_friction);
        sum = sum + vanishing(without_infinity(static_friction));
      }
      if (job.target == Target::resting || job.target == Target::substeps) read(contacts.separation);
      if (job.target == Target::substeps && contacts.slop.data != nullptr) {
        read(contacts.slop);
        validator.set(more[further - 1] < zero, Status::negative_slop);
      }
      B frequency = zero;
      if (has_soft_contacts(job)) {
        frequency = Load::load(contacts.frequency, block);
        sum = sum + vanishing(without_infinity(frequency));
        if (contacts.damping_ratio.data != nullptr) {
          read(contacts.damping_ratio);
          validator.set(more[further - 1] < zero, Status::negative_damping_ratio);
        }
        validator.set(frequency < zero, Status::negative_frequency);
      }
      validator.set(static_friction < friction, Status::static_friction_below_friction);
      read(contacts.target_velocity);
      if (is_at_once(job.target)) for_each_field(job.warm_impulse, read);
      validator.coefficients(friction, restitution, B(job.parameters.max_restitution));
      validator.set(magnitude(square_root(dot(normal, normal)) - one) > B(job.parameters.normal_tolerance),
                    Status::normal_not_unit);
      validate_finite(validator.fault, sum, [&](auto&& f) {
        for_each_field(normal, f);
        for_each_field(ra, f);
        for_each_field(rb, f);
        f(restitution);
        f(without_infinity(friction));
        f(without_infinity(static_friction));
        f(without_infinity(frequency));
        for (std::size_t k = 0; k < further; ++k) f(more[k]);
      });
      store_faults(validator.fault, block.count, fault + i);
      neighbours.store(block.count, link + i);
    }
  }

  /// Adds the faults of contact models to the faults of validate_contacts.
  static void validate_models(const JobInput<T>& job, std::size_t first, std::size_t count, std::uint8_t* fault) {
    const SceneContacts<T>& contacts = job.scene->contacts;
    for (std::size_t i = first; i < first + count; i += width) {
      const kernel::Block block = block_at<width>(i, first + count);
      Validator<A, T> validator;
      const ModelNumbers<A, T> numbers(job, block, Load::load(contacts.normal, block),
                                       Load::load(contacts.friction, block), validator);
      validate_finite(validator.fault, numbers.sum(), [&](auto&& f) { numbers.each(f); });
      std::uint8_t of_models[width];
      store_faults(validator.fault, block.count, of_models);
      for (std::size_t lane = 0; lane < block.count; ++lane)
        if (of_models[lane] != 0 && (fault[i + lane] == 0 || of_models[lane] < fault[i + lane]))
          fault[i + lane] = of_models[lane];
    }
  }

  static void validate_rows(const JobInput<T>& job, std::size_t first, std::size_t count, std::uint8_t* fault) {
    const JointRows<T>& joints = job.scene->joints;
    for (std::size_t i = first; i < first + count; i += width) {
      const kernel::Block block = block_at<width>(i, first + count);
      B numbers[24];
      std::size_t n = 0;
      const auto read = [&](const Column<const T>& column) {
        if (column.data != nullptr) numbers[n++] = Load::load(column, block);
      };
      // No list of initialisers, whose functions all ISAs would share in a build without optimisation.
      const Vector3Columns<const T>* const vectors[] = {&joints.linear_a, &joints.angular_a, &joints.linear_b,
                                                        &joints.angular_b};
      for (const auto* vector : vectors) for_each_field(*vector, read);
      read(joints.target_velocity);
      read(joints.warm_impulse);
      const B zero(0);
      Validator<A, T> validator;
      if (job.target == Target::substeps) {
        read(joints.position_error);
        for_each_field(joints.r_a, read);
        for_each_field(joints.r_b, read);
        if (joints.damping_ratio.data != nullptr) {
          read(joints.damping_ratio);
          validator.set(numbers[n - 1] < zero, Status::negative_damping_ratio);
        }
        if (joints.frequency.data != nullptr)
          validator.set(Load::load(joints.frequency, block) < zero, Status::negative_frequency);
      }
      if (joints.compliance.data != nullptr) {
        read(joints.compliance);
        validator.set(numbers[n - 1] < zero, Status::negative_compliance);
      }
      B bounds = zero;  // NaN or infinity of a bound without effect
      if (joints.min_impulse.data != nullptr && joints.max_impulse.data != nullptr)
        validator.set(Load::load(joints.min_impulse, block) > Load::load(joints.max_impulse, block),
                      Status::impulse_bounds_reversed);
      const auto validate_bound = [&](const Column<const T>& column, T sign) {
        if (column.data == nullptr) return;
        const B bound = Load::load(column, block);
        bounds = choose(is_nan(bound) || B(sign) * bound > B(max_finite<T>), bound, bounds);
      };
      validate_bound(joints.max_impulse, T(-1));
      validate_bound(joints.min_impulse, T(1));
      if (job.target == Target::substeps && joints.frequency.data != nullptr) {
        const B frequency = Load::load(joints.frequency, block);  // infinity is as stiff as can be
        bounds = choose(is_nan(frequency), frequency, bounds);
      }
      B sum = bounds;
      for (std::size_t k = 0; k < n; ++k) sum = sum + vanishing(numbers[k]);
      validate_finite(validator.fault, sum, [&](auto&& f) {
        f(bounds);
        for (std::size_t k = 0; k < n; ++k) f(numbers[k]);
      });
      store_faults(validator.fault, block.count, fault + i);
    }
  }
};

}  // namespace
}  // namespace carom::kernel
