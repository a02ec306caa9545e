// Load: columns of the host to lanes. Whole blocks of contiguous columns are vector loads; anything else is
// gathered value by value. The lanes behind the end of a batch repeat its last contact, and nothing reads them.
#pragma once

#include "elements.hpp"
#include "kernel/lanes/lanes.hpp"
#include "kernel/lanes/transpose.hpp"

namespace carom::kernel {
namespace {

/// The contacts in the lanes: `count` of them, from `first` on, of which those in `lanes` are to be stored.
struct Block {
  std::size_t first;
  std::size_t count;
  unsigned lanes;
  Layout layout;
};

/// The next contacts of a range that ends before `end`.
template <std::size_t width>
inline Block block_at(std::size_t first, std::size_t end, const Layout& layout) {
  return end - first < width ? Block{first, end - first, (1u << (end - first)) - 1, layout}
                             : Block{first, width, (1u << width) - 1, layout};
}

/// Where element i of a column stands whose elements are next to each other or, with `block_bytes`, in blocks.
template <class T>
inline std::size_t offset_of(std::size_t i, std::size_t block_bytes) {
  return block_bytes == 0 ? i * sizeof(T) : i / contacts_in_block * block_bytes + i % contacts_in_block * sizeof(T);
}

/// The lanes of a block whose contacts the incremental kernel solves.
template <class T>
inline unsigned incremental_lanes(const ContactColumns<T>& contacts, Law otherwise, Selection selection,
                                  const Block& block) {
  const bool composite = selection == Selection::composite;
  const Law wanted = composite ? Law::composite : Law::incremental;
  const Column<const T>& weight = contacts.weight.incremental;
  unsigned lanes = block.lanes;
  for_each_bit(block.lanes, [&](std::size_t lane) {
    const std::size_t i = block.first + lane;
    const Law law = contacts.law.data != nullptr ? element(contacts.law, i) : otherwise;
    if (law != wanted || (composite && !(element(weight, i) > T(0)))) lanes &= ~(1u << lane);
  });
  return lanes;
}

template <class B>
struct Vector3 {
  B x, y, z;
};
template <class B>
struct Symmetric3 {
  B xx, xy, xz, yy, yz, zz;
};
template <class B>
struct Body {
  B inverse_mass;
  Symmetric3<B> inverse_inertia;
  Vector3<B> velocity, angular_velocity;
};

/// Bodies as rows of numbers: the world, and one that the host does not have.
template <class T>
alignas(64) inline constexpr T immovable_row[row_size] = {};
template <class T>
alignas(64) inline constexpr T unknown_row[row_size] = {T(__builtin_nan("")),
                                                        T(__builtin_nan("")),
                                                        T(__builtin_nan("")),
                                                        T(__builtin_nan("")),
                                                        T(__builtin_nan("")),
                                                        T(__builtin_nan("")),
                                                        T(__builtin_nan("")),
                                                        T(__builtin_nan("")),
                                                        T(__builtin_nan("")),
                                                        T(__builtin_nan("")),
                                                        T(__builtin_nan("")),
                                                        T(__builtin_nan("")),
                                                        T(__builtin_nan("")),
                                                        T(0),
                                                        T(0),
                                                        T(0)};

template <class A, class T>
struct Loader {
  using B = typename LaneTypes<A, T>::Batch;
  static constexpr std::size_t width = LaneTypes<A, T>::width;

  /// Of a column that stands in the blocks of the batch, if it has such.
  [[gnu::always_inline]] static B load(const Column<const T>& column, const Block& block) {
    if (block.count == width && column.stride == static_cast<std::ptrdiff_t>(sizeof(T))) [[likely]]
      return load_lanes<B>(reinterpret_cast<const T*>(reinterpret_cast<const char*>(column.data) +
                                                      offset_of<T>(block.first, block.layout.block_bytes)));
    if (column.stride == 0) return B(*column.data);
    return collect(column, block);
  }

  /// A contact by itself, in all lanes.
  struct Single {
    std::size_t first, block_bytes;
  };
  [[gnu::always_inline]] static B load(const Column<const T>& column, const Single& single) {
    return B(number_of(column, single.first, single.block_bytes));
  }

  /// Of an optional column, which never does.
  [[gnu::always_inline]] static B load_optional(const Column<const T>& column, const Block& block) {
    return load(column, Block{block.first, block.count, block.lanes, {}});
  }

  [[gnu::always_inline]] static T number_of(const Column<const T>& column, std::size_t i, std::size_t block_bytes) {
    return block_bytes == 0
               ? element(column, i)
               : *reinterpret_cast<const T*>(reinterpret_cast<const char*>(column.data) + offset_of<T>(i, block_bytes));
  }

  [[gnu::noinline]] static B collect(const Column<const T>& column, const Block& block) {
    T values[width];
    if (block.count == width && block.layout.block_bytes == 0) {
      const char* const from = reinterpret_cast<const char*>(&element(column, block.first));
      CAROM_UNROLL
      for (std::ptrdiff_t lane = 0; lane < static_cast<std::ptrdiff_t>(width); ++lane)
        values[lane] = *reinterpret_cast<const T*>(from + lane * column.stride);
      return load_lanes<B>(values);
    }
    const auto value = [&](std::size_t lane) __attribute__((always_inline)) {
      return number_of(column, block.first + lane, block.layout.block_bytes);
    };
    // The last contact fills what the others leave; with one contact, as often in small calls, that is all.
    const std::size_t last = block.count - 1;
    if (last == 0) return B(value(0));
    store_lanes(values, B(value(last)));
    for (std::size_t lane = 0; lane < last; ++lane) values[lane] = value(lane);
    return load_lanes<B>(values);
  }

  [[gnu::always_inline]] static Vector3<B> load(const Vector3Columns<const T>& columns, const auto& block) {
    return {load(columns.x, block), load(columns.y, block), load(columns.z, block)};
  }

  [[gnu::always_inline]] static Symmetric3<B> load(const SymmetricColumns<const T>& columns, const auto& block) {
    return {load(columns.xx, block), load(columns.xy, block), load(columns.xz, block),
            load(columns.yy, block), load(columns.yz, block), load(columns.zz, block)};
  }

  [[gnu::always_inline]] static Body<B> load(const BodyColumns<const T>& columns, const auto& block) {
    return {load(columns.inverse_mass, block), load(columns.inverse_inertia, block), load(columns.velocity, block),
            load(columns.angular_velocity, block)};
  }

  /// Body indices of a block. The world reads as an immovable body at rest, a body out of range as NaN.
  struct Indices {
    std::int32_t body[width];
    bool stored[width];

    bool known(std::size_t lane) const { return stored[lane] || body[lane] == -1; }
  };

  static Indices load_indices(const Column<const std::int32_t>& column, std::size_t bodies, const Block& block) {
    Indices indices;
    for (std::size_t lane = 0; lane < width; ++lane) {
      indices.body[lane] = element(column, block.first + (lane < block.count ? lane : block.count - 1));
      indices.stored[lane] = indices.body[lane] >= 0 && static_cast<std::size_t>(indices.body[lane]) < bodies;
    }
    return indices;
  }

  [[gnu::noinline]] static B gather(const Column<const T>& column, const Indices& indices) {
    T values[width];
    for (std::size_t lane = 0; lane < width; ++lane)
      values[lane] = indices.stored[lane]  ? element(column, static_cast<std::size_t>(indices.body[lane]))
                     : indices.known(lane) ? T(0)
                                           : static_cast<T>(__builtin_nan(""));
    return load_lanes<B>(values);
  }

  static Body<B> gather(const BodyColumns<const T>& bodies, const Indices& indices) {
    const auto vector = [&](const Vector3Columns<const T>& v) {
      return Vector3<B>{gather(v.x, indices), gather(v.y, indices), gather(v.z, indices)};
    };
    const auto& j = bodies.inverse_inertia;
    return {gather(bodies.inverse_mass, indices),
            {gather(j.xx, indices), gather(j.xy, indices), gather(j.xz, indices), gather(j.yy, indices),
             gather(j.yz, indices), gather(j.zz, indices)},
            vector(bodies.velocity),
            vector(bodies.angular_velocity)};
  }

  /// Both bodies of a block, whichever form the contacts have.
  struct Pair {
    Body<B> a, b;
  };

  [[gnu::always_inline]] static Pair load_bodies(const InlineContacts<T>& contacts, const auto& block) {
    return {load(contacts.a, block), load(contacts.b, block)};
  }

  static Pair load_bodies(const IndexedContacts<T>& contacts, const Block& block) {
    const std::size_t bodies = contacts.bodies.inverse_mass.count;
    const Indices a = load_indices(contacts.body_a, bodies, block), b = load_indices(contacts.body_b, bodies, block);
    if (block.layout.packed_bodies != nullptr) return {turn_rows(a, block), turn_rows(b, block)};
    return {gather(contacts.bodies, a), gather(contacts.bodies, b)};
  }

  /// Bodies that stand in rows, the world and those of no index before them.
  [[gnu::noinline]] static Body<B> turn_rows(const Indices& indices, const Block& block) {
    const T* const rows = static_cast<const T*>(block.layout.packed_bodies);
    const T* row[width];
    for (std::size_t lane = 0; lane < width; ++lane) {
      const std::int64_t place = indices.known(lane) ? indices.body[lane] : -2;
      row[lane] = rows + place * std::int64_t{row_size};
    }
    B n[row_size];
    load_rows<B, 13>(row, n);
    return {n[0], {n[1], n[2], n[3], n[4], n[5], n[6]}, {n[7], n[8], n[9]}, {n[10], n[11], n[12]}};
  }
};

template <class B>
inline B dot(const Vector3<B>& a, const Vector3<B>& b) {
  return mul_add(a.x, b.x, mul_add(a.y, b.y, a.z * b.z));
}

template <class B>
inline Vector3<B> cross(const Vector3<B>& a, const Vector3<B>& b) {
  return {mul_sub(a.y, b.z, a.z * b.y), mul_sub(a.z, b.x, a.x * b.z), mul_sub(a.x, b.y, a.y * b.x)};
}

/// Above this ratio of their terms to what they come to, K and velocities are summed up with twice the digits.
template <class T>
inline constexpr T largest_cancellation = T(4096);

/// a × b, every component to 1.5 ulp of itself.
template <class B>
[[gnu::always_inline]] inline Vector3<B> exact_cross(const Vector3<B>& a, const Vector3<B>& b) {
  return {difference_of_products(a.y, b.z, a.z, b.y), difference_of_products(a.z, b.x, a.x, b.z),
          difference_of_products(a.x, b.y, a.y, b.x)};
}

/// J [r], with [r] p = r × p, by its rows. It is where a slender body's inverse inertia cancels: only the root of what
/// J (r × p) could lose otherwise is lost.
template <class B>
struct TurnRows {
  Vector3<B> x, y, z;

  TurnRows() = default;
  [[gnu::always_inline]] TurnRows(const Symmetric3<B>& j, const Vector3<B>& r)
      : x(exact_cross(Vector3<B>{j.xx, j.xy, j.xz}, r)),
        y(exact_cross(Vector3<B>{j.xy, j.yy, j.yz}, r)),
        z(exact_cross(Vector3<B>{j.xz, j.yz, j.zz}, r)) {}

  /// J (r × p)
  [[gnu::always_inline]] Vector3<B> times(const Vector3<B>& p) const { return {dot(x, p), dot(y, p), dot(z, p)}; }
};

template <class B>
inline Vector3<B> operator*(const Symmetric3<B>& m, const Vector3<B>& v) {
  return {mul_add(m.xx, v.x, mul_add(m.xy, v.y, m.xz * v.z)), mul_add(m.xy, v.x, mul_add(m.yy, v.y, m.yz * v.z)),
          mul_add(m.xz, v.x, mul_add(m.yz, v.y, m.zz * v.z))};
}

template <class B>
inline Vector3<B> operator+(const Vector3<B>& a, const Vector3<B>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}

template <class B>
inline Vector3<B> operator-(const Vector3<B>& a, const Vector3<B>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}

template <class B, class Mask>
inline Vector3<B> choose(Mask mask, const Vector3<B>& yes, const Vector3<B>& no) {
  return {choose(mask, yes.x, no.x), choose(mask, yes.y, no.y), choose(mask, yes.z, no.z)};
}

template <class B, class Mask>
inline Symmetric3<B> choose(Mask mask, const Symmetric3<B>& yes, const Symmetric3<B>& no) {
  return {choose(mask, yes.xx, no.xx), choose(mask, yes.xy, no.xy), choose(mask, yes.xz, no.xz),
          choose(mask, yes.yy, no.yy), choose(mask, yes.yz, no.yz), choose(mask, yes.zz, no.zz)};
}

template <class B>
inline Vector3<B> negated(const Vector3<B>& v) {
  return {negated(v.x), negated(v.y), negated(v.z)};
}

/// a + s v
template <class B>
inline Vector3<B> mul_add(B s, const Vector3<B>& v, const Vector3<B>& a) {
  return {mul_add(s, v.x, a.x), mul_add(s, v.y, a.y), mul_add(s, v.z, a.z)};
}

template <class B>
inline Vector3<B> operator*(B s, const Vector3<B>& v) {
  return {s * v.x, s * v.y, s * v.z};
}

}  // namespace
}  // namespace carom::kernel
