// Sets rounding to nearest and disables flushing of subnormal numbers until the end of a scope.
#pragma once

#ifdef __x86_64__
#include <xmmintrin.h>
#else
#include <cfenv>
#endif

namespace carom {

#ifdef __x86_64__
/// The solvers compute in SSE registers only, whose modes and flags are in MXCSR. The modes of the x87 unit are not
/// changed: saving and setting them takes as long as a small call.
class DefaultFloatingPoint {
 public:
  DefaultFloatingPoint() : host_(_mm_getcsr()) {
    if ((host_ & ~flags) != modes) _mm_setcsr(modes);
  }
  ~DefaultFloatingPoint() { _mm_setcsr(host_); }

 private:
  static constexpr unsigned flags = 0x3f, modes = 0x1f80;  // all exceptions masked, round to nearest, no flushing

  unsigned host_;

#else
class DefaultFloatingPoint {
 public:
  DefaultFloatingPoint() {
    std::fegetenv(&host_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultFloatingPoint() { std::fesetenv(&host_); }

 private:
  std::fenv_t host_;

#endif
 public:
  DefaultFloatingPoint(const DefaultFloatingPoint&) = delete;
  DefaultFloatingPoint& operator=(const DefaultFloatingPoint&) = delete;
};

}  // namespace carom
