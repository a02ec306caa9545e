#include <unistd.h>

#include <array>
#include <cstdlib>

#include "transport.hpp"

namespace carom::apps::transport {
namespace {

/// Set by Open MPI's mpirun, by srun --mpi=pmix (without a size), and by srun --mpi=pmi2 and MPICH's mpirun.
constexpr std::array ranks = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"};
constexpr std::array sizes = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"};

int number(const char* name, int otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoi(text);
}

}  // namespace

int rank_of_environment() {
  for (const char* name : ranks)
    if (const int rank = number(name, -1); rank >= 0) return rank;
  return 0;
}

int size_of_environment() {
  bool is_rank = false;
  for (const char* name : ranks) is_rank = is_rank || std::getenv(name) != nullptr;
  for (const char* name : sizes)
    if (const int size = number(name, 0); is_rank && size > 0) return size;
  return is_rank ? 1 : 0;
}

std::string machine() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

}  // namespace carom::apps::transport
