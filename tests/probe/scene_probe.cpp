// Draws and solves scenes, and checks the promises of docs/scenes.md and docs/determinism.md.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <carom/carom.hpp>
#include <carom/reference_scene.hpp>
#include <cstring>
#include <map>
#include <string>

#include "probe/scene_judge.hpp"
#include "probe/search.hpp"
#include "support/running/isas.hpp"
#include "support/scenes/order.hpp"

namespace carom::probe {
namespace {

template <class T>
SolvedScene<T> solve(SceneSolver& solver, const DrawnScene<T>& drawn) {
  SolvedScene<T> made(drawn.data);
  made.report = solver.solve(drawn.view(), made.arrays.view(), drawn.options);
  return made;
}
template <class T>
SolvedScene<T> solve(const DrawnScene<T>& drawn, const Execution& execution) {
  SceneSolver solver(execution);
  return solve(solver, drawn);
}
SolvedScene<double> solve_by_reference(const DrawnScene<double>& drawn) {
  SolvedScene<double> made(drawn.data);
  made.report = reference::solve_scene(drawn.view(), made.arrays.view(), drawn.options);
  return made;
}

/// The scene as judges see it: forces are in the velocities.
template <class T>
DrawnScene<T> with_forces(DrawnScene<T> drawn) {
  const std::array<double, 3>& gravity = drawn.options.gravity;
  auto &linear = drawn.data.velocity_change, &angular = drawn.data.angular_velocity_change;
  if (gravity != std::array<double, 3>{})
    for (std::size_t c = 0; c < 3; ++c) {
      linear[c].resize(drawn.data.body_count());
      angular[c].resize(drawn.data.body_count());
      for (std::size_t i = 0; i < drawn.data.body_count(); ++i)
        if (drawn.data.bodies.inverse_mass[i] > T(0))
          linear[c][i] += static_cast<T>(drawn.options.time_step * gravity[c]);
    }
  const auto add = [](auto& velocity, const auto& change) {
    for (std::size_t c = 0; c < 3; ++c)
      for (std::size_t i = 0; i < change[c].size(); ++i) velocity[c][i] += change[c][i];
  };
  add(drawn.data.bodies.velocity, drawn.data.velocity_change);
  add(drawn.data.bodies.angular_velocity, drawn.data.angular_velocity_change);
  return drawn;
}

bool is_pgs(const auto& drawn) {
  return drawn.procedure() == Procedure::pgs;
}

/// Solves in place: velocities over velocities, impulses over warm impulses.
template <class T>
SolvedScene<T> solve_in_place(DrawnScene<T> drawn, const Execution& execution) {
  SolvedScene<T> made(drawn.data);
  Scene<T> scene = drawn.view();
  const SceneResults<T> results = made.arrays.view();
  share(scene.bodies.velocity, results.velocity);
  share(scene.bodies.angular_velocity, results.angular_velocity);
  const bool in_substeps = drawn.procedure() == Procedure::substeps;
  if (scene.contacts.warm_impulse.x)
    share(scene.contacts.warm_impulse, in_substeps ? results.warm_impulse : results.impulse);
  if (scene.contacts.warm_angular_impulse.x && results.angular_impulse.x)
    share(scene.contacts.warm_angular_impulse, in_substeps ? results.warm_angular_impulse : results.angular_impulse);
  made.report = SceneSolver(execution).solve(scene, results, drawn.options);
  return made;
}

/// The scene, whose method is Pgs, warm-started with the impulses of a result.
template <class T>
DrawnScene<T> begun_with(const DrawnScene<T>& drawn, const SolvedScene<T>& made) {
  DrawnScene<T> next = drawn;
  next.data.warm_impulse = made.arrays.impulse;
  if (drawn.kind == SceneKind::models) next.data.warm_angular_impulse = made.arrays.angular_impulse;
  for (std::size_t r = 0; r < next.data.row_count(); ++r)
    next.data.joints.rows[r].warm_impulse = made.arrays.joint_impulse[r];
  Pgs& pgs = next.options.template use<Pgs>();
  pgs.warm_start = 1;
  pgs.joint_warm_start = 1;
  pgs.iterations = 8;
  return next;
}

template <class T>
bool same(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

/// Compares the bits of bodies, contacts and rows of `one` scene with the same objects in the scene `other`. Contact
/// `contacts[place]` of `one` is contact `place` of `other`.
template <class T>
bool has_bits_of(const SolvedScene<T>& one, const SolvedScene<T>& other, const std::vector<std::size_t>& contacts,
                 const std::vector<std::size_t>& rows) {
  const auto &a = one.arrays, &b = other.arrays;
  bool all = true;
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t i = 0; i < a.velocity[0].size(); ++i)
      all = all && same(a.velocity[c][i], b.velocity[c][i]) &&
            same(a.angular_velocity[c][i], b.angular_velocity[c][i]) &&
            same(a.displacement[c][i], b.displacement[c][i]) && same(a.rotation[c][i], b.rotation[c][i]);
    for (std::size_t place = 0; place < contacts.size(); ++place)
      if (contacts[place] < a.status.size())
        all = all && same(a.impulse[c][contacts[place]], b.impulse[c][place]) &&
              same(a.angular_impulse[c][contacts[place]], b.angular_impulse[c][place]) &&
              same(a.separation_velocity[c][contacts[place]], b.separation_velocity[c][place]) &&
              same(a.warm_impulse[c][contacts[place]], b.warm_impulse[c][place]);
  }
  for (std::size_t place = 0; place < contacts.size(); ++place)
    if (contacts[place] < a.status.size()) all = all && a.status[contacts[place]] == b.status[place];
  for (std::size_t place = 0; place < rows.size(); ++place)
    if (rows[place] < a.joint_status.size())
      all = all && same(a.joint_impulse[rows[place]], b.joint_impulse[place]) &&
            same(a.joint_warm_impulse[rows[place]], b.joint_warm_impulse[place]) &&
            a.joint_status[rows[place]] == b.joint_status[place];
  return all;
}

std::vector<std::size_t> in_order(std::size_t n) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

/// Adds the optional columns of `like` to `scene`.
template <class T>
void match_columns(scenes::SceneData<T>& scene, const scenes::SceneData<T>& like) {
  const auto match = [](auto& column, const auto& wanted, std::size_t n) {
    if (!wanted.empty()) column.assign(n, {});
  };
  const auto match3 = [&](auto& columns, const auto& wanted, std::size_t n) {
    for (std::size_t c = 0; c < 3; ++c) match(columns[c], wanted[c], n);
  };
  const std::size_t n = scene.contact_count(), bodies = scene.body_count();
  if (!like.static_friction.empty()) scene.static_friction = scene.friction;
  match(scene.separation, like.separation, n);
  match(scene.frequency, like.frequency, n);
  match(scene.damping_ratio, like.damping_ratio, n);
  match(scene.slop, like.slop, n);
  match(scene.target_velocity, like.target_velocity, n);
  match3(scene.surface_velocity, like.surface_velocity, n);
  match3(scene.warm_impulse, like.warm_impulse, n);
  if (!like.friction_2.empty()) scenes::add_neutral_models(scene, !like.stiffness.empty());
  match3(scene.warm_angular_impulse, like.warm_angular_impulse, n);
  match3(scene.velocity_change, like.velocity_change, bodies);
  match3(scene.angular_velocity_change, like.angular_velocity_change, bodies);
}

template <class T>
void print(const DrawnScene<T>& drawn, const SolvedScene<T>& made) {
  const auto& d = drawn.data;
  const auto three = [](const auto& columns, std::size_t i) {
    return fmt::format("({}, {}, {})", columns[0][i], columns[1][i], columns[2][i]);
  };
  const auto if_there = [&](const char* name, const auto& columns, std::size_t i) {
    if (!columns[0].empty()) fmt::print("  {} {}", name, three(columns, i));
  };
  const auto number_if_there = [](const char* name, const auto& column, std::size_t i) {
    if (!column.empty()) fmt::print("  {} {}", name, column[i]);
  };
  fmt::print("{}, {}: {}\n", to_string(drawn.procedure()), scene_kind_names[static_cast<std::size_t>(drawn.kind)],
             changes_of(drawn.options));
  for (std::size_t b = 0; b < d.body_count(); ++b) {
    const auto& j = d.bodies.inverse_inertia;
    fmt::print("body {}: 1/m {}  J {} {} {} {} {} {}  v {} w {}  ->  v {} w {}\n", b, d.bodies.inverse_mass[b], j[0][b],
               j[1][b], j[2][b], j[3][b], j[4][b], j[5][b], three(d.bodies.velocity, b),
               three(d.bodies.angular_velocity, b), three(made.arrays.velocity, b),
               three(made.arrays.angular_velocity, b));
  }
  for (std::size_t i = 0; i < d.contact_count(); ++i) {
    fmt::print("contact {}: {} {}  n {}  r {} {}  mu {} e {}", i, d.body_a[i], d.body_b[i], three(d.normal, i),
               three(d.r_a, i), three(d.r_b, i), d.friction[i], d.restitution[i]);
    number_if_there("mu_s", d.static_friction, i);
    number_if_there("separation", d.separation, i);
    number_if_there("frequency", d.frequency, i);
    number_if_there("damping", d.damping_ratio, i);
    number_if_there("slop", d.slop, i);
    number_if_there("target", d.target_velocity, i);
    if_there("surface", d.surface_velocity, i);
    if_there("warm", d.warm_impulse, i);
    number_if_there("mu_2", d.friction_2, i);
    if_there("direction", d.friction_direction, i);
    number_if_there("rolling", d.rolling_friction, i);
    number_if_there("spinning", d.spinning_friction, i);
    number_if_there("compliance", d.normal_compliance, i);
    number_if_there("slip compliance", d.tangential_compliance, i);
    number_if_there("stiffness", d.stiffness, i);
    number_if_there("damping", d.damping, i);
    if (!d.friction_2.empty()) fmt::print("  m {}", three(made.arrays.angular_impulse, i));
    fmt::print("  ->  {}  p {}  u {}\n", to_string(made.arrays.status[i]), three(made.arrays.impulse, i),
               three(made.arrays.separation_velocity, i));
  }
  for (std::size_t r = 0; r < d.row_count(); ++r) {
    const auto& row = d.joints.rows[r];
    fmt::print(
        "row {}: {} {}  {} {} {} {}  target {} bounds {} {} compliance {} warm {} error {} frequency {} {}  ->  {}  "
        "{}\n",
        r, row.body_a, row.body_b, row.linear_a, row.angular_a, row.linear_b, row.angular_b, row.target_velocity,
        row.min_impulse, row.max_impulse, row.compliance, row.warm_impulse, row.position_error, row.frequency,
        row.damping_ratio, to_string(made.arrays.joint_status[r]), made.arrays.joint_impulse[r]);
  }
  const SceneReport& report = made.report;
  fmt::print("iterations {}  approach {}  residual {}  not converged {}  energy {} -> {}  joint work {}\n",
             report.iterations, report.max_approach_speed, report.residual, report.not_converged, report.energy_before,
             report.energy_after, report.joint_work);
}

/// Solves the scene with the contacts and rows of another scene mixed in.
template <class T>
bool keeps_bits_among_others(const DrawnScene<T>& drawn, const SolvedScene<T>& made, std::uint64_t seed,
                             const Execution& execution) {
  support::Draw draw(seed);
  scenes::RandomSceneOptions options;
  options.with_joints = draw.below(2) == 0;
  scenes::SceneData<T> other = scenes::random_scene<T>(seed, options);
  match_columns(other, drawn.data);
  DrawnScene<T> both = drawn;
  scenes::append(both.data, other);
  reset_defaults_of_columns(both);
  const auto contacts = scenes::mixed(draw, drawn.data.contact_count(), other.contact_count());
  const auto rows = scenes::mixed(draw, drawn.data.row_count(), other.row_count());
  both.data = scenes::reordered(both.data, contacts, rows);
  return has_bits_of(made, solve(both, execution), contacts, rows);
}

/// Solves the scene without the contacts and rows whose data are faulty.
template <class T>
bool keeps_bits_without_faults(const DrawnScene<T>& drawn, const SolvedScene<T>& made, const Execution& execution) {
  const auto sound = [](const std::vector<Status>& found) {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < found.size(); ++i)
      if (!is_fault(found[i]) || is_outcome(found[i])) places.push_back(i);
    return places;
  };
  const auto contacts = sound(made.arrays.status), rows = sound(made.arrays.joint_status);
  DrawnScene<T> rest = drawn;
  rest.data = scenes::reordered(drawn.data, contacts, rows);
  return has_bits_of(made, solve(rest, execution), contacts, rows);
}

/// Calls one solver three times with keys. Its warm-start cache must not turn a sound contact or row into a fault.
template <class T>
bool remembers_no_fault(const DrawnScene<T>& drawn, const Execution& execution, std::uint64_t seed) {
  support::Draw draw(seed);
  DrawnScene<T> now = drawn;
  for (auto& column : now.data.warm_impulse) column.clear();
  for (std::size_t i = 0; i < now.data.contact_count(); ++i) now.data.key.push_back(i + 1);
  for (std::size_t r = 0; r < now.data.row_count(); ++r) now.data.joints.rows[r].key = r + 1;
  SceneSolver solver(execution);
  for (int call = 0; call < 3; ++call) {
    const SolvedScene<T> made = solve(solver, now), alone = solve(now, execution);
    for (std::size_t i = 0; i < now.data.contact_count(); ++i)
      if (is_fault(made.arrays.status[i]) && !is_fault(alone.arrays.status[i])) return false;
    for (std::size_t r = 0; r < now.data.row_count(); ++r)
      if (made.arrays.joint_status[r] != Status::ok && alone.arrays.joint_status[r] == Status::ok) return false;
    now.data.bodies.velocity = made.arrays.velocity;
    now.data.bodies.angular_velocity = made.arrays.angular_velocity;
    for (T& x : now.data.bodies.velocity[2]) x += T(-0.1);
    if (draw.below(2) == 0) {
      now.options.method = now.pgs;
      now.data.stiffness.clear();  // it needs a step
      now.data.damping.clear();
    }
    const T lighter = static_cast<T>(draw.log_uniform(draw.below(2) == 0 ? 1 : sizeof(T) == sizeof(float) ? 40 : 300));
    if (draw.below(3) == 0) {
      for (T& x : now.data.bodies.inverse_mass) x *= lighter;
      for (auto& column : now.data.bodies.inverse_inertia)
        for (T& x : column) x *= lighter;
    }
  }
  return true;
}

/// Judges the results of a scene by solving it again in other ways.
template <class T>
class Rerun {
 public:
  Rerun(const DrawnScene<T>& drawn, const SolvedScene<T>& made, std::uint64_t number, const Execution& execution,
        bool shows)
      : drawn_(drawn),
        made_(made),
        number_(number),
        draw_(scattered(number + 3)),
        execution_(execution),
        shows_(shows) {}

  Verdict judge(bool& converged) {
    judge_rest(converged);
    // Kinds that have revealed dependence on neighbours are compared every time.
    const bool always = drawn_.kind == SceneKind::rotors || drawn_.kind == SceneKind::zeros;
    if (always || draw_.below(3) == 0)
      v_.want("other islands change no bit",
              keeps_bits_among_others(drawn_, made_, scattered(number_ + 1), execution_));
    if (drawn_.kind == SceneKind::faults || drawn_.kind == SceneKind::rotors)
      v_.want("faults change no bit of the others", keeps_bits_without_faults(drawn_, made_, execution_));
    if (execution_.isa != Isa::sse2 && (always || draw_.below(4) == 0)) judge_elsewhere();
    if (draw_.below(4) == 0)
      v_.want("results in place have the same bits", same_bits(solve_in_place(drawn_, execution_)));
    if (drawn_.kind != SceneKind::faults && draw_.below(6) == 0)
      v_.want("remembered impulses are no fault", remembers_no_fault(drawn_, execution_, scattered(number_ + 2)));
    if constexpr (std::is_same_v<T, double>)
      if (draw_.below(10) == 0 && drawn_.procedure() != Procedure::ncp) judge_reference();
    return v_;
  }

 private:
  bool same_bits(const SolvedScene<T>& other) const {
    return has_bits_of(made_, other, in_order(drawn_.fault.size()), in_order(drawn_.row_fault.size()));
  }

  /// Judges the law if the scene, warm-started with its own impulses, converges at once.
  void judge_rest(bool& converged) {
    const bool is_plain =
        keeps_in_range(drawn_.options) && drawn_.kind != SceneKind::range && drawn_.kind != SceneKind::faults;
    if (!is_pgs(drawn_) || !is_plain || std::get<Pgs>(drawn_.options.method).iterations != 4000) return;
    const DrawnScene<T> next = begun_with(drawn_, made_);
    const SolvedScene<T> again = solve(next, execution_);
    converged = SceneJudge<T>::rests(made_, again);
    if (converged) v_.add(SceneJudge<T>(with_forces(next), again).judge_law());
  }

  void judge_elsewhere() {
    const std::vector<Isa> isas = support::isas_with_fma();
    const SolvedScene<T> there = solve(drawn_, {.isa = isas[draw_.below(isas.size())], .threads = 2});
    const SceneReport &here = made_.report, &other = there.report;
    if (shows_)
      fmt::print("on {}: iterations {}  residual {}  truncated {}\n", to_string(other.isa), other.iterations,
                 other.residual, other.not_converged);
    v_.want("other ISAs and threads change no bit", same_bits(there));
    v_.want("nor do they change the report", here.not_converged == other.not_converged &&
                                                 here.residual == other.residual &&
                                                 here.iterations == other.iterations);
  }

  void judge_reference() {
    const SolvedScene<double> by_reference = solve_by_reference(drawn_);
    const Verdict verdict = SceneJudge<double>(with_forces(drawn_), by_reference).judge();
    if (!verdict.broken()) return;
    if (shows_) {
      print(drawn_, by_reference);
      fmt::print("the reference breaks '{}'\n", verdict.promise);
    }
    v_.add("the reference", verdict.worst);
  }

  const DrawnScene<T>& drawn_;
  const SolvedScene<T>& made_;
  const std::uint64_t number_;
  support::Draw draw_;
  const Execution& execution_;
  const bool shows_;
  Verdict v_;
};

template <class T>
Judged judge(std::uint64_t number, OptionValues values, bool shows) {
  const DrawnScene<T> drawn = draw_scene<T>(number, values);
  const std::vector<Isa> isas = available_isas();
  const Execution execution{.isa = isas[support::Draw(scattered(number)).below(isas.size())], .threads = 1};
  Judged judged{std::string(scene_kind_names[static_cast<std::size_t>(drawn.kind)]),
                std::is_same_v<T, float> ? "float" : "double",
                std::string(to_string(drawn.procedure())),
                {},
                false};
  try {
    // This solver has solved many scenes before; the solvers it is compared with are new.
    thread_local std::map<Isa, SceneSolver> solvers;
    const SolvedScene<T> made = solve(solvers.try_emplace(execution.isa, execution).first->second, drawn);
    if (shows) {
      fmt::print("{}  ", to_string(execution.isa));
      print(drawn, made);
    }
    judged.verdict = SceneJudge<T>(with_forces(drawn), made).judge();
    judged.verdict.add(Rerun<T>(drawn, made, number, execution, shows).judge(judged.converged));
  } catch (const std::exception& error) {
    if (shows) fmt::print("{}\n", error.what());
    judged.verdict.want("a sound call throws nothing", false);
  }
  return judged;
}

}  // namespace

Judged judge_scene(std::uint64_t number, bool shows) {
  return number % 2 == 0 ? judge<float>(number, OptionValues::usual, shows)
                         : judge<double>(number, OptionValues::usual, shows);
}
Judged judge_options(std::uint64_t number, bool shows) {
  return number % 2 == 0 ? judge<float>(number, OptionValues::table, shows)
                         : judge<double>(number, OptionValues::table, shows);
}

}  // namespace carom::probe
