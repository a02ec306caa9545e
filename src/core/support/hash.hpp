// Numbers without pattern: G. Steele, D. Lea, C. Flood, Fast Splittable Pseudorandom Number Generators, 2014.
#pragma once

#include <cstdint>

namespace carom::scene {

/// The finishing step of splitmix64: a number without pattern of every number but 0.
constexpr std::uint64_t spread(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// A whole step of splitmix64, for any number.
constexpr std::uint64_t hash(std::uint64_t x) {
  return spread(x + 0x9e3779b97f4a7c15u);
}

}  // namespace carom::scene
