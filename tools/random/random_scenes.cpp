#include "random_scenes.hpp"

#include <array>
#include <map>

#include "draw.hpp"
#include "io/columns/forms.hpp"

namespace carom::apps {
namespace {

constexpr double radius = 0.5;  // [m]

struct Sphere {
  double mass;
  support::Vector velocity, spin;
};

struct Chain {
  explicit Chain(std::uint64_t seed) {
    constexpr double log_range = 2.3;  // masses from 0.1 kg to 10 kg
    support::Draw draw(seed);
    for (Sphere& sphere : spheres) sphere = {draw.log_uniform(log_range), draw.bell3(1), draw.bell3(1)};
    for (std::size_t i = 0; i < contacts_of_chain; ++i) {
      friction[i] = draw.uniform();
      restitution[i] = draw.uniform();
    }
  }
  std::array<Sphere, contacts_of_chain + 1> spheres{};
  std::array<double, contacts_of_chain> friction{}, restitution{};
};

using Named = std::map<std::string, double, std::less<>>;

/// The numbers of a row by column. All other columns are 0.
Named numbers_of(const Chain& chain, std::size_t contact) {
  Named row = {{"friction", chain.friction[contact]}, {"restitution", chain.restitution[contact]}, {"normal_x", -1}};
  for (std::size_t side = 0; side < 2; ++side) {
    const Sphere& sphere = chain.spheres[contact + side];
    const std::string name = side == 0 ? "a" : "b";
    row["inverse_mass_" + name] = 1 / sphere.mass;
    for (const char* axes : {"_xx", "_yy", "_zz"})
      row["inverse_inertia_" + name + axes] = 2.5 / (sphere.mass * radius * radius);
    row["r_" + name + "_x"] = side == 0 ? radius : -radius;
    for (std::size_t i = 0; i < 3; ++i) {
      row["velocity_" + name + '_' + "xyz"[i]] = sphere.velocity[i];
      row["angular_velocity_" + name + '_' + "xyz"[i]] = sphere.spin[i];
    }
  }
  return row;
}

}  // namespace

std::vector<std::pair<std::string, io::Cells>> rows_of_chains(std::uint64_t seed, std::size_t first, std::size_t count,
                                                              bool in_float) {
  const std::vector<std::string>& names = io::columns_of(io::Form::bodies).needed;
  std::vector<std::vector<double>> numbers(names.size());
  std::array<std::vector<std::int64_t>, 3> indices;  // scene_step, body_a, body_b
  for (std::size_t row = first; row < first + count;) {
    const std::size_t scene = row / contacts_of_chain;
    const Chain chain(support::seed_of_part(seed, scene));
    for (; row < first + count && row / contacts_of_chain == scene; ++row) {
      const std::size_t contact = row % contacts_of_chain;
      for (std::size_t i = 0; i < indices.size(); ++i)
        indices[i].push_back(static_cast<std::int64_t>(i == 0 ? scene : contact + i - 1));
      const Named named = numbers_of(chain, contact);
      for (std::size_t i = 0; i < names.size(); ++i) {
        const auto found = named.find(names[i]);
        numbers[i].push_back(found == named.end() ? 0 : found->second);
      }
    }
  }
  std::vector<std::pair<std::string, io::Cells>> columns = {
      {"scene_step", indices[0]}, {"body_a", indices[1]}, {"body_b", indices[2]}};
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (in_float)
      columns.emplace_back(names[i], std::vector<float>(numbers[i].begin(), numbers[i].end()));
    else
      columns.emplace_back(names[i], std::move(numbers[i]));
  }
  return columns;
}

}  // namespace carom::apps
