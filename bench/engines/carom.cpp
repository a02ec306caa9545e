#include <chrono>

#include "engine.hpp"

namespace carom::bench {
namespace {

class Carom : public Engine {
 public:
  explicit Carom(const MotionWorld& world) : world_(world) {}

  StepTimes step() override {
    const auto begin = std::chrono::steady_clock::now();
    const double solver = world_.step();
    return {solver, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count()};
  }
  support::Vector position(std::size_t body) override { return world_.bodies()[body].position; }

 private:
  SteppedWorld<float> world_;
};

}  // namespace

std::unique_ptr<Engine> make_carom(const MotionWorld& world) {
  return std::make_unique<Carom>(world);
}

}  // namespace carom::bench
