// Gradients, for any ISA and precision, one tile of contacts in contact space at a time:
//
//   closed_form   frictionless, no slip, Chatterjee-Ruina, bilinear    closed_form_gradient.hpp
//   incremental   the incremental law by its series                    slide_gradient.hpp
//   other_laws    Whittaker, Smith, Anitescu-Potra, Brach, ...         other_gradients.hpp
//   velocities    derivatives of u, and products with cotangents       velocities.hpp
#pragma once

#include "closed_form_gradient.hpp"
#include "other_gradients.hpp"
#include "slide_gradient.hpp"
#include "velocities.hpp"

namespace carom::kernel {
namespace {

template <class A, class T>
void differentiate_closed_form(const GradientTile<T>& tile, T max_restitution) {
  ClosedFormGradient<A, T>(tile, max_restitution).run();
  leave_lanes<A>();
}
template <class A, class T>
void differentiate_slide(const GradientTile<T>& tile, const SlideOptions<T>& options, SlideMemory<T>& memory) {
  SlideGradient<A, T>(tile, options, memory).run();
  leave_lanes<A>();
}
template <class A, class T>
void differentiate_other_laws(const GradientTile<T>& tile) {
  OtherGradients<A, T>(tile).run();
  leave_lanes<A>();
}
template <class A, class T>
void differentiate_velocities_of(const VelocityTile<T>& tile) {
  differentiate_velocities<A, T>(tile);
  leave_lanes<A>();
}

template <class A, class T>
inline constexpr GradientFunctions<T> gradient_functions = {&differentiate_closed_form<A, T>,
                                                            &differentiate_other_laws<A, T>, &differentiate_slide<A, T>,
                                                            &differentiate_velocities_of<A, T>};
template <class A>
inline constexpr GradientKernels gradient_kernels = {gradient_functions<A, float>, gradient_functions<A, double>};

}  // namespace
}  // namespace carom::kernel
