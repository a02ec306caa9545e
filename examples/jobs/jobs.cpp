// The job system of an engine runs carom's loops. Two worlds are two jobs; each has a solver that shares the threads.
#include <array>
#include <carom/carom.hpp>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

/// Threads that take pieces of loops, the oldest loop first.
class JobSystem {
 public:
  using Piece = void (*)(void* work, std::size_t piece);

  explicit JobSystem(int threads) {
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
  }
  ~JobSystem() {
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  /// Returns after all pieces. Meanwhile the calling thread takes pieces of any loop.
  void run(std::size_t pieces, Piece piece, void* work) {
    Loop loop{pieces, piece, work};
    std::unique_lock lock(mutex_);
    loops_.push_back(&loop);
    changed_.notify_all();
    while (loop.done < loop.pieces)
      if (!run_one(lock)) changed_.wait(lock);
  }

 private:
  struct Loop {
    std::size_t pieces;
    Piece piece;
    void* work;
    std::size_t next = 0, done = 0;
  };

  bool run_one(std::unique_lock<std::mutex>& lock) {
    if (loops_.empty()) return false;
    Loop& loop = *loops_.front();
    const std::size_t piece = loop.next++;
    if (loop.next == loop.pieces) loops_.pop_front();
    lock.unlock();
    loop.piece(loop.work, piece);
    lock.lock();
    if (++loop.done == loop.pieces) changed_.notify_all();
    return true;
  }
  void work() {
    std::unique_lock lock(mutex_);
    while (!is_over_)
      if (!run_one(lock)) changed_.wait(lock);
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Loop*> loops_;
  bool is_over_ = false;
  std::vector<std::thread> threads_;
};

// [docs]
carom::Scheduler scheduler_of(JobSystem& jobs, int threads) {
  return {.parallel_for = [](void* context, std::size_t pieces, void (*run)(void*, std::size_t),
                             void* work) { static_cast<JobSystem*>(context)->run(pieces, run, work); },
          .context = &jobs,
          .workers = threads};
}
// [docs]

/// Boxes of 1 kg and 1 m that fall onto the floor side by side.
class World {
 public:
  explicit World(const carom::Execution& execution) : solver_(execution) {
    static constexpr float corners[4][2] = {{-0.5F, -0.5F}, {0.5F, -0.5F}, {0.5F, 0.5F}, {-0.5F, 0.5F}};
    for (std::int32_t box = 0; box < boxes; ++box)
      for (const auto& corner : corners) points_.push_back({{corner[0], corner[1], -0.5F}, 0, box});
  }

  void step() {
    for (Point& point : points_) point.separation = boxes_[static_cast<std::size_t>(point.box)].height - 0.5F;
    threads = solver_.solve(scene(), results(), {.time_step = 1.0 / 60, .gravity = {0, 0, -9.81}}).threads;
    for (Box& box : boxes_) box.height += box.moved[2];
  }
  bool is_same_as(const World& other) const {
    for (std::size_t i = 0; i < boxes; ++i)
      if (boxes_[i].height != other.boxes_[i].height) return false;
    return true;
  }

  int threads = 1;

 private:
  static constexpr std::int32_t boxes = 1000;
  struct Box {
    float velocity[3] = {}, spin[3] = {}, moved[3] = {}, height = 0.6F;
  };
  struct Point {
    float arm[3], separation;
    std::int32_t box;
  };

  carom::Scene<float> scene() {
    return {.bodies = {.inverse_mass = 1,
                       .inverse_inertia = {6, 0, 0, 6, 0, 6},
                       .velocity = {boxes_, &Box::velocity},
                       .angular_velocity = {boxes_, &Box::spin}},
            .contacts = {.friction = 0.5,
                         .restitution = 0,
                         .normal = {0, 0, 1},
                         .r_a = {points_, &Point::arm},
                         .r_b = {0, 0, 0},
                         .body_a = {points_, &Point::box},
                         .body_b = -1,
                         .separation = {points_, &Point::separation}}};
  }
  carom::SceneResults<float> results() {
    return {.velocity = {boxes_, &Box::velocity},
            .angular_velocity = {boxes_, &Box::spin},
            .displacement = {boxes_, &Box::moved}};
  }

  std::vector<Box> boxes_ = std::vector<Box>(boxes);
  std::vector<Point> points_;
  carom::SceneSolver solver_;
};

int main() {
  JobSystem jobs(2);  // and the calling thread
  const carom::Execution shared{.scheduler = scheduler_of(jobs, 3)};
  std::array<World, 2> worlds{World(shared), World(shared)};
  World alone({.threads = 1});
  for (int i = 0; i < 60; ++i) {
    jobs.run(
        2, [](void* of, std::size_t world) { static_cast<World*>(of)[world].step(); }, worlds.data());
    alone.step();
  }
  const bool same = worlds[0].is_same_as(alone) && worlds[1].is_same_as(alone);
  std::printf("two worlds on three threads: %s\n", same ? "the bits of one thread" : "other bits");
  return same ? 0 : 1;
}
