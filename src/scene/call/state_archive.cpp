#include "state_archive.hpp"

#include <algorithm>
#include <carom/version.hpp>

#include "core/columns/text.hpp"

namespace carom::scene {
namespace {

/// Changes with every change of a carry function, or of the meaning of a field.
constexpr std::uint32_t state_format = 2;

struct Head {
  char magic[8] = {'c', 'a', 'r', 'o', 'm', '\x1a', 's', 't'};
  std::uint32_t format = state_format, version = CAROM_VERSION;
  std::uint64_t size = 0, checksum = 0;
};
static_assert(sizeof(Head) == size_of_state_head && std::is_trivially_copyable_v<Head>);

/// Bijective in both arguments: two inputs that differ in one word have different checksums.
std::uint64_t mixed(std::uint64_t sum, std::uint64_t word) {
  const std::uint64_t product = (sum ^ word) * 0x9e3779b97f4a7c15u;
  return product ^ product >> 32;
}

std::uint64_t checksum(std::span<const std::byte> of) {
  constexpr std::size_t lanes = 4, block = lanes * sizeof(std::uint64_t);
  std::uint64_t sum[lanes] = {1, 2, 3, 4}, word[lanes];
  for (std::size_t at = 0; at < of.size(); at += block) {
    const std::size_t count = std::min(block, of.size() - at);
    if (count < block) std::memset(word, 0, block);
    std::memcpy(word, of.data() + at, count);
    for (std::size_t l = 0; l < lanes; ++l) sum[l] = mixed(sum[l], word[l]);
  }
  std::uint64_t all = of.size();
  for (const std::uint64_t of_lane : sum) all = mixed(all, of_lane);
  return all;
}

}  // namespace

void write_state_head(std::span<std::byte> state) {
  Head head;
  head.size = state.size();
  head.checksum = checksum(state.subspan(size_of_state_head));
  std::memcpy(state.data(), &head, sizeof head);
}

std::span<const std::byte> checked_state(std::span<const std::byte> state) {
  const Head expected;
  Head head;
  if (state.size() < sizeof head)
    throw Error(Text("carom: a saved state has at least ", sizeof head, " bytes, not ", state.size()));
  std::memcpy(&head, state.data(), sizeof head);
  if (std::memcmp(head.magic, expected.magic, sizeof head.magic) != 0)
    throw Error("carom: these bytes are not a saved state of a SceneSolver");
  if (head.format != expected.format || head.version != expected.version)
    throw Error(Text("carom: the state is of format ", head.format, " of carom ", head.version,
                     ", or of a machine with another byte order; this carom reads format ", expected.format,
                     " of carom ", expected.version));
  if (head.size != state.size())
    throw Error(Text("carom: the saved state has ", head.size, " bytes, not ", state.size()));
  const std::span<const std::byte> rest = state.subspan(sizeof head);
  if (head.checksum != checksum(rest)) throw Error("carom: bytes of the saved state have changed");
  return rest;
}

}  // namespace carom::scene
