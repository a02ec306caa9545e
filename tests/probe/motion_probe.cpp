// Scenes that move: bodies move by the results of each call, contacts and joint errors follow them. Judges energy,
// momentum and rest over sixty steps.
#include <fmt/format.h>

#include <carom/carom.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "probe/motion_judge.hpp"
#include "probe/search.hpp"
#include "support/running/isas.hpp"

namespace carom::probe {
namespace {

template <class T>
class Motion {
 public:
  /// `restored_at`: the step before which a new solver restores the saved state.
  Motion(const DrawnMotion& drawn, const Execution& execution, std::uint64_t number,
         std::size_t restored_at = ~std::size_t{0})
      : drawn_(drawn),
        world_(drawn.world),
        execution_(execution),
        solver_(execution),
        restored_at_(restored_at),
        draw_(scattered(number + 1)),
        judge_(drawn_) {}

  /// Makes all steps. Returns false if a body is nowhere.
  bool run(bool shows) {
    for (std::size_t k = 0; k < drawn_.steps.size(); ++k)
      if (!step(k, shows)) return false;
    return true;
  }
  const MotionWorld& world() const { return world_; }
  Verdict verdict() const {
    Verdict v = judge_.verdict();
    v.add(v_);
    return v;
  }
  bool converged() const { return converged_; }

 private:
  Procedure method() const { return drawn_.options.method; }

  /// Columns that the method reads instead of `separation` and `error`.
  void fit(scenes::SceneData<T>& data, double h) const {
    if (drawn_.moves_in_call || method() == Procedure::sequential_impacts) return;
    for (const T separation : data.separation)
      data.target_velocity.push_back(static_cast<T>(-separation / h * (separation > 0 ? 1 : 0.2)));
    data.separation.clear();
    for (auto& row : data.joints.rows) {
      row.target_velocity += static_cast<T>(-0.2 / h) * row.position_error;
      row.position_error = 0;
    }
  }
  /// Contacts and rows of the step that get a fault.
  void spoil(scenes::SceneData<T>& data, std::size_t& contact, std::size_t& row) {
    constexpr T nan = std::numeric_limits<T>::quiet_NaN();
    if (data.contact_count() > 0) {
      contact = draw_.below(data.contact_count());
      switch (draw_.below(3)) {
        case 0:
          data.friction[contact] = -1;
          break;
        case 1:
          data.r_a[1][contact] = nan;
          break;
        default:
          for (auto& column : data.normal) column[contact] *= T(2);
      }
    }
    if (data.row_count() > 0) {
      row = draw_.below(data.row_count());
      data.joints.rows[row].target_velocity = nan;
    }
  }

  bool step(std::size_t k, bool shows) {
    if (k == restored_at_) {
      std::vector<std::byte> state;
      solver_.save(state);
      solver_ = SceneSolver(execution_);
      solver_.restore(state);
    }
    const double h = drawn_.steps[k];
    scenes::SceneData<T> data = world_.scene<T>(h, touches_);
    fit(data, h);
    std::size_t bad_contact = ~std::size_t{0}, bad_row = bad_contact;
    if (drawn_.is_faulty[k]) spoil(data, bad_contact, bad_row);
    MethodOptions options = drawn_.options;
    options.time_step = h;
    if (options.pgs.position_correction) options.correct_positions(h);
    scenes::SceneArrays<T> made(data);
    const SceneOptions given = options.converted();
    const SceneReport report = solver_.solve(select(data.view(), given.method), made.view(), given);
    converged_ = converged_ && report.not_converged == 0;
    for (std::size_t i = 0; i < data.contact_count(); ++i)
      if (!may_overflow(made.status[i]))
        v_.want("faults alone have their status", is_fault(made.status[i]) == (i == bad_contact));
    for (std::size_t r = 0; r < data.row_count(); ++r) {
      if (may_overflow(made.joint_status[r])) continue;
      v_.want("faults alone have their status", is_fault(made.joint_status[r]) == (r == bad_row));
    }
    if (bad_row < data.row_count()) data.joints.rows[bad_row].target_velocity = 0;
    const std::vector<MotionBody> before = world_.bodies;
    world_.take(made, h, drawn_.moves_in_call);
    for (const MotionBody& body : world_.bodies)
      for (std::size_t c = 0; c < 3; ++c)
        if (!std::isfinite(body.position[c] + body.velocity[c] + body.spin[c])) {
          v_.want("bodies stay finite", false);
          return false;
        }
    judge_.judge({before, world_.bodies, data, made, h, law(report)});
    if (drawn_.rests && drawn_.is_steady && !drawn_.has_faults && method() == Procedure::substeps) judge_rest();
    if (shows) {
      double fastest = 0;
      for (const MotionBody& body : world_.bodies)
        if (body.moves()) fastest = std::max(fastest, support::length(body.velocity));
      fmt::print(
          "step {} of {:.4g} s: contacts {} rows {} islands {} substeps {} iterations {} swept {} not converged {} "
          "residual {:.3g} removed {:.3g}  fastest {:.3g} m/s  gained {:.3g} balance {:.3g} of {:.3g} J{}\n",
          k, h, data.contact_count(), data.row_count(), report.islands, report.substeps, report.iterations,
          report.pgs_islands, report.not_converged, report.residual, report.energy_removed, fastest, judge_.gained(),
          judge_.balance(), judge_.play(), drawn_.is_faulty[k] ? "  fault" : "");
    }
    return true;
  }

  /// Islands that no impulses satisfy leave the range of float under `ncp`, with all their contacts and rows:
  /// chains that motors drive, bodies between walls that close.
  bool may_overflow(Status status) const {
    return status == Status::overflow && method() == Procedure::ncp && sizeof(T) == sizeof(float);
  }

  EnergyLaw law(const SceneReport& report) const {
    if (world_.stiffness > 0) return EnergyLaw::none;  // springs store energy
    if (drawn_.moves_in_call) return EnergyLaw::in_motion;
    if (method() == Procedure::sequential_impacts) return EnergyLaw::solved;
    const bool is_solved = method() == Procedure::ncp && report.not_converged == 0 && world_.restitution == 0;
    return is_solved ? EnergyLaw::solved : EnergyLaw::none;
  }

  /// Judges a pile at rest: no body moves faster than a fraction of the speed that gravity causes over its size, or
  /// farther than a fraction of its size.
  void judge_rest() {
    const carom::Substeps& o = drawn_.options.substeps;
    const bool is_swept = o.min_substeps > 1 || o.max_substeps == 1;
    // No stack rests with fewer substeps than its load needs.
    if (is_swept && o.max_substeps < 8) return;
    const double share = is_swept ? 0.2 : drawn_.kind == MotionKind::stack ? 3e-3 : 5e-2;
    for (std::size_t b = 0; b < world_.bodies.size(); ++b) {
      const MotionBody &body = world_.bodies[b], &begun = drawn_.world.bodies[b];
      const double speed = support::length(body.velocity), way = support::length(body.position - begun.position);
      v_.add("piles at rest stay at rest", bound * speed / (share * std::sqrt(9.81 * drawn_.size)));
      v_.add("piles at rest stay in place", bound * way / (share * drawn_.size));
    }
  }

  const DrawnMotion& drawn_;
  MotionWorld world_;
  Execution execution_;
  SceneSolver solver_;
  std::size_t restored_at_;
  support::Draw draw_;
  std::vector<MotionTouch> touches_;
  MotionJudge<T> judge_;
  Verdict v_;
  bool converged_ = true;
};

bool same_place(const MotionWorld& a, const MotionWorld& b) {
  bool same = true;
  for (std::size_t i = 0; i < a.bodies.size(); ++i)
    same = same && a.bodies[i].position == b.bodies[i].position && a.bodies[i].velocity == b.bodies[i].velocity &&
           a.bodies[i].spin == b.bodies[i].spin;
  return same;
}

template <class T>
Judged judge(std::uint64_t number, bool shows) {
  const DrawnMotion drawn = MotionDrawer(number).draw();
  support::Draw draw(scattered(number));
  const std::vector<Isa> isas = available_isas(), equal = support::isas_with_fma();
  const Execution execution{.isa = isas[draw.below(isas.size())], .threads = 1};
  Judged judged{std::string(motion_kind_names[static_cast<std::size_t>(drawn.kind)]),
                std::is_same_v<T, float> ? "float" : "double",
                std::string(to_string(drawn.options.method)),
                {},
                false};
  if (shows)
    fmt::print("{} bodies {} joints {} e {} size {} substeps {} to {} {}\n", to_string(execution.isa),
               drawn.world.bodies.size(), drawn.world.joints.size(), drawn.world.restitution, drawn.size,
               drawn.options.substeps.min_substeps, drawn.options.substeps.max_substeps, drawn.rests ? "at rest" : "");
  try {
    Motion<T> motion(drawn, execution, number);
    motion.run(shows);
    judged.verdict = motion.verdict();
    judged.converged = motion.converged();
    if (execution.isa != Isa::sse2 && draw.below(8) == 0) {
      Motion<T> other(drawn, {.isa = equal[draw.below(equal.size())], .threads = 2}, number);
      other.run(false);
      judged.verdict.want("other ISAs and threads change no bit", same_place(motion.world(), other.world()));
    }
    if (draw.below(4) == 0) {
      Motion<T> other(drawn, execution, number, draw.below(drawn.steps.size()));
      other.run(false);
      judged.verdict.want("a restored state changes no bit", same_place(motion.world(), other.world()));
    }
  } catch (const std::exception& error) {
    if (shows) fmt::print("{}\n", error.what());
    judged.verdict.want("a sound call throws nothing", false);
  }
  return judged;
}

}  // namespace

Judged judge_motion(std::uint64_t number, bool shows) {
  return number % 2 == 0 ? judge<float>(number, shows) : judge<double>(number, shows);
}

}  // namespace carom::probe
