// Steps of many bodies, which are read from Bullet's objects and stored in them on several threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <carom_bullet/parallel.hpp>
#include <cfenv>
#include <chrono>
#include <thread>
#include <vector>

#include "bullet_world.hpp"

namespace {

using namespace carom_bullet_tests;
using carom::SceneMethod;
using carom::bullet::Parallel;

TEST(Parallel, covers_every_element_once) {
  constexpr std::size_t grain = 16;
  for (const int threads : {0, 1, 2, 7}) {
    const Parallel parallel(threads);
    for (const std::size_t count :
         {std::size_t{0}, std::size_t{1}, std::size_t{33}, Parallel::least - 1, Parallel::least, Parallel::least + 1}) {
      std::vector<std::atomic<int>> visits(count);
      parallel.each(count, grain, [&](std::size_t first, std::size_t end) {
        ASSERT_LE(first, end);
        ASSERT_LE(end, count);
        for (std::size_t i = first; i < end; ++i) ++visits[i];
      });
      for (const auto& visit : visits) EXPECT_EQ(visit, 1) << "of " << count;
    }
  }
}

// The threads of oneTBB have the settings of their first call. Ranges that take their time leave some to each of them.
TEST(Parallel, rounds_as_the_caller_does) {
  constexpr std::size_t count = Parallel::least;
  const auto rounding = [&] {
    std::vector<int> found(count, -1);
    Parallel(0).each(count, count / 64, [&](std::size_t first, std::size_t end) {
      std::fill(&found[first], &found[first] + (end - first), std::fegetround());
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    });
    return found;
  };
  const int before = std::fegetround();
  EXPECT_EQ(rounding(), std::vector<int>(count, before));
  std::fesetround(FE_UPWARD);
  const auto upward = rounding();
  std::fesetround(before);
  EXPECT_EQ(upward, std::vector<int>(count, FE_UPWARD));
}

/// Everything that a step leaves in Bullet's objects.
std::vector<btScalar> pile(const carom::bullet::Options& options) {
  BulletWorld bullet(options);
  bullet.add_ground();
  std::vector<btRigidBody*> boxes;
  for (int i = 0; i < 1200; ++i) {
    const auto number = [](int n) { return static_cast<btScalar>(n); };
    const btVector3 place(0.9f * number(i % 8) - 3.2f, 0.9f * number(i / 8 % 8) - 3.2f, 0.6f + number(i / 64));
    btRigidBody& box = bullet.add_box(btTransform(btQuaternion(btVector3(1, 2, 3), 0.1f * number(i)), place), 1,
                                      btVector3(0.5f, 0.5f, 0.5f));
    box.setRestitution(i % 3 == 0 ? 0.5f : 0.f);
    box.setRollingFriction(i % 5 == 0 ? 0.01f : 0.f);
    boxes.push_back(&box);
  }
  bullet.step(45);
  // Smaller scenes take one thread.
  EXPECT_GT(bullet.solver.report().contacts.contacts, 512u);
  EXPECT_GE(static_cast<std::size_t>(bullet.world.getDispatcher()->getNumManifolds()), Parallel::least);
  std::vector<btScalar> found;
  const auto keep = [&](const btVector3& v) { found.insert(found.end(), {v.x(), v.y(), v.z()}); };
  for (const btRigidBody* box : boxes) {
    keep(box->getWorldTransform().getOrigin());
    keep(box->getLinearVelocity());
    keep(box->getAngularVelocity());
    found.push_back(bullet.impulse_on(*box));
  }
  return found;
}

TEST(Threads, give_one_answer) {
  for (const auto method : {SceneMethod::pgs, SceneMethod::bender_schmitt, SceneMethod::substeps}) {
    carom::bullet::Options options = options_of(method);
    options.execution.threads = 1;
    const auto expected = pile(options);
    options.execution.threads = 3;
    EXPECT_EQ(pile(options), expected);
  }
}

}  // namespace
