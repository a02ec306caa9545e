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

/// Reasons why a column cannot view rows or a member of them. Columns have a deleted constructor for such data, and the
/// error of the compiler has the reason as the argument `Why`. Overload resolution sees these constructors: in a call
/// of a function that is overloaded for several types of columns, name the type of an argument in braces. A container
/// of elements of another type has no such constructor, so it selects an overload; without one, the error names both
/// types.
namespace cannot_view {

/// Columns view elements at equal distances: of a vector, an array or a span. R is another container.
template <class R>
struct rows_that_are_not_contiguous;
/// The container R is a temporary, whose elements are gone before a call reads them. Keep it in a variable.
template <class R>
struct a_temporary_that_owns_its_elements;
/// The member belongs to S, which is neither the type of the rows nor a base of it.
template <class Row, class S>
struct rows_of_first_type_by_a_member_of_second;
/// The column is of vectors or matrices, and the member is one number.
template <class Found>
struct one_number_as_a_vector;
/// The type V of the member is not known as a vector. Add one line, with the type and the number of its numbers:
///
///   template <>
///   struct carom::VectorTraits<V> : carom::VectorOf<float, 3> {};
template <class V>
struct member_until_you_specialise_VectorTraits_for;
/// The vector V has another number of numbers than the column needs, by its VectorTraits.
template <std::size_t size, class V>
struct vector_whose_size_in_VectorTraits_is;
/// The elements, or the numbers of a vector, have another type than the column. Columns do not convert.
template <class Found, class Expected>
struct elements_of_first_type_as_second;
/// Results are written, but the elements are const.
template <class Found>
struct const_memory_as_a_result;

}  // namespace cannot_view

namespace detail {

/// Returns the reason why a column of T cannot view elements of type E; void if it can.
template <class T, class E>
constexpr auto why_not_elements() {
  using namespace cannot_view;
  using Found = std::remove_const_t<E>;
  if constexpr (PointeeLike<E, T>)
    return std::type_identity<void>{};
  else if constexpr (std::is_const_v<E> && PointeeLike<Found, T>)
    return std::type_identity<const_memory_as_a_result<Found>>{};
  else
    return std::type_identity<elements_of_first_type_as_second<Found, std::remove_const_t<T>>>{};
}
/// Returns the reason why no column can view the elements of R; void if one can, or if R is not a container.
template <class R>
constexpr auto why_not_rows() {
  using namespace cannot_view;
  if constexpr (RowRange<R> || !std::ranges::range<R>)
    return std::type_identity<void>{};
  else if constexpr (std::ranges::contiguous_range<R> && std::ranges::sized_range<R>)
    return std::type_identity<a_temporary_that_owns_its_elements<std::remove_cvref_t<R>>>{};
  else
    return std::type_identity<rows_that_are_not_contiguous<std::remove_cvref_t<R>>>{};
}
/// Returns the reason why a column of T, or of vectors of one of the sizes, cannot view a member M S::* of the rows R;
/// void if it can.
template <class T, class R, class M, class S, std::size_t... sizes>
constexpr auto why_not_member() {
  using namespace cannot_view;
  if constexpr (sizeof...(sizes) == 0 ? MemberOf<R, M, S, T> : VectorMemberOf<R, M, S, T, sizes...>) {
    return std::type_identity<void>{};
  } else if constexpr (!RowRange<R>) {
    return why_not_rows<R>();
  } else {
    using Row = std::remove_pointer_t<decltype(std::ranges::data(std::declval<R&>()))>;
    using Found = std::remove_const_t<M>;
    constexpr bool is_const = std::is_const_v<Row> || std::is_const_v<M>;
    if constexpr (!std::is_base_of_v<S, Row>) {
      return std::type_identity<rows_of_first_type_by_a_member_of_second<std::remove_const_t<Row>, S>>{};
    } else if constexpr (sizeof...(sizes) == 0) {
      return why_not_elements<T, std::conditional_t<is_const, const Found, Found>>();
    } else if constexpr (SimpleValue<Found>) {
      return std::type_identity<one_number_as_a_vector<Found>>{};
    } else if constexpr (!VectorLike<Found>) {
      return std::type_identity<member_until_you_specialise_VectorTraits_for<Found>>{};
    } else if constexpr (!((vector_size<M> == sizes) || ...)) {
      return std::type_identity<vector_whose_size_in_VectorTraits_is<vector_size<M>, Found>>{};
    } else {
      return why_not_elements<T, std::conditional_t<is_const, const NumberIn<M>, NumberIn<M>>>();
    }
  }
}

/// A reason of cannot_view.
template <class Why>
concept Reason = !std::is_void_v<Why>;
template <class T, class E>
using WhyNotElements = typename decltype(why_not_elements<T, E>())::type;
template <class R>
using WhyNotRows = typename decltype(why_not_rows<R>())::type;
template <class T, class R, class M, class S, std::size_t... sizes>
using WhyNotMember = typename decltype(why_not_member<T, R, M, S, sizes...>())::type;

}  // namespace detail

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
  /// Deleted: `Why` has the reason why the column cannot view the elements.
  template <class U, detail::Reason Why = detail::WhyNotElements<T, U>>
  Column(U* first, std::size_t n, std::ptrdiff_t stride_in_bytes = 0) = delete;  // why: see cannot_view
  /// Same.
  template <class R, detail::Reason Why = detail::WhyNotRows<R>>
  Column(R&& range) = delete;  // why: see cannot_view
  /// Same.
  template <class R, class M, class S, detail::Reason Why = detail::WhyNotMember<T, R, M, S>>
  Column(R&& rows, M S::*member) = delete;  // why: see cannot_view
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
  /// Deleted: `Why` has the reason why the column cannot view the elements.
  template <class U, detail::Reason Why = detail::WhyNotElements<T, U>>
  Vector3Columns(U* first, std::size_t n, std::ptrdiff_t stride_in_bytes = 0) = delete;  // why: see cannot_view
  /// Same.
  template <class R, class M, class S, detail::Reason Why = detail::WhyNotMember<T, R, M, S, 3, 4>>
  Vector3Columns(R&& rows, M S::*member) = delete;  // why: see cannot_view
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
  /// Deleted: `Why` has the reason why the column cannot view the elements.
  template <class U, detail::Reason Why = detail::WhyNotElements<T, U>>
  SymmetricColumns(U* first, std::size_t n, std::ptrdiff_t stride_in_bytes = 0) = delete;  // why: see cannot_view
  /// Same.
  template <class R, class M, class S, detail::Reason Why = detail::WhyNotMember<T, R, M, S, 6, 9>>
  SymmetricColumns(R&& rows, M S::*member) = delete;  // why: see cannot_view
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
