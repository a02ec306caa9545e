// A tippe top on its belly by itself: the equations of motion of the rigid body, in double, by the classic Runge–Kutta
// method. It shares no code with Bullet or carom.
#pragma once

namespace carom_scenes {

struct TippeTop {
  double radius = 0;                             ///< [m] R of the belly
  double eccentricity = 0;                       ///< [m] e from the centre of mass up to the centre of the belly
  double mass = 0;                               ///< [kg]
  double inertia_across = 0, inertia_along = 0;  ///< [kg m²] A, C
  double friction = 0;                           ///< [1]
  double gravity = 9.81;                         ///< [m/s²]
};

/// [s] until the stem, inclined by `first` [rad] at the start, is inclined by `last`. The top is spun about the
/// vertical.
double time_to_incline(const TippeTop& top, double spin, double first, double last);

}  // namespace carom_scenes
