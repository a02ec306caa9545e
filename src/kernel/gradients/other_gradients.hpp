#pragma once

#include "gradient_lanes.hpp"

namespace carom::kernel {
namespace {
template <class A, class T>
struct OtherGradients {
  explicit OtherGradients(const GradientTile<T>&) {}
  void run() const {}
};
}  // namespace
}  // namespace carom::kernel
