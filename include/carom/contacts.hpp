// Views of a host's contacts and of the places for the results. carom owns no array: a column is a pointer into the
// host's memory, so structs of the host's own are read and written in place.
//
// Conventions: SI units. The unit normal n points from body B to body A; the impulse p acts on A, -p on B. A lever arm
// is the contact point minus the centre of mass. u = vA + wA x rA - vB - wB x rB is the separation velocity, u·n < 0 is
// approach. An immovable body has zeros for its inverse mass and inverse inertia.
#pragma once

#include <carom/laws.hpp>
#include <carom/status.hpp>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <type_traits>
#include <utility>

namespace carom {

/// A contiguous range whose elements a T* can point to, and that outlives the expression it stands in.
template <class R, class T>
concept RangeOf = std::ranges::contiguous_range<R> && std::ranges::sized_range<R> && std::ranges::borrowed_range<R> &&
    std::is_convertible_v<decltype(std::ranges::data(std::declval<R&>())), T*>;

/// A strided view of `count` elements: element i stands `i * stride` bytes behind the first. A stride of 0 repeats one
/// element for every contact. Default: no column.
template <class T>
struct Column {
  T* data = nullptr;                  ///< the first element
  std::size_t count = 0;              ///< elements
  std::ptrdiff_t stride = sizeof(T);  ///< [bytes]

  constexpr Column() = default;
  /// A view of n elements from the first on.
  constexpr Column(T* first, std::size_t n, std::ptrdiff_t stride_in_bytes = sizeof(T))
      : data(first), count(n), stride(stride_in_bytes) {}

  /// A vector, an array, a span; not a temporary that owns its elements.
  template <RangeOf<T> R>
  Column(R&& range)  // NOLINT(google-explicit-constructor)
      : data(std::ranges::data(range)), count(std::ranges::size(range)) {
    // An empty range is a column of no elements, not the absence of a column.
    static std::remove_const_t<T> none{};
    if (data == nullptr) data = &none;
  }

  /// Column<T> reads as Column<const T>.
  template <class U>
  requires std::is_same_v<const U, T> &&
      (!std::is_const_v<U>)constexpr Column(const Column<U>& other)  // NOLINT(google-explicit-constructor)
      : data(other.data), count(other.count), stride(other.stride) {}

  /// The same value, which must outlive the view, for n contacts.
  static constexpr Column repeat(T& value, std::size_t n) { return {&value, n, 0}; }
  static Column repeat(std::remove_const_t<T>&& temporary, std::size_t n) = delete;

  /// Whether there is a column.
  constexpr explicit operator bool() const { return data != nullptr; }
  /// Element i < count.
  T& operator[](std::size_t i) const {
    using Byte = std::conditional_t<std::is_const_v<T>, const std::byte, std::byte>;
    return *reinterpret_cast<T*>(reinterpret_cast<Byte*>(data) + static_cast<std::ptrdiff_t>(i) * stride);
  }
};

/// Vectors in 3D.
template <class T>
struct Vector3Columns {
  Column<T> x, y, z;  ///< in the unit of the vector

  /// Columns of `n` vectors, each three numbers side by side, one every `stride` bytes: a field of a host's struct.
  static constexpr Vector3Columns interleaved(T* xyz, std::size_t n, std::ptrdiff_t stride = 3 * sizeof(T)) {
    return {{xyz, n, stride}, {xyz + 1, n, stride}, {xyz + 2, n, stride}};
  }
  /// Columns to write are columns to read.
  constexpr operator Vector3Columns<const T>() const  // NOLINT(google-explicit-constructor)
      requires(!std::is_const_v<T>) {
    return {x, y, z};
  }
};

/// The upper triangle of a symmetric 3 x 3 matrix.
template <class T>
struct SymmetricColumns {
  Column<T> xx, xy, xz, yy, yz, zz;  ///< in the unit of the matrix

  /// Columns of `n` matrices, each six numbers in this order, one every `stride` bytes.
  static constexpr SymmetricColumns interleaved(T* six, std::size_t n, std::ptrdiff_t stride = 6 * sizeof(T)) {
    return {{six, n, stride},     {six + 1, n, stride}, {six + 2, n, stride},
            {six + 3, n, stride}, {six + 4, n, stride}, {six + 5, n, stride}};
  }
  /// Columns to write are columns to read.
  constexpr operator SymmetricColumns<const T>() const  // NOLINT(google-explicit-constructor)
      requires(!std::is_const_v<T>) {
    return {xx, xy, xz, yy, yz, zz};
  }
};

/// States of bodies; BodyColumns<const T> where they are only read. All columns are needed and equally long.
template <class T>
struct BodyColumns {
  Column<T> inverse_mass;               ///< [1/kg] >= 0, 0 for an immovable body
  SymmetricColumns<T> inverse_inertia;  ///< [1/(kg m²)] world frame, about the centre of mass, positive semidefinite
  Vector3Columns<T> velocity;           ///< [m/s] of the centre of mass
  Vector3Columns<T> angular_velocity;   ///< [rad/s] world frame

  /// Columns to write are columns to read.
  constexpr operator BodyColumns<const T>() const  // NOLINT(google-explicit-constructor)
      requires(!std::is_const_v<T>) {
    return {inverse_mass, inverse_inertia, velocity, angular_velocity};
  }

  /// `count` immovable bodies at rest.
  static BodyColumns<const std::remove_const_t<T>> immovable(std::size_t count) {
    static constexpr std::remove_const_t<T> zero = 0;
    const auto c = Column<const std::remove_const_t<T>>::repeat(zero, count);
    return {c, {c, c, c, c, c, c}, {c, c, c}, {c, c, c}};
  }
};

/// The laws of contacts, where they have laws of their own, and what single laws read beside friction and restitution.
/// Optional: a column that no contact's law reads may be missing, and what stands in it for other contacts does not
/// count. Without a column that its law reads, a contact is at fault (Status::law_parameter_missing). Directions about
/// the normal are told from the first slip: axis 1 is -u0_t / |u0_t|, axis 2 is n x axis 1; without slip, axis 1 is the
/// first tangent of the contact frame.
template <class T>
struct LawColumns {
  Column<const Law> law{};                         ///< in place of Options::law
  Column<const RestitutionLaw> restitution_law{};  ///< in place of Options::restitution_law
  Column<const T> step{};                    ///< [N s] in (0, |u0| / trace K], Integrator::euler: for Options::steps
  Column<const T> tangential_restitution{};  ///< [1] e_t in [-1, 1]; chatterjee_ruina, bilinear, pfeiffer_glocker
  Column<const T> impulse_ratio_1{};         ///< [1] brach: p_t / p_n along axis 1, finite
  Column<const T> impulse_ratio_2{};         ///< [1] brach: along axis 2; not for planar contacts
  Column<const T> polar_angle{};        ///< [rad] polar: from the normal, in [0, pi]; planar in [-pi, pi], to axis 1
  Column<const T> azimuth{};            ///< [rad] polar: from axis 1 to axis 2, finite; not for planar contacts
  Column<const T> fraction{};           ///< [1] polar: of the way from 1.5 P_I to the boundary, in [0, 1]
  Vector3Columns<const T> candidate{};  ///< [N s] projected: the impulse, in the frame of the results; planar x, y
  /// [1] composite: >= 0, of which at least one is above 0; they count relative to their sum. A missing one is 0.
  Weights<Column<const T>> weight{};
};

/// Contacts that carry the state of both bodies. All columns but the optional ones are needed and equally long.
template <class T>
struct Contacts {
  Column<const T> friction;          ///< [1] Coulomb's coefficient, >= 0; infinity is allowed
  Column<const T> restitution;       ///< [1] in [0, 1], or up to Options::max_restitution
  Vector3Columns<const T> normal;    ///< [1] unit, from B to A; normalised within Options::normal_tolerance
  Vector3Columns<const T> r_a, r_b;  ///< [m] contact point minus centre of mass
  BodyColumns<const T> a, b;         ///< the two bodies
  LawColumns<T> laws{};              ///< optional
};

/// Contacts between bodies that are stored once: `bodies` has a length of its own.
template <class T>
struct IndexedContacts {
  Column<const T> friction, restitution;      ///< [1] as in Contacts
  Vector3Columns<const T> normal;             ///< as in Contacts
  Vector3Columns<const T> r_a, r_b;           ///< [m] contact point minus centre of mass
  Column<const std::int32_t> body_a, body_b;  ///< index into `bodies`, -1 for the immovable world
  BodyColumns<const T> bodies;                ///< as many as there are
  LawColumns<T> laws{};                       ///< optional
};

/// Contacts given by what collision laws see: the collision matrix and the separation velocity, with the normal along
/// z.
template <class T>
struct KContacts {
  Column<const T> friction, restitution;        ///< [1] as in Contacts
  SymmetricColumns<const T> k;                  ///< [1/kg] collision matrix, positive definite: u - u0 = K p
  Vector3Columns<const T> separation_velocity;  ///< [m/s] u0, before the collision
  LawColumns<T> laws{};                         ///< optional
};

/// Where results go, of contacts in 3D or in a plane. Every column is optional; those that are there are as long as the
/// contacts. An output column may be the very input column that it replaces (a solve in place); any other overlap with
/// an input is an error of the host.
template <class T, template <class> class Vector, template <class> class AngularVelocity>
struct ResultColumns {
  Vector<T> impulse{};  ///< [N s] on A; world frame, or the frame of the contact for KContacts
  /// [m/s] u after the collision, in the same frame; NaN where faulty data leave it unknown
  Vector<T> separation_velocity{};
  Vector<T> velocity_a{};                   ///< [m/s] after this contact alone; not for KContacts
  AngularVelocity<T> angular_velocity_a{};  ///< [rad/s] likewise
  Vector<T> velocity_b{};                   ///< as those of A
  AngularVelocity<T> angular_velocity_b{};  ///< likewise
  Column<Status> status{};                  ///< what became of the contact
  Column<Path> path{};                      ///< the phases that it went through
  // These are of Law::incremental, and 0 under the others.
  Column<T> work_compression{};    ///< [J] of the normal force while u·n < 0: <= 0
  Column<T> work_decompression{};  ///< [J] of the normal force while u·n >= 0: >= 0
  Column<std::int32_t> steps{};    ///< integration steps taken; 0 of planar contacts
};
/// The results of contacts in 3D.
template <class T>
using Results = ResultColumns<T, Vector3Columns, Vector3Columns>;

}  // namespace carom
