// Columns: the form in which carom reads and writes your data. A column is one number of every contact, body or joint
// row. It is a view of your memory, or one value for all:
//
//   std::vector<float> mu;       Column<const float> friction = mu;                     // one number after the other
//   std::vector<Hit> hits;       Column<const float> friction = {hits, &Hit::friction}; // a member of your struct
//                                Column<const float> friction = {&hits[0].friction, hits.size(), sizeof(Hit)};
//                                Column<const float> friction = 0.4;                    // a constant
//                                Vector3Columns<const float> normal = {hits, &Hit::normal};
//                                Vector3Columns<const float> normal = {0, 0, 1};
//
// Your memory must outlive the call that reads it. A constant is kept in the column itself.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <type_traits>
#include <utility>

namespace carom {

/// A contiguous range. A temporary must not own its elements.
template <class R>
concept RowRange = std::ranges::contiguous_range<R> && std::ranges::sized_range<R> && std::ranges::borrowed_range<R>;

/// A contiguous range of elements that a T* can point to.
template <class R, class T>
concept RangeOf = RowRange<R> && std::is_convertible_v<decltype(std::ranges::data(std::declval<R&>())), T*>;

/// U is not const, and T is const U: a column of U converts to a column of T.
template <class U, class T>
concept MutableOf = std::is_same_v<const U, T> && !std::is_const_v<U>;

/// A vector type of `N` adjacent numbers of type E, without anything before them.
template <class E, std::size_t N>
struct VectorOf {
  using Element = E;                      ///< type of a number
  static constexpr std::size_t size = N;  ///< number of numbers
};
/// Describes a vector or matrix type, so that columns can view members of this type. Arrays and std::array are known.
/// Add your own type in one line:
///
///   template <>
///   struct carom::VectorTraits<Vec3> : carom::VectorOf<float, 3> {};
template <class V>
struct VectorTraits;
/// A type with VectorTraits.
template <class V>
concept VectorLike = requires {
  typename VectorTraits<V>::Element;
};
template <class E, std::size_t N>
struct VectorTraits<E[N]> : VectorOf<E, N> {};
template <class E, std::size_t N>
struct VectorTraits<std::array<E, N>> : VectorOf<E, N> {};
template <VectorLike E, std::size_t N>
struct VectorTraits<E[N]> : VectorOf<typename VectorTraits<E>::Element, N * VectorTraits<E>::size> {};
template <VectorLike E, std::size_t N>
struct VectorTraits<std::array<E, N>> : VectorOf<typename VectorTraits<E>::Element, N * VectorTraits<E>::size> {};

/// A row of R has a member M S::* that a T* can point to. S is the type of the row or a base of it.
template <class R, class M, class S, class T>
concept MemberOf = RowRange<R> && requires(R& rows, M S::*member) {
  { &(std::ranges::data(rows)->*member) } -> std::convertible_to<T*>;
};
/// Type of the numbers of a vector type, and how many it has.
template <class M>
using NumberIn = typename VectorTraits<std::remove_const_t<M>>::Element;
template <class M>
inline constexpr std::size_t vector_size = VectorTraits<std::remove_const_t<M>>::size;
/// M, const if T is const.
template <class M, class T>
using ConstLike = std::conditional_t<std::is_const_v<T>, const M, std::remove_const_t<M>>;
/// A row of R has a member M S::*, a vector of as many numbers as one of the sizes; a T* can point to them.
template <class R, class M, class S, class T, std::size_t... sizes>
concept VectorMemberOf = MemberOf<R, M, S, ConstLike<M, T>> && std::same_as<NumberIn<M>, std::remove_const_t<T>> &&
    ((vector_size<M> == sizes) || ...);
/// A U* can be used as a T*.
template <class U, class T>
concept PointeeLike = std::is_convertible_v<U*, T*>;

/// A type whose values can be constants in columns.
template <class V>
concept SimpleValue = std::is_arithmetic_v<V> || std::is_enum_v<V>;
/// V converts to the elements of a column of T. Columns of results have no constants.
template <class V, class T>
concept ConstantOf = std::is_const_v<T> && SimpleValue<V> &&
    (std::same_as<const V, T> || (std::is_arithmetic_v<T> && std::is_arithmetic_v<V> && !std::same_as<V, bool> &&
                                  (std::is_floating_point_v<T> || std::is_integral_v<V>)));

/// One number, or another value, of every contact, body or row: `count` elements of your memory, or a constant. Element
/// i is `i * stride` bytes after the first one. A stride of 0 repeats one element. Default: no column.
template <class T>
struct Column {
  using Value = std::remove_const_t<T>;  ///< type of an element
  /// `count` of a constant, which is as long as the other columns.
  static constexpr std::size_t every = ~std::size_t{0};

  static constexpr bool has_constants = std::is_const_v<T> && SimpleValue<Value>;  ///< whether it can be a constant
  // 8 bytes on every machine. Bytes without a meaning are 0, so equal columns have equal bytes.
  union {
    T* data;                                                           ///< first element; not of a constant
    std::conditional_t<has_constants, Value, std::uint64_t> constant;  ///< value, if `count` is `every`
    std::uint64_t bits;                                                ///< either of them
  };
  std::size_t count = 0;              ///< number of elements, or `every`
  std::ptrdiff_t stride = sizeof(T);  ///< [bytes] distance of two elements

  constexpr Column() : bits(0) { data = nullptr; }
  /// Views n elements from `first` on.
  constexpr Column(T* first, std::size_t n, std::ptrdiff_t stride_in_bytes = sizeof(T))
      : bits(0), count(n), stride(stride_in_bytes) {
    data = first;
  }
  /// Views a vector, an array or a span; not a temporary that owns its elements.
  template <RangeOf<T> R>
  Column(R&& range)  // NOLINT(google-explicit-constructor)
      : Column(std::ranges::empty(range) ? no_elements() : std::ranges::data(range), std::ranges::size(range)) {}
  /// Views a member of every struct of a vector, an array or a span: `{hits, &Hit::friction}`.
  template <class R, class M, class S>
  requires MemberOf<R, M, S, T> Column(R&& rows, M S::*member)
      : Column(std::ranges::empty(rows) ? no_elements() : &(std::ranges::data(rows)->*member), std::ranges::size(rows),
               sizeof(std::ranges::range_value_t<R>)) {}
  /// One value for all elements: `0.4`.
  template <ConstantOf<T> V>
  constexpr Column(V value) : bits(0), count(every), stride(0) {  // NOLINT(google-explicit-constructor)
    constant = static_cast<Value>(value);
  }
  /// Converts Column<T> to Column<const T>.
  template <MutableOf<T> U>
  constexpr Column(const Column<U>& other)  // NOLINT(google-explicit-constructor)
      : Column(other.data, other.count, other.stride) {}

  /// Returns true if there is a column or a constant.
  constexpr explicit operator bool() const { return is_constant() || data != nullptr; }
  /// Returns true for a constant.
  constexpr bool is_constant() const { return has_constants && count == every; }
  /// Returns element i. i < count. A constant has no elements.
  T& operator[](std::size_t i) const {
    using Byte = std::conditional_t<std::is_const_v<T>, const std::byte, std::byte>;
    return *reinterpret_cast<T*>(reinterpret_cast<Byte*>(data) + static_cast<std::ptrdiff_t>(i) * stride);
  }

  /// An address for the columns of empty ranges: they have no elements, but they are not missing.
  static Value* no_elements() {
    static Value none[9]{};
    return none;
  }
};

namespace detail {

/// The numbers of vectors or matrices, as columns.
template <class T>
struct AdjacentNumbers {
  T* first;               ///< first number of the first vector
  std::size_t count;      ///< number of vectors
  std::ptrdiff_t stride;  ///< [bytes] distance of two vectors

  AdjacentNumbers(T* numbers, std::size_t n, std::ptrdiff_t stride_in_bytes)
      : first(numbers), count(n), stride(stride_in_bytes) {}
  template <class R, class M, class S>
  AdjacentNumbers(R& rows, M S::*member)
      : first(Column<T>::no_elements()), count(std::ranges::size(rows)), stride(sizeof(std::ranges::range_value_t<R>)) {
    static_assert(sizeof(M) >= vector_size<M> * sizeof(T), "VectorTraits promises more numbers than the type has");
    if (count > 0) first = reinterpret_cast<T*>(&(std::ranges::data(rows)->*member));
  }
  /// Returns the column of number i of every vector.
  Column<T> operator[](std::size_t i) const { return {first + i, count, stride}; }
};

}  // namespace detail

/// Vectors in 3D.
template <class T>
struct Vector3Columns {
  Column<T> x, y, z;  ///< in the unit of the vector

  constexpr Vector3Columns() = default;
  /// Three columns, or constants: `{0, 0, 1}`.
  constexpr Vector3Columns(Column<T> of_x, Column<T> of_y, Column<T> of_z) : x(of_x), y(of_y), z(of_z) {}
  /// Views `n` vectors of three adjacent numbers, one every `stride_in_bytes`.
  template <PointeeLike<T> U>
  Vector3Columns(U* xyz, std::size_t n, std::ptrdiff_t stride_in_bytes = 3 * sizeof(T))
      : Vector3Columns(detail::AdjacentNumbers<T>(xyz, n, stride_in_bytes)) {}
  /// Views a member of every struct of a vector, an array or a span: `{hits, &Hit::normal}`. The member has three
  /// numbers, or four, of which the last one is not used.
  template <class R, class M, class S>
  requires VectorMemberOf<R, M, S, T, 3, 4> Vector3Columns(R&& rows, M S::*member)
      : Vector3Columns(detail::AdjacentNumbers<T>(rows, member)) {}
  /// Converts writable columns to read-only columns.
  template <MutableOf<T> U>
  constexpr Vector3Columns(const Vector3Columns<U>& other)  // NOLINT(google-explicit-constructor)
      : x(other.x), y(other.y), z(other.z) {}

 private:
  explicit Vector3Columns(const detail::AdjacentNumbers<T>& numbers) : x(numbers[0]), y(numbers[1]), z(numbers[2]) {}
};

/// The upper triangle of a symmetric 3 × 3 matrix.
template <class T>
struct SymmetricColumns {
  Column<T> xx, xy, xz, yy, yz, zz;  ///< in the unit of the matrix

  constexpr SymmetricColumns() = default;
  /// Six columns, or constants: `{1, 0, 0, 1, 0, 1}`.
  constexpr SymmetricColumns(Column<T> of_xx, Column<T> of_xy, Column<T> of_xz, Column<T> of_yy, Column<T> of_yz,
                             Column<T> of_zz)
      : xx(of_xx), xy(of_xy), xz(of_xz), yy(of_yy), yz(of_yz), zz(of_zz) {}
  /// Views `n` matrices of six adjacent numbers in this order, one every `stride_in_bytes`.
  template <PointeeLike<T> U>
  SymmetricColumns(U* six, std::size_t n, std::ptrdiff_t stride_in_bytes = 6 * sizeof(T))
      : SymmetricColumns(detail::AdjacentNumbers<T>(six, n, stride_in_bytes), {1, 2, 3, 4, 5}) {}
  /// Views a member of every struct of a vector, an array or a span. The member has six numbers in this order, or is a
  /// whole 3 × 3 matrix of nine, of which only the upper triangle is read or written.
  template <class R, class M, class S>
  requires VectorMemberOf<R, M, S, T, 6, 9> SymmetricColumns(R&& rows, M S::*member)
      : SymmetricColumns(detail::AdjacentNumbers<T>(rows, member),
                         vector_size<M> == 6 ? Places{1, 2, 3, 4, 5} : Places{1, 2, 4, 5, 8}) {}
  /// Converts writable columns to read-only columns.
  template <MutableOf<T> U>
  constexpr SymmetricColumns(const SymmetricColumns<U>& other)  // NOLINT(google-explicit-constructor)
      : xx(other.xx), xy(other.xy), xz(other.xz), yy(other.yy), yz(other.yz), zz(other.zz) {}

 private:
  using Places = std::array<std::size_t, 5>;
  SymmetricColumns(const detail::AdjacentNumbers<T>& numbers, const Places& places)
      : xx(numbers[0]),
        xy(numbers[places[0]]),
        xz(numbers[places[1]]),
        yy(numbers[places[2]]),
        yz(numbers[places[3]]),
        zz(numbers[places[4]]) {}
};

}  // namespace carom
