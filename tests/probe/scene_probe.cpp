#include "probe/scene_probe.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <carom/carom.hpp>
#include <carom/reference_scene.hpp>
#include <cstring>
#include <map>
#include <string>
#include <tuple>

#include "probe/scene_judge.hpp"
#include "support/scenes/iterations.hpp"
#include "support/scenes/order.hpp"

namespace carom::probe {
namespace {

/// Steps of splitmix64, so that scenes of neighbouring numbers have nothing in common.
std::uint64_t scattered(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

template <class T>
SolvedScene<T> solve(SceneSolver& solver, const DrawnScene<T>& drawn) {
  SolvedScene<T> made(drawn.data);
  made.report = solver.solve(drawn.data.view(), made.arrays.view(), drawn.options);
  return made;
}
template <class T>
SolvedScene<T> solve(const DrawnScene<T>& drawn, const Execution& execution) {
  SceneSolver solver(execution);
  return solve(solver, drawn);
}
SolvedScene<double> solve_by_reference(const DrawnScene<double>& drawn) {
  SolvedScene<double> made(drawn.data);
  made.report = reference::solve_scene(drawn.data.view(), made.arrays.view(), drawn.options);
  return made;
}

bool is_simultaneous(const auto& drawn) {
  return drawn.options.method == SceneMethod::simultaneous;
}

/// The scene that begins with the impulses of a result.
template <class T>
DrawnScene<T> begun_with(const DrawnScene<T>& drawn, const SolvedScene<T>& made) {
  DrawnScene<T> next = drawn;
  next.data.warm_impulse = made.arrays.impulse;
  if (drawn.kind == SceneKind::models) next.data.warm_angular_impulse = made.arrays.angular_impulse;
  for (std::size_t r = 0; r < next.data.row_count(); ++r)
    next.data.joints.rows[r].warm_impulse = made.arrays.joint_impulse[r];
  next.options.simultaneous.warm_start = next.options.simultaneous.joint_warm_start = 1;
  scenes::set_iterations(next.options, 8);
  return next;
}

template <class T>
bool same(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

/// Compares the bits of bodies, contacts and rows of one scene with those of another one that holds them: contact
/// `contacts[place]` of the one stands at `place` of the other.
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

/// Gives `scene` the optional columns that `like` has.
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
  match(scene.gap, like.gap, n);
  match(scene.frequency, like.frequency, n);
  match(scene.damping_ratio, like.damping_ratio, n);
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
  const auto& o = drawn.options;
  const auto three = [](const auto& columns, std::size_t i) {
    return fmt::format("({}, {}, {})", columns[0][i], columns[1][i], columns[2][i]);
  };
  const auto if_there = [&](const char* name, const auto& columns, std::size_t i) {
    if (!columns[0].empty()) fmt::print("  {} {}", name, three(columns, i));
  };
  const auto number_if_there = [](const char* name, const auto& column, std::size_t i) {
    if (!column.empty()) fmt::print("  {} {}", name, column[i]);
  };
  fmt::print(
      "{} {} iterations {} tolerance {} time_step {} relaxation {} warm {} {} shock {} threshold {} law {} swept {} "
      "seed {} gravity {} {} {} rest {}\n",
      to_string(o.method), scene_kind_names[static_cast<std::size_t>(drawn.kind)], o.simultaneous.iterations,
      o.relative_tolerance, o.resting.time_step, o.simultaneous.relaxation, o.simultaneous.warm_start,
      o.simultaneous.joint_warm_start, o.shock_propagation.enabled, o.restitution_threshold, to_string(o.collision.law),
      static_cast<int>(o.iteration.swept), o.sequence.seed, o.resting.gravity[0], o.resting.gravity[1],
      o.resting.gravity[2], o.rest.tolerance);
  const SubstepsOptions& s = o.substeps;
  if (o.method == SceneMethod::substeps)
    fmt::print(
        "time_step {} substeps {} to {} rounds {} sweeps {} {} {} slop {} push_out {} {} joints {} {} warm {} {}\n",
        s.time_step, s.least, s.most, s.rounds, s.sweeps, s.relaxing, s.restitution_sweeps, s.slop, s.push_out,
        s.largest_push_out_speed, s.joint_frequency, s.joint_damping_ratio, s.warm_start, s.joint_warm_start);
  for (std::size_t b = 0; b < d.body_count(); ++b) {
    const auto& j = d.bodies.inverse_inertia;
    fmt::print("body {}: 1/m {}  J {} {} {} {} {} {}  v {} w {}  ->  v {} w {}\n", b, d.bodies.inverse_mass[b], j[0][b],
               j[1][b], j[2][b], j[3][b], j[4][b], j[5][b], three(d.bodies.velocity, b),
               three(d.bodies.angular_velocity, b), three(made.arrays.velocity, b),
               three(made.arrays.angular_velocity, b));
  }
  for (std::size_t i = 0; i < d.contact_count(); ++i) {
    fmt::print("contact {}: {} {}  n {}  r {} {}  mu {} e {}", i, d.body_a[i], d.body_b[i], three(d.normal, i),
               three(d.lever_a, i), three(d.lever_b, i), d.friction[i], d.restitution[i]);
    number_if_there("mu_s", d.static_friction, i);
    number_if_there("gap", d.gap, i);
    number_if_there("frequency", d.frequency, i);
    number_if_there("damping", d.damping_ratio, i);
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
        row.least_impulse, row.largest_impulse, row.compliance, row.warm_impulse, row.error, row.frequency,
        row.damping_ratio, to_string(made.arrays.joint_status[r]), made.arrays.joint_impulse[r]);
  }
  const SceneReport& report = made.report;
  fmt::print("iterations {}  approach {}  residual {}  not converged {}  energy {} -> {}  joint work {}\n",
             report.iterations, report.greatest_approach, report.residual, report.not_converged, report.energy_before,
             report.energy_after, report.joint_work);
}

/// The scene with another one's contacts and rows in between.
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
  const auto contacts = scenes::mixed(draw, drawn.data.contact_count(), other.contact_count());
  const auto rows = scenes::mixed(draw, drawn.data.row_count(), other.row_count());
  both.data = scenes::reordered(both.data, contacts, rows);
  return has_bits_of(made, solve(both, execution), contacts, rows);
}

/// The scene without what is at fault.
template <class T>
bool keeps_bits_without_faults(const DrawnScene<T>& drawn, const SolvedScene<T>& made, const Execution& execution) {
  std::vector<std::size_t> contacts, rows;
  for (std::size_t i = 0; i < drawn.fault.size(); ++i)
    if (drawn.fault[i] == Status::ok) contacts.push_back(i);
  for (std::size_t r = 0; r < drawn.row_fault.size(); ++r)
    if (drawn.row_fault[r] == Status::ok) rows.push_back(r);
  DrawnScene<T> sound = drawn;
  sound.data = scenes::reordered(drawn.data, contacts, rows);
  return has_bits_of(made, solve(sound, execution), contacts, rows);
}

/// Three calls of one solver with names. No sound contact or row becomes a fault by what the solver remembers.
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
      now.options.method = SceneMethod::simultaneous;
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

struct Judged {
  Verdict verdict;
  SceneKind kind{};
  SceneMethod method{};
  bool converged = false;
  Isa isa{};
};

template <class T>
Judged judge_scene(std::uint64_t seed, bool shows) {
  const DrawnScene<T> drawn = draw_scene<T>(seed);
  support::Draw draw(scattered(seed));
  const std::vector<Isa> isas = available_isas();
  const Execution execution{.isa = isas[draw.below(isas.size())], .threads = 1};
  // This solver knows the memory of many scenes before, those that it is compared with are new.
  static std::map<Isa, SceneSolver> solvers;
  const SolvedScene<T> made = solve(solvers.try_emplace(execution.isa, execution).first->second, drawn);
  if (shows) print(drawn, made);
  Judged judged{SceneJudge<T>(drawn, made).judge(), drawn.kind, drawn.options.method, false, execution.isa};
  Verdict& verdict = judged.verdict;
  const auto add = [&](const Verdict& more) {
    if (more.worst > verdict.worst) verdict = more;
  };
  const SceneOptions& o = drawn.options;
  const bool is_plain =
      !o.shock_propagation.enabled && drawn.kind != SceneKind::range && drawn.kind != SceneKind::faults;
  if (is_simultaneous(drawn) && is_plain && o.simultaneous.iterations == 4000) {
    const DrawnScene<T> next = begun_with(drawn, made);
    const SolvedScene<T> again = solve(next, execution);
    judged.converged = SceneJudge<T>::rests(made, again);
    if (judged.converged) add(SceneJudge<T>(next, again).judge_law());
  }
  if (draw.below(3) == 0)
    verdict.add("other islands change no bit",
                keeps_bits_among_others(drawn, made, scattered(seed + 1), execution) ? 0 : 2 * bound);
  if (drawn.kind == SceneKind::faults)
    verdict.add("faults change no bit of the others",
                keeps_bits_without_faults(drawn, made, execution) ? 0 : 2 * bound);
  if (execution.isa != Isa::sse2 && draw.below(4) == 0) {
    const Isa other = isas[draw.below(isas.size())];
    const Execution another{.isa = other == Isa::sse2 ? Isa::automatic : other, .threads = 2};
    const SolvedScene<T> there = solve(drawn, another);
    if (shows)
      fmt::print("on {}: iterations {}  residual {}  truncated {}\n", to_string(another.isa), there.report.iterations,
                 there.report.residual, there.report.not_converged);
    const bool same_bits = has_bits_of(made, there, in_order(drawn.fault.size()), in_order(drawn.row_fault.size()));
    verdict.add("other ISAs and threads change no bit", same_bits ? 0 : 2 * bound);
    verdict.add("nor do they change the report", made.report.not_converged == there.report.not_converged &&
                                                         made.report.residual == there.report.residual &&
                                                         made.report.iterations == there.report.iterations
                                                     ? 0
                                                     : 2 * bound);
  }
  if (drawn.kind != SceneKind::faults && draw.below(6) == 0)
    verdict.add("remembered impulses are no fault",
                remembers_no_fault(drawn, execution, scattered(seed + 2)) ? 0 : 2 * bound);
  if constexpr (std::is_same_v<T, double>)
    if (draw.below(10) == 0 && drawn.options.method != SceneMethod::coulomb) {
      const SolvedScene<double> by_reference = solve_by_reference(drawn);
      Verdict of_reference = SceneJudge<double>(drawn, by_reference).judge();
      if (of_reference.worst > bound) {
        if (shows) print(drawn, by_reference);
        verdict.add("the reference", of_reference.worst);
      }
    }
  return judged;
}

Judged judge_scene(std::uint64_t seed, bool shows = false) {
  return seed % 2 == 0 ? judge_scene<float>(seed, shows) : judge_scene<double>(seed, shows);
}

struct Record {
  std::uint64_t scenes = 0, converged = 0, broken = 0;
  Verdict worst;
};

}  // namespace

SceneSearch search_scenes(std::uint64_t seed, const std::function<bool(std::uint64_t)>& goes_on) {
  SceneSearch search;
  std::map<std::tuple<std::string, SceneKind, bool>, Record> records;
  while (goes_on(search.scenes)) {
    const std::uint64_t number = scattered(scattered(seed) + search.scenes++);
    const Judged judged = judge_scene(number);
    const std::string method(to_string(judged.method));
    Record& record = records[{method, judged.kind, number % 2 == 0}];
    ++record.scenes;
    record.converged += judged.converged ? 1 : 0;
    search.converged += judged.converged ? 1 : 0;
    if (judged.verdict.worst > record.worst.worst) record.worst = judged.verdict;
    if (judged.verdict.worst <= bound) continue;
    if (++record.broken <= 3)
      fmt::print("scene {} breaks '{}' by {:.3g}: {}, {}, {}, {}\n", number, judged.verdict.promise,
                 judged.verdict.worst, method, scene_kind_names[static_cast<std::size_t>(judged.kind)],
                 number % 2 == 0 ? "float" : "double", to_string(judged.isa));
    ++search.broken;
  }
  fmt::print("{:<14}{:<13}{:<8}{:>10}{:>11}{:>9}{:>10}{:>7}  {}\n", "method", "kind", "", "scenes", "converged",
             "broken", "worst", "bound", "promise");
  for (const auto& [key, r] : records) {
    const auto& [method, kind, is_float] = key;
    fmt::print("{:<14}{:<13}{:<8}{:>10}{:>11}{:>9}{:>10.3g}{:>7}  {}\n", method,
               scene_kind_names[static_cast<std::size_t>(kind)], is_float ? "float" : "double", r.scenes, r.converged,
               r.broken, r.worst.worst, bound, r.worst.promise);
  }
  fmt::print("\n{} scenes judged from seed {}, {} of them converged and judged by the law, {} with a broken promise\n",
             search.scenes, seed, search.converged, search.broken);
  return search;
}

bool show_scene(std::uint64_t seed) {
  const Judged judged = judge_scene(seed, true);
  fmt::print("worst: {} by {:.3g} of {}\n", judged.verdict.promise, judged.verdict.worst, bound);
  return judged.verdict.worst <= bound;
}

}  // namespace carom::probe
