// The interface of the solver and the kernels of gradients, free of any architecture.
#pragma once

#include <carom/gradients.hpp>

#include "core/columns/derivative_columns.hpp"
#include "job.hpp"

namespace carom::kernel {

/// Tile of contacts in contact space, by column. Padding contacts separate.
template <class T>
struct GradientTile {
  static constexpr std::size_t size = 2048 / sizeof(T);
  /// Weights are not among these.
  static constexpr std::size_t variables = columns::derivatives_by_weight;
  enum Variable : std::size_t {
    friction,
    restitution,
    k_xx,
    k_xy,
    k_xz,
    k_yy,
    k_yz,
    k_zz,
    u0_x,
    u0_y,
    u0_z,
    own = columns::derivatives_by_own,
  };
  static_assert(u0_z + 1 == own);

  const T* in[variables];
  std::size_t count = 0;         // a multiple of the widest vector
  const T* chosen = nullptr;     // of contacts of several laws: 1 where this one applies
  const T* p[3] = {};            // impulses that are known, where a law needs them
  const T* compression[3] = {};  // of anitescu_potra: of its first phase
  T tolerance = 0;
  Law law = Law::incremental;

  T* out[3][variables] = {};  // derivatives of p; null if not requested
  T* status = nullptr;        // a GradientStatus
  T* plain = nullptr;         // 1: without any doubt a contact without a fault
};

/// Derivatives of u and products with cotangents, computed from the derivatives of a tile's p. Columns are null if not
/// requested.
template <class T>
struct VelocityTile {
  static constexpr std::size_t variables = columns::derivative_count;

  const T* in[columns::derivatives_by_own];
  std::size_t count = 0;
  const T* p[3] = {};
  const T* of_p[3][variables];
  T* of_u[3][variables] = {};
  const T* cotangent[6] = {};  // of p and u
  T* product[variables] = {};
};

/// The choices of contacts of the incremental law.
template <class T>
struct SlideOptions {
  const T* restitution_law = nullptr;  // a RestitutionLaw
  std::int32_t step_budget = 0;
  T max_restitution = 1;
};

/// Memory for the slides of a tile, as untyped lanes: the structs that use it are in kernels and have internal linkage.
template <class T>
struct alignas(64) SlideMemory {
  using Lane = T[GradientTile<T>::size + 64];
  static constexpr std::size_t lanes = 68, given_lanes = 17;
  Lane active[lanes], done[lanes], given[given_lanes], left;
};

template <class T>
struct GradientFunctions {
  void (*closed_form)(const GradientTile<T>& tile, T max_restitution);
  void (*other_laws)(const GradientTile<T>& tile);
  void (*incremental)(const GradientTile<T>& tile, const SlideOptions<T>& options, SlideMemory<T>& memory);
  void (*velocities)(const VelocityTile<T>& tile);
};
/// For one ISA.
struct GradientKernels {
  GradientFunctions<float> of_float;
  GradientFunctions<double> of_double;
};

}  // namespace carom::kernel
