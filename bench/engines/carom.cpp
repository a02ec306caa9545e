#include <carom/scene.hpp>
#include <chrono>
#include <optional>

#include "engine.hpp"

namespace carom::bench {
namespace {

using Clock = std::chrono::steady_clock;

class Carom : public Engine {
 public:
  explicit Carom(const probe::MotionWorld& world) : world_(world) {
    options_.method = SceneMethod::substeps;
    options_.substeps.time_step = time_step;
  }

  StepTimes step() override {
    const auto seconds_since = [](Clock::time_point begin) {
      return std::chrono::duration<double>(Clock::now() - begin).count();
    };
    const auto begin = Clock::now();
    // Copied, so that columns stay where they are.
    const scenes::SceneData<float> now = world_.scene<float>(time_step, touches_);
    scene_ = now;
    if (!arrays_ || arrays_->status.size() != scene_.contact_count()) arrays_.emplace(scene_);
    SceneResults<float> results = arrays_->view();
    results.path = {};
    results.separation_velocity = {};
    const Scene<float> view = scene_.view();
    const auto solves = Clock::now();
    solver_.solve(view, results, options_);
    const double solver = seconds_since(solves);
    world_.take(*arrays_, time_step, true);
    return {solver, seconds_since(begin)};
  }
  support::Vector position(std::size_t body) override { return world_.bodies[body].position; }

 private:
  probe::MotionWorld world_;
  SceneSolver solver_{{.threads = 1}};
  SceneOptions options_;
  scenes::SceneData<float> scene_;
  std::optional<scenes::SceneArrays<float>> arrays_;
  std::vector<probe::MotionTouch> touches_;
};

}  // namespace

std::unique_ptr<Engine> make_carom(const probe::MotionWorld& world) {
  return std::make_unique<Carom>(world);
}

}  // namespace carom::bench
