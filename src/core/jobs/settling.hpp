// Islands whose last impulses may solve the call: the data that pass between scene/solvers/direct/settled_islands.cpp
// and the kernels of settle.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

namespace carom::kernel {

/// A body: velocities are linear, then angular. [m/s], [rad/s]
struct alignas(64) SettledRow {
  double force[4], torque[4];  ///< [N s], [N m s] of the impulses; the last lane is 0
  double velocity[6];          ///< with the impulses
  double free[6];              ///< with forces and without impulses
  double before[6];            ///< before forces
  double turning = 0;          ///< [1/(kg m²)] trace of the inverse inertia of a body that moves, else 0
  std::uint64_t call = 0;      ///< the last one that has set this row
  std::int32_t next = 0;       ///< movable body of the island, or -1
  bool is_pushed = false;      ///< a contact of the body has an impulse
  bool moves = false;          ///< by impulses
};

/// A manifold with up to four points as lanes. Lanes without a point have no impulse.
struct alignas(64) SettledManifold {
  double impulse[3][4];   ///< [N s] world frame
  double velocity[3][4];  ///< [m/s] relative, with the impulses
  double normal[3];
  double slop = 0;      ///< [m] of its bodies
  double friction = 0;  ///< [1] max. ratio of friction to the normal impulse
};

/// A row of a joint.
struct SettledJointRow {
  std::int32_t body_a = 0, body_b = 0;
  std::uint32_t row = 0;                    ///< in the scene
  double along_a[6] = {}, along_b[6] = {};  ///< linear, angular
  double impulse = 0;                       ///< [N s]
  double target = 0;                        ///< [m/s]
  double below = 0, above = 0;              ///< [m/s] by how much the velocity may differ from the target
  double free = 0, velocity = 0;            ///< [m/s] without the impulses, and with them
};

/// An island, or the share of a thread in a large one: consecutive manifolds, and the bodies that occur first in them.
struct SettledIsland {
  std::uint32_t number = 0;
  std::uint32_t first = 0, end = 0;          ///< in Settling::manifolds
  std::uint32_t end_of_island = 0;           ///< of a share
  std::uint8_t share = 0;                    ///< number of a share
  const std::uint8_t* share_of = nullptr;    ///< of bodies, or null: all bodies of the island belong to it
  std::uint32_t first_row = 0, end_row = 0;  ///< in Settling::joint_rows
  bool may_be_large = false;
  double max_miss = 0;   ///< [m/s] of a target
  double max_error = 0;  ///< [m/s] of the relative velocity of a loaded contact, in any direction
  /// Not 0: it must have this number of bodies, be still, and have the same change of velocity by forces everywhere.
  std::size_t stopped_bodies = 0;
  std::int32_t reference_body = -1;  ///< movable, with that change
  /// [m/s] An island without faster bodies is still. If it kept its velocities, they would add up from call to
  /// call until it is solved again.
  double still = 0;
  std::int32_t body = -1;  ///< the first of its movable bodies, which are linked by SettledRow::next
  std::size_t bodies = 0;  ///< their number
  double approach = 0;     ///< [m/s] max. violation of a target by the velocities without impulses
  double residual = 0;     ///< [m/s] max. violation of a target
  bool is_still = false;   ///< its bodies are stored without velocities
};

/// Islands that SceneKernelsFor::settle_alone takes at a time.
inline constexpr std::size_t settled_side_by_side = 8;

/// Data of all islands of a call.
struct Settling {
  const std::uint32_t* manifolds;  ///< island by island
  SettledManifold* of_manifold;    ///< in that order
  SettledJointRow* joint_rows;     ///< island by island
  SettledRow* rows;                ///< of bodies, and of the world
  std::uint64_t call;              ///< number of this call
  double time_step;                ///< [s]
  double impact, rebound_speed;    ///< [m/s], [m/s] approach of a contact that is struck, and of one that rebounds
  double impact_share;             ///< [1] as rebound_speed, of the change of velocity by forces
  double closed, closed_if_large;  ///< [1] gaps of loaded contacts, and of all in a large island, as fractions of slop
  std::size_t large_bodies;
  double max_spin;     ///< [rad/s] of bodies with joints, without impulses: their arms do not turn
  double max_number;   ///< larger velocities and impulses are left to other solvers
  bool is_contiguous;  ///< contacts are in the order of the manifolds, and the numbers of vector columns side by side
};

}  // namespace carom::kernel
