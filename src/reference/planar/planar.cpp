// The planar collision of [R] section 5 in closed form: a straight slide, and at most one other straight line from
// where it stops. Works and impulses of both phases as in the third dimension, so that every law of restitution and
// unbounded friction come out of one text.
//
//   s       max(1, μ) p_n while it slides, so that neither component of dp/ds exceeds 1
//   Wc, Wd  work of the normal force in compression, decompression
//   Pc, Pd  its impulse
#include "planar.hpp"

#include <algorithm>

namespace carom::reference::planar {
namespace {

// A straight line of u: per unit of its parameter.
struct Line {
  double p_t, p_n;
  double u_t, u_n;
};

Line line_of(const Problem& c, double p_t, double p_n) {
  return {p_t, p_n, c.a * p_t + c.b * p_n, c.b * p_t + c.c * p_n};
}

struct Account {
  double wc = 0, wd = 0, pc = 0, pd = 0;
};

// Steps 5 to 7: the line along which a contact without slip continues.
Line line_from_rest(const Problem& c, Path& path) {
  if (std::abs(c.b) <= c.mu * c.a) {
    path.sticking = Sticking::stable;
    return {-c.b / c.a, 1, 0, c.c - c.b / c.a * c.b};
  }
  path.sticking = Sticking::diverge;
  return line_of(c, c.b < 0 ? c.mu : -c.mu, 1);
}

// Step 8: from u_n = y to the end of the collision; its length in p_n, and u_n there.
struct End {
  double length, u_n;
};
End finish(const Problem& c, RestitutionLaw law, const Line& line, double y, Account& account) {
  double length = 0;
  if (y < 0) {
    length = -y / line.u_n;
    account.wc += 0.5 * y * length;
    account.pc += length;
    y = 0;
  }
  double left = 0, end = y;
  if (law == RestitutionLaw::kinetic) {
    left = std::max(c.e * account.pc - account.pd, 0.0);
    end = y + line.u_n * left;
  } else if (law == RestitutionLaw::kinematic) {
    end = std::max(-c.e * c.y, y);
    left = (end - y) / line.u_n;
  } else {
    const double work = std::max(-c.e * c.e * account.wc - account.wd, 0.0);
    end = std::sqrt(y * y + 2 * line.u_n * work);
    left = work > 0 ? 2 * work / (y + end) : 0;
  }
  account.wd += 0.5 * (y + end) * left;
  account.pd += left;
  return {length + left, end};
}

}  // namespace

Outcome resolve_incremental(const Problem& c, RestitutionLaw law) {
  Outcome o;
  Account account;
  double y = c.y, p_t = 0;
  if (c.x != 0) {
    // Steps 3 and 4. Slipping, all laws of restitution end at u_n = -e u0_n.
    const double sign = c.x > 0 ? 1 : -1;
    const Line slide = line_of(c, -sign * c.wn(), c.wt());
    const bool converges = sign * slide.u_t < 0;
    const double to_rest = converges ? -c.x / slide.u_t : 0;
    const double at_rest = c.y + slide.u_n * to_rest;
    if (!converges || (at_rest > 0 && at_rest >= -c.e * c.y)) {
      const double s = -(1 + c.e) * c.y / slide.u_n, compression = -c.y / slide.u_n;
      o.path = {SlidingEnd::slide_end, Sticking::none, 1, 1};
      o.u = {c.x + slide.u_t * s, -c.e * c.y};
      o.p = {slide.p_t * s, slide.p_n * s};
      o.work_compression = 0.5 * c.y * compression * slide.p_n;
      o.work_decompression = -c.e * c.e * o.work_compression;
      return o;
    }
    if (at_rest <= 0) {
      o.path = {SlidingEnd::stick_in_c, Sticking::none, 1, 0};
      account.wc = 0.5 * (c.y + at_rest) * to_rest;
      account.pc = to_rest;
    } else {
      const double compression = -c.y / slide.u_n;
      o.path = {SlidingEnd::stick_in_d, Sticking::none, 1, 1};
      account.wc = 0.5 * c.y * compression;
      account.wd = 0.5 * at_rest * at_rest / slide.u_n;
      account.pc = compression;
      account.pd = at_rest / slide.u_n;
    }
    // Converts from s to p_n, which is constant under unbounded friction.
    for (double* sum : {&account.wc, &account.wd, &account.pc, &account.pd}) *sum *= slide.p_n;
    p_t = slide.p_t * to_rest;
    y = at_rest;
  } else {
    o.path.sliding_end = SlidingEnd::stick_at_start;
  }

  const Line line = line_from_rest(c, o.path);
  const double p_n = account.pc + account.pd;
  const End end = finish(c, law, line, y, account);
  o.u = {line.u_t * end.length, end.u_n};
  o.p = {p_t + line.p_t * end.length, p_n + end.length};
  o.work_compression = account.wc;
  o.work_decompression = account.wd;
  return o;
}

}  // namespace carom::reference::planar
