// Random scenes, as rows of a contact file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "io/columns/table.hpp"

namespace carom::apps {

inline constexpr std::size_t contacts_of_chain = 20;

/// The rows [first, first + count) of chains: 21 spheres in a row touch each other, with random masses, velocities and
/// spins, and every chain is a scene. Numbers are rounded to float if `in_float`.
std::vector<std::pair<std::string, io::Cells>> rows_of_chains(std::uint64_t seed, std::size_t first, std::size_t count,
                                                              bool in_float);

}  // namespace carom::apps
