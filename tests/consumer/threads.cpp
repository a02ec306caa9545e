// An application with its own threads. Each has a solver with one thread and solves slices of the batch, and islands of
// a scene; then the threads run the pieces of one solver. Prints a hash of the bits of all results.
#include <atomic>
#include <bit>
#include <carom/carom.hpp>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

struct Hit {
  double k[6], u0[3], friction, restitution, impulse[3] = {};
};

/// From integers, so that the data are the same however this is compiled.
std::vector<Hit> make_hits(std::size_t count) {
  std::uint64_t state = 7;
  const auto draw = [&](double low, double high) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return low + static_cast<double>(state >> 44) / 1048576 * (high - low);
  };
  std::vector<Hit> hits(count);
  for (Hit& hit : hits)
    hit = {{draw(2, 4), draw(-0.5, 0.5), draw(-0.5, 0.5), draw(2, 4), draw(-0.5, 0.5), draw(2, 4)},
           {draw(-2, 2), draw(-2, 2), draw(-2, 0.1)},
           draw(0, 1),
           draw(0, 1)};
  return hits;
}

void solve(carom::Solver& solver, Hit* hits, std::size_t n) {
  constexpr std::size_t stride = sizeof(Hit);
  carom::KContacts<double> contacts;
  contacts.friction = {&hits->friction, n, stride};
  contacts.restitution = {&hits->restitution, n, stride};
  contacts.k = {hits->k, n, stride};
  contacts.separation_velocity = {hits->u0, n, stride};
  carom::Results<double> results;
  results.impulse = {hits->impulse, n, stride};
  solver.solve(contacts, results);
}

struct Box {
  double velocity[3], spin[3] = {};
};

/// Two unit spheres that fall one onto the other and the lower one onto the floor.
void solve(carom::SceneSolver& solver, Box* two) {
  static const double one = 1, zero = 0, inertia = 2.5, friction = 0.5, restitution = 0.25;
  static const double up[3] = {0, 0, 1}, down[3] = {0, 0, -1};
  static const std::int32_t a[] = {0, 1}, b[] = {-1, 0};
  constexpr std::size_t stride = sizeof(Box);
  const carom::Column<const double> nothing{&zero, 2, 0}, diagonal{&inertia, 2, 0};
  carom::Scene<double> scene;
  scene.bodies = carom::BodyColumns<const double>{{&one, 2, 0},
                                                  {diagonal, nothing, nothing, diagonal, nothing, diagonal},
                                                  carom::Vector3Columns<const double>(two->velocity, 2, stride),
                                                  carom::Vector3Columns<const double>(two->spin, 2, stride)};
  scene.contacts.friction = {&friction, 2, 0};
  scene.contacts.restitution = {&restitution, 2, 0};
  scene.contacts.normal = {up, 2, 0};
  scene.contacts.r_a = {down, 2, 0};
  scene.contacts.r_b = {up, 2, 0};
  scene.contacts.body_a = a;
  scene.contacts.body_b = b;
  carom::SceneResults<double> results;
  results.velocity = {two->velocity, 2, stride};
  results.angular_velocity = {two->spin, 2, stride};
  solver.solve(scene, results, {.method = carom::Pgs{}});
}

/// Runs work(turn, solver) for every turn below `turns` on `threads` threads of the application.
template <class Solver, class F>
void share(int threads, std::size_t turns, const F& work) {
  std::atomic<std::size_t> next{0};
  std::vector<std::thread> team;
  for (int i = 0; i < threads; ++i)
    team.emplace_back([&] {
      Solver solver({.threads = 1});
      for (std::size_t turn; (turn = next++) < turns;) work(turn, solver);
    });
  for (std::thread& thread : team) thread.join();
}

/// Scheduler::parallel_for on threads that begin and end with the loop.
void run_pieces(void*, std::size_t pieces, void (*run)(void*, std::size_t), void* work) {
  std::vector<std::thread> team;
  for (std::size_t i = 0; i < pieces; ++i) team.emplace_back(run, work, i);
  for (std::thread& thread : team) thread.join();
}

int main() {
  constexpr std::size_t count = 4000, slice = 150, islands = 40;
  std::vector<Hit> whole = make_hits(count), shared = whole, scheduled = whole;
  carom::Solver solver;
  solve(solver, whole.data(), count);
  share<carom::Solver>(3, (count + slice - 1) / slice, [&](std::size_t turn, carom::Solver& own) {
    const std::size_t first = turn * slice;
    solve(own, &shared[first], first + slice < count ? slice : count - first);
  });
  if (std::memcmp(whole.data(), shared.data(), count * sizeof(Hit)) != 0) return 1;
  carom::Solver of_pieces({.scheduler = {.parallel_for = run_pieces, .workers = 3}});
  solve(of_pieces, scheduled.data(), count);
  if (std::memcmp(whole.data(), scheduled.data(), count * sizeof(Hit)) != 0) return 3;

  std::vector<Box> boxes;
  for (std::size_t i = 0; i < 2 * islands; ++i)
    boxes.push_back({{static_cast<double>(i) / 16, 1, -2 - static_cast<double>(i % 7) / 4}});
  std::vector<Box> alone = boxes;
  carom::SceneSolver scenes({.threads = 1});
  for (std::size_t i = 0; i < islands; ++i) solve(scenes, &alone[2 * i]);
  share<carom::SceneSolver>(3, islands,
                            [&](std::size_t turn, carom::SceneSolver& own) { solve(own, &boxes[2 * turn]); });
  if (std::memcmp(alone.data(), boxes.data(), boxes.size() * sizeof(Box)) != 0) return 2;

  std::uint64_t hash = 14695981039346656037u;
  const auto add = [&](double number) { hash = (hash ^ std::bit_cast<std::uint64_t>(number)) * 1099511628211u; };
  for (const Hit& hit : whole)
    for (const double p : hit.impulse) add(p);
  for (const Box& box : alone)
    for (const double v : box.velocity) add(v);
  std::printf("%016llx\n", static_cast<unsigned long long>(hash));
}
