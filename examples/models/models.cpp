// Contact models with known solutions: rolling and spinning friction, the ellipse of anisotropic friction, compliance.
// Prints each quantity with its expected value, and writes the courses for plot.py.
#include <fmt/format.h>
#include <fmt/os.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <filesystem>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "heap.hpp"
#include "world.hpp"

namespace models {
namespace {

constexpr double g = 9.81, h = 1.0 / 60;

class Output {
 public:
  explicit Output(std::string folder) : folder_(std::move(folder)) {
    fmt::print("{:<34} {:<34} {:>14} {:>14} {:>10}\n", "scene", "quantity", "known", "reached", "apart");
  }

  /// Tells a quantity; more than `tolerance` of the known value apart is a miss.
  void tell(const std::string& scene, const std::string& quantity, double known, double reached, double tolerance) {
    const double apart = std::abs(reached - known) / std::max(std::abs(known), 1e-300);
    const bool is_good = apart <= tolerance;
    misses_ += is_good ? 0 : 1;
    fmt::print("{:<34} {:<34} {:>14.8g} {:>14.8g} {:>10.1e}{}\n", scene, quantity, known, reached, apart,
               is_good ? "" : "  MISSED");
  }
  /// Tells a quantity that no formula has.
  void tell(const std::string& scene, const std::string& quantity, double reached) const {
    fmt::print("{:<34} {:<34} {:>14} {:>14.8g}\n", scene, quantity, "", reached);
  }
  /// Calls write(file) for a file of the courses, which goes nowhere without a folder for them.
  template <class F>
  void course(const std::string& name, const std::string& header, const F& write) const {
    auto file = fmt::output_file(folder_.empty() ? "/dev/null" : folder_ + "/" + name + ".csv");
    file.print("{}\n", header);
    write(file);
  }
  int misses() const { return misses_; }

 private:
  std::string folder_;
  int misses_ = 0;
};

struct Sample {
  double t;
  Vector x;
  double speed;
};

/// Balls and a cylinder that roll to rest: s = v² (1 + f) R / (2 g μ_r) in time, and as steps of h have it.
void roll_to_rest(Output& out) {
  constexpr double r = 0.1, rolling = 0.002, v = 1;
  const auto roll = [&](const char* name, double f) {
    World world(h);
    world.bodies = {ball(1, r, f)};
    world.bodies[0].position = {0, 0, r};
    world.bodies[0].velocity = {v, 0, 0};
    world.bodies[0].angular_velocity = {0, v / r, 0};
    Contact contact;
    contact.a = 0;
    contact.r_a = {0, 0, -r};
    contact.friction = contact.friction_2 = 0.5;
    contact.rolling_friction = rolling;
    contact.key = 1;
    world.contacts = {contact};
    std::vector<Sample> course;
    for (int step = 0; step < 600; ++step) {
      world.step();
      course.push_back({h * (step + 1), world.bodies[0].position, world.bodies[0].velocity[0]});
    }
    const double a = g * rolling / (r * (1 + f)), n = std::floor(v / (a * h));
    out.tell("rolls to rest", fmt::format("{}: way [m]", name), h * (n * v - a * h * n * (n + 1) / 2),
             world.bodies[0].position[0], 1e-9);
    out.course(fmt::format("roll_{}", name), "t,x,v", [&](auto& file) {
      for (const Sample& s : course) file.print("{:.6g},{:.9g},{:.9g}\n", s.t, s.x[0], s.speed);
    });
  };
  roll("solid ball", 0.4);
  roll("hollow ball", 2.0 / 3);
  roll("cylinder", 0.5);
}

/// A top of spinning friction μ_s: ω falls by μ_s m g / I a second.
void spin_down(Output& out) {
  constexpr double inertia = 2e-4, spin = 50, mass = 0.3, spinning = 0.001;
  World world(h);
  Body top;
  top.inverse_mass = 1 / mass;
  top.inverse_inertia = {1 / inertia, 1 / inertia, 1 / inertia};
  top.angular_velocity = {0, 0, spin};
  world.bodies = {top};
  Contact contact;
  contact.a = 0;
  contact.friction = contact.friction_2 = 0.3;
  contact.spinning_friction = spinning;
  contact.key = 1;
  world.contacts = {contact};
  std::vector<Sample> course;
  double stopped = 0;
  for (int step = 0; step < 240; ++step) {
    world.step();
    const double w = world.bodies[0].angular_velocity[2];
    course.push_back({h * (step + 1), {}, w});
    if (stopped == 0 && std::abs(w) < 1e-9) stopped = h * (step + 1);
  }
  const double time = inertia * spin / (spinning * mass * g);
  out.tell("top spins down", "stands after [s]", std::ceil(time / h) * h, stopped, 1e-9);
  out.course("top", "t,w", [&](auto& file) {
    for (const Sample& s : course) file.print("{:.6g},{:.9g}\n", s.t, s.speed);
  });
}

/// A block that slides down an incline of slope β, whose axis 1 lies at ψ from the fall line: (a + N D²/|D v|) v = G.
void slide_off_the_fall_line(Output& out) {
  constexpr double degree = std::numbers::pi / 180;
  struct Case {
    double slope, fall, friction, friction_2, angle, acceleration;
  };
  constexpr Case cases[] = {{40, 45, 0.2, 0.6, 19.265385, 3.624520},
                            {40, 20, 0.2, 0.6, 7.156195, 4.554426},
                            {40, 70, 0.2, 0.6, 44.620243, 2.354262},
                            {30, 45, 0.1, 0.5, 10.761369, 2.903579},
                            {35, 60, 0.05, 0.65, 7.595766, 2.635757}};
  for (const Case& c : cases) {
    World world(h);
    world.bodies = {ball(1, 1, 0.4)};
    world.bodies[0].inverse_inertia = {};  // a block that does not turn
    const double b = c.slope * degree, psi = c.fall * degree;
    world.gravity = {g * std::sin(b) * std::cos(psi), g * std::sin(b) * std::sin(psi), -g * std::cos(b)};
    Contact contact;
    contact.a = 0;
    contact.friction = c.friction;
    contact.friction_2 = c.friction_2;
    contact.key = 1;
    world.contacts = {contact};
    std::vector<Sample> course;
    for (int step = 0; step < 60; ++step) {
      world.step();
      course.push_back({h * (step + 1), world.bodies[0].position, 0});
    }
    const Vector& v = world.bodies[0].velocity;
    const std::string name = fmt::format("slope {}°, axis at {}°", c.slope, c.fall);
    // The answers have been printed with eight and seven digits.
    out.tell("slides off the fall line", name + ": direction [°]", c.angle, std::atan2(v[1], v[0]) / degree, 1e-7);
    out.tell("slides off the fall line", name + ": [m/s²]", c.acceleration, length(v), 3e-7);
    out.course(fmt::format("incline_{}_{}", c.slope, c.fall), "t,x,y,fall_x,fall_y", [&](auto& file) {
      for (const Sample& s : course)
        file.print("{:.6g},{:.9g},{:.9g},{:.9g},{:.9g}\n", s.t, s.x[0], s.x[1], std::cos(psi), std::sin(psi));
    });
  }
}

/// A skate on an incline turns at ω and comes back up: a cycloid of height g sin β / (2 ω²), which moves across the
/// fall line. Steps of h increase the height by a fraction of 11 h ω, so the expected values are computed with the same
/// steps.
void skate(Output& out) {
  constexpr double slope = 10 * std::numbers::pi / 180, spin = 1.5;
  constexpr double fine = 1.0 / 2000;
  World world(fine);
  world.bodies = {box(60, {0.3, 0.3, 1.6})};
  world.bodies[0].angular_velocity = {0, 0, spin};
  world.gravity = {-g * std::sin(slope), 0, -g * std::cos(slope)};
  Contact contact;
  contact.a = 0;
  contact.friction = 0;
  contact.friction_2 = 100;
  contact.key = 1;
  std::vector<Sample> course;
  Vector known{}, speed{};
  double lowest = 0, lowest_known = 0;
  // The blade begins along the fall line. Two turns.
  const int steps = static_cast<int>(2 * 2 * std::numbers::pi / spin / fine);
  for (int step = 0; step < steps; ++step) {
    contact.direction = world.bodies[0].axes.x;
    world.contacts = {contact};
    world.step();
    const Vector blade = {std::cos(step * fine * spin), std::sin(step * fine * spin), 0};
    speed = dot(speed + fine * world.gravity, blade) * blade;
    known = known + fine * speed;
    lowest = std::min(lowest, world.bodies[0].position[0]);
    lowest_known = std::min(lowest_known, known[0]);
    if (step % 20 == 0) course.push_back({fine * (step + 1), world.bodies[0].position, 0});
  }
  out.tell("skate on an incline", "comes down by [m]", -lowest_known, -lowest, 1e-9);
  out.tell("skate on an incline", "goes across in two turns [m]", known[1], world.bodies[0].position[1], 1e-9);
  out.course("skate", "t,x,y", [&](auto& file) {
    for (const Sample& s : course) file.print("{:.6g},{:.9g},{:.9g}\n", s.t, s.x[0], s.x[1]);
  });
}

/// A car on four compliant wheels: it sinks by m g / (4 k), rolls over a bump and comes to rest again.
void car(Output& out) {
  constexpr double mass = 1200, k = 30000, c = 2500, track = 0.75, base = 1.3, height = 0.5, radius = 0.3;
  World world(h);
  world.bodies = {box(mass, {4, 1.7, 1.2})};
  world.bodies[0].position = {0, 0, height};
  world.bodies[0].velocity = {5, 0, 0};
  const auto ground = [](double x) {  // a bump of 80 mm
    const double s = (x - 10) / 0.8;
    return std::abs(s) < 1 ? 0.04 * (1 + std::cos(std::numbers::pi * s)) : 0;
  };
  std::vector<Sample> course;
  double sunk = 0;
  for (int step = 0; step < 300; ++step) {
    Body& body = world.bodies[0];
    world.contacts.clear();
    for (int wheel = 0; wheel < 4; ++wheel) {
      const Vector hub = {wheel < 2 ? base : -base, wheel % 2 == 0 ? track : -track, -height + radius};
      const Vector arm = body.axes * hub - Vector{0, 0, radius};
      const Vector at = body.position + arm;
      Contact contact;
      contact.a = 0;
      contact.r_a = arm;
      contact.separation = at[2] - ground(at[0]);
      if (contact.separation > 0.05) continue;
      contact.direction = body.axes.x;
      contact.friction = 0.015;  // a wheel rolls along, with some resistance, and grips across
      contact.friction_2 = 0.9;
      contact.stiffness = k;
      contact.damping = c;
      contact.key = static_cast<std::uint64_t>(wheel) + 1;
      world.contacts.push_back(contact);
    }
    world.step();
    course.push_back({h * (step + 1), body.position, std::asin(-body.axes.x[2])});
    if (step == 100) sunk = height - body.position[2];
  }
  out.tell("car on four compliant wheels", "sinks by [m]", mass * g / (4 * k), sunk, 0.02);
  out.tell("car on four compliant wheels", "the same after the bump [m]", mass * g / (4 * k),
           height - world.bodies[0].position[2], 0.02);
  out.course("car", "t,x,z,pitch", [&](auto& file) {
    for (const Sample& s : course) file.print("{:.6g},{:.9g},{:.9g},{:.9g}\n", s.t, s.x[0], s.x[2], s.speed);
  });
}

/// A stiff deck on soft pads, with a load a third off its middle: it sinks by W/(n k) (1 + n x a / Σ x²).
void bridge(Output& out) {
  constexpr int rows = 5;
  constexpr double deck = 800, load = 400, k = 40000, c = 4000, span = 8, width = 2, off = span / 6;
  World world(h);
  world.bodies = {box(deck, {span, width, 0.2}), box(load, {1, 1, 1})};
  world.bodies[0].position = {0, 0, 0.1};
  world.bodies[1].position = {off, 0, 0.7};
  for (int step = 0; step < 600; ++step) {
    world.contacts.clear();
    const auto put = [&](std::int32_t a, std::int32_t b, const Vector& on_a, double floor, double stiffness,
                         double damping, std::uint64_t key) {
      const Body& body = world.bodies[static_cast<std::size_t>(a)];
      Contact contact;
      contact.a = a;
      contact.b = b;
      contact.r_a = body.axes * on_a;
      const Vector at = body.position + contact.r_a;
      if (b >= 0) {
        const Body& below = world.bodies[static_cast<std::size_t>(b)];
        contact.normal = below.axes.z;
        contact.r_b = at - below.position;
        contact.separation = dot(contact.normal, at - below.position) - floor;
      } else {
        contact.separation = at[2] - floor;
      }
      contact.friction = contact.friction_2 = 0.6;
      contact.stiffness = stiffness;
      contact.damping = damping;
      contact.key = key;
      world.contacts.push_back(contact);
    };
    std::uint64_t key = 0;
    for (int row = 0; row < rows; ++row)
      for (const double y : {-width / 2, width / 2})
        put(0, -1, {span * (row / (rows - 1.0) - 0.5), y, -0.1}, 0, k, c, ++key);
    for (const double x : {-0.5, 0.5})
      for (const double y : {-0.5, 0.5})
        put(1, 0, {x, y, -0.5}, 0.1, std::numeric_limits<double>::infinity(), 0, ++key);
    world.step();
  }
  double squares = 0;
  for (int row = 0; row < rows; ++row) squares += 2 * std::pow(span * (row / (rows - 1.0) - 0.5), 2);
  const Body& body = world.bodies[0];
  const auto sunk = [&](double x) { return 0.1 - (body.position + body.axes * Vector{x, 0, 0})[2]; };
  const double even = (deck + load) * g / (2 * rows * k), tilt = load * g * off / (k * squares);
  out.tell("bridge of soft pads", "middle sinks by [m]", even, sunk(0), 0.02);
  out.tell("bridge of soft pads", "loaded end sinks by [m]", even + tilt * span / 2, sunk(span / 2), 0.02);
  out.course("bridge", "x,sunk,known", [&](auto& file) {
    for (int i = 0; i <= 40; ++i) {
      const double x = span * (i / 40.0 - 0.5);
      file.print("{:.6g},{:.9g},{:.9g}\n", x, sunk(x), even + tilt * x);
    }
  });
}

/// Discs that are poured on a rough ground: their heap is steeper with more rolling friction.
void heap(Output& out, int seeds) {
  out.course("heap_angles", "rolling_friction_of_radius,seed,angle", [&](auto& angles) {
    for (const double coefficient : {0.0, 0.05, 0.1, 0.2, 0.4}) {
      double sum = 0;
      for (int seed = 1; seed <= seeds; ++seed) {
        const Heap made = pour(coefficient, seed);
        sum += made.angle;
        angles.print("{:.6g},{},{:.6g}\n", coefficient, seed, made.angle);
        if (seed > 1) continue;
        out.course(fmt::format("heap_{}", coefficient), "x,z,r", [&](auto& file) {
          for (const Disc& d : made.discs) file.print("{:.6g},{:.6g},{:.6g}\n", d.x, d.z, d.r);
        });
      }
      out.tell("heap of discs", fmt::format("angle at μ_r = {} R [°]", coefficient), sum / seeds);
    }
  });
}

}  // namespace
}  // namespace models

int main(int argc, char** argv) {
  CLI::App app("Contact models with answers that are known on paper");
  std::string folder;
  bool no_heap = false;
  int seeds = 1;
  app.add_option("--courses", folder, "a folder for the courses, which plot.py draws");
  app.add_flag("--no-heap", no_heap, "leave out the heaps, which take ten seconds");
  app.add_option("--seeds", seeds, "heaps for each coefficient")->check(CLI::Range(1, 1000));
  CLI11_PARSE(app, argc, argv);
  if (!folder.empty()) std::filesystem::create_directories(folder);
  models::Output out(folder);
  models::roll_to_rest(out);
  models::spin_down(out);
  models::slide_off_the_fall_line(out);
  models::skate(out);
  models::car(out);
  models::bridge(out);
  if (!no_heap) models::heap(out, seeds);
  return out.misses() == 0 ? 0 : 1;
}
