// Memory: scenes with failing allocations, and allocations in later calls.
#include <fmt/format.h>

#include <carom/carom.hpp>
#include <cstring>
#include <new>

#include "probe/scene_draw.hpp"
#include "probe/search.hpp"
#include "support/running/counted_allocations.hpp"

namespace carom::probe {
namespace {

template <class T>
void name_all(scenes::SceneData<T>& data) {
  for (auto& column : data.warm_impulse) column.clear();
  for (auto& column : data.warm_angular_impulse) column.clear();
  for (std::size_t i = 0; i < data.contact_count(); ++i) data.key.push_back(i + 1);
  for (std::size_t r = 0; r < data.row_count(); ++r) data.joints.rows[r].key = r + 1;
}

/// Every byte of a result column.
template <class T>
class Snapshot {
 public:
  explicit Snapshot(const scenes::SceneArrays<T>& a) {
    for (const auto* columns : {&a.velocity, &a.angular_velocity, &a.displacement, &a.rotation, &a.warm_impulse,
                                &a.angular_impulse, &a.warm_angular_impulse, &a.impulse, &a.separation_velocity})
      for (const auto& column : *columns) add(column);
    add(a.joint_impulse), add(a.joint_warm_impulse), add(a.island_residual);
    add(a.status), add(a.joint_status), add(a.island), add(a.joint_island);
    add(a.island_status), add(a.island_iterations), add(a.island_substeps);
  }
  bool operator==(const Snapshot&) const = default;

 private:
  void add(const auto& column) {
    const std::size_t first = bytes_.size(), size = column.size() * sizeof column[0];
    bytes_.resize(first + size);
    if (size > 0) std::memcpy(bytes_.data() + first, column.data(), size);
  }
  std::vector<unsigned char> bytes_;
};

/// Results filled with recognisable numbers.
template <class T>
scenes::SceneArrays<T> marked(const scenes::SceneData<T>& data) {
  scenes::SceneArrays<T> a(data);
  for (auto* columns : {&a.velocity, &a.angular_velocity, &a.displacement, &a.rotation, &a.warm_impulse,
                        &a.angular_impulse, &a.warm_angular_impulse, &a.impulse, &a.separation_velocity})
    for (auto& column : *columns) std::fill(column.begin(), column.end(), T(-777));
  std::fill(a.joint_impulse.begin(), a.joint_impulse.end(), T(-777));
  std::fill(a.joint_warm_impulse.begin(), a.joint_warm_impulse.end(), T(-777));
  return a;
}

template <class T>
Judged judge(std::uint64_t number, bool shows) {
  DrawnScene<T> drawn = draw_scene<T>(number);
  support::Draw draw(scattered(number));
  if (draw.below(2) == 0) name_all(drawn.data);
  const SceneOptions& options = drawn.options;
  Judged judged{std::string(to_string(drawn.procedure())),
                std::is_same_v<T, float> ? "float" : "double",
                std::string(scene_kind_names[static_cast<std::size_t>(drawn.kind)]),
                {},
                false};
  Verdict& v = judged.verdict;
  const Execution execution{.threads = 1};
  const Scene<T> scene = drawn.view();

  scenes::SceneArrays<T> wanted = marked(drawn.data), untouched = marked(drawn.data);
  std::size_t allocations = 0;
  {
    SceneSolver solver(execution);
    const auto results = wanted.view();
    allocations = support::allocations_during([&] { solver.solve(scene, results, options); }).by_malloc;
  }
  // A call without memory writes no result, and the next call has the bits of a first call.
  for (int tries = 0; tries < 6 && allocations > 0; ++tries) {
    const std::size_t failing = 1 + draw.below(allocations);
    scenes::SceneArrays<T> made = marked(drawn.data);
    const auto results = made.view();
    SceneSolver solver(execution);
    support::fail_allocation(failing);
    const Expected<SceneReport> report = solver.try_solve(scene, results, options);
    support::fail_allocation(0);
    const bool failed = !report;
    if (shows) fmt::print("allocation {} of {}: {}\n", failing, allocations, failed ? "failed" : "none missing");
    if (failed) v.want("the error says so", report.error().kind() == ErrorKind::out_of_memory);
    if (failed) v.want("results are untouched without memory", Snapshot<T>(made) == Snapshot<T>(untouched));
    if (!failed) continue;
    solver.solve(scene, results, options);
    v.want("the call after it has the same bits", Snapshot<T>(made) == Snapshot<T>(wanted));
  }

  // Factorisations are planned anew: in each call of `ncp`, and where other bodies touch in a direct island.
  const auto* substeps = std::get_if<Substeps>(&options.method);
  const bool is_direct = substeps != nullptr && substeps->min_substeps == 1;
  if (drawn.procedure() == Procedure::ncp || is_direct) return judged;
  SceneSolver solver(execution);
  const auto results = wanted.view();
  solver.solve(scene, results, options);
  for (int call = 2; call <= 4; ++call) {
    if (call == 3 && drawn.data.contact_count() > 1) std::swap(drawn.data.friction.front(), drawn.data.friction.back());
    if (call == 4) drawn.data.bodies.velocity[2][0] += T(0.1);
    const auto made = support::allocations_during([&] { solver.solve(scene, results, options); });
    if (shows) fmt::print("call {}: {} allocations\n", call, made.by_malloc);
    v.want("later calls of a size allocate nothing", made.by_malloc == 0);
  }
  return judged;
}

}  // namespace

Judged judge_memory(std::uint64_t number, bool shows) {
  return number % 2 == 0 ? judge<float>(number, shows) : judge<double>(number, shows);
}

}  // namespace carom::probe
