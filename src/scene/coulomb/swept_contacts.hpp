// The contacts of an island as sweeps on lanes read them, and the work that a solution with W would be.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "constraints.hpp"
#include "swept_island.hpp"
#include "system/elimination_work.hpp"

namespace carom::scene::coulomb {

/// Reads the contacts of an island without joints, with the impulses of SceneJob::carried. False if sweeps on lanes
/// cannot solve it: they have the friction of the contacts themselves.
template <class T>
bool read_contacts(const kernel::SceneJob<T>& job, const IslandItems& items, double most_friction,
                   SweptIsland& island) {
  const SceneContacts<T>& contacts = job.scene->contacts;
  island.contact.clear();
  for (const std::uint32_t* m = items.manifold; m != items.end_manifold; ++m)
    for (std::uint32_t p = 0; p < job.manifolds[*m].count; ++p)
      island.contact.push_back(kernel::number_at(job.contact_at, job.manifolds[*m].first + p));
  island.resize();
  island.squared_speed = island.blocks = island.products = 0;
  for (std::size_t k = 0; k < island.contacts(); ++k) {
    const std::uint32_t contact = island.contact[k];
    island.friction[k] = static_cast<double>(contacts.friction[contact]);
    if (island.friction[k] > most_friction) return false;
    for (std::size_t d = 0; d < 3; ++d) island.x[3 * k + d] = static_cast<double>(job.carried[d][contact]);
  }

  // A third of the trace of K is m + (tr J |r|² − r · J r) / 3, of both bodies.
  std::size_t first = 0;
  for (const std::uint32_t* m = items.manifold; m != items.end_manifold; ++m) {
    const kernel::Constraint& manifold = job.manifolds[*m];
    const auto add = [&](std::int32_t body, const Vector3Columns<const T>& levers) {
      if (body < 0) return;
      const T* const record = kernel::record_of(job.body_rows, body);
      const bool moves = kernel::is_movable(record);
      const auto number = [&](std::size_t c) { return static_cast<double>(record[c]); };
      double v[6];
      for (std::size_t c = 0; c < 6; ++c) v[c] = static_cast<double>(job.velocities[body].numbers[c]);
      const double speed = v[0] * v[0] + v[1] * v[1] + v[2] * v[2], spin = v[3] * v[3] + v[4] * v[4] + v[5] * v[5];
      constexpr std::size_t j = kernel::BodyRecord::inverse_inertia;
      const double xx = number(j), xy = number(j + 1), xz = number(j + 2), yy = number(j + 3), yz = number(j + 4),
                   zz = number(j + 5);
      for (std::uint32_t p = 0; p < manifold.count; ++p) {
        const std::uint32_t contact = island.contact[first + p];
        const auto x = static_cast<double>(levers.x[contact]), y = static_cast<double>(levers.y[contact]),
                   z = static_cast<double>(levers.z[contact]);
        island.squared_speed += 2 * (speed + spin * (x * x + y * y + z * z));
        if (!moves) continue;
        island.response[first + p] +=
            number(kernel::BodyRecord::inverse_mass) +
            ((yy + zz) * x * x + (xx + zz) * y * y + (xx + yy) * z * z - 2 * (xy * x * y + xz * x * z + yz * y * z)) /
                3;
      }
    };
    for (std::uint32_t p = 0; p < manifold.count; ++p) island.response[first + p] = 0;
    add(manifold.body_a, contacts.lever_a);
    add(manifold.body_b, contacts.lever_b);
    first += manifold.count;
  }
  return island.has_sound_responses() && std::isfinite(island.squared_speed);
}

/// Finds the work of solutions with W from which bodies touch.
class WorkOfIslands {
 public:
  void begin(std::size_t bodies) { place_.assign(bodies, -1); }

  /// Once for an island between two calls of begin.
  template <class T>
  void find(const kernel::SceneJob<T>& job, const IslandItems& items, SweptIsland& island) {
    touching_.clear();
    pairs_.clear();
    contacts_.clear();
    for (const std::uint32_t* m = items.manifold; m != items.end_manifold; ++m) {
      const kernel::Constraint& manifold = job.manifolds[*m];
      const auto number = [&](std::int32_t body) -> std::int32_t {
        if (body < 0 || !kernel::is_movable(kernel::record_of(job.body_rows, body))) return -1;
        std::int32_t& place = place_[static_cast<std::size_t>(body)];
        if (place < 0) {
          place = static_cast<std::int32_t>(contacts_.size());
          contacts_.push_back(0);
        }
        contacts_[static_cast<std::size_t>(place)] += manifold.count;
        return place;
      };
      const std::int32_t a = number(manifold.body_a), b = number(manifold.body_b);
      if (a >= 0 && b >= 0)
        touching_.push_back({std::min(a, b), std::max(a, b), static_cast<std::int32_t>(manifold.count)});
    }
    island.blocks = 0;
    for (const double contacts : contacts_) island.blocks += contacts * contacts;
    std::sort(touching_.begin(), touching_.end());
    double of_pair = 0;
    for (std::size_t i = 0; i < touching_.size(); ++i) {
      const auto& [a, b, contacts] = touching_[i];
      if (i == 0 || a != touching_[i - 1][0] || b != touching_[i - 1][1]) {
        pairs_.push_back({a, b});
        of_pair = 0;
      }
      // Both bodies have counted the blocks of a pair.
      island.blocks -= (of_pair + contacts) * (of_pair + contacts) - of_pair * of_pair;
      of_pair += contacts;
    }
    // Bodies alone have next to none.
    island.products = pairs_.empty() ? 0 : work_.count(contacts_.size(), pairs_);
  }

 private:
  std::vector<std::int32_t> place_;                    // of bodies, in their island
  std::vector<double> contacts_;                       // of bodies of the island
  std::vector<std::array<std::int32_t, 3>> touching_;  // bodies of manifolds, and their contacts
  std::vector<std::array<std::int32_t, 2>> pairs_;
  systems::EliminationWork work_;
};

}  // namespace carom::scene::coulomb
