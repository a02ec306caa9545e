// The only file that knows MPI.
#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <carom/status.hpp>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "transport.hpp"

namespace carom::apps::transport {
namespace {

/// The cores that this process may use, divided by the number of processes of the machine that may use the same ones.
int share_of_cores() {
  cpu_set_t own;
  CPU_ZERO(&own);
  if (sched_getaffinity(0, sizeof own, &own) != 0) return 1;
  MPI_Comm machine = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  int processes = 1;
  MPI_Comm_size(machine, &processes);
  std::vector<cpu_set_t> sets(static_cast<std::size_t>(processes));
  MPI_Allgather(&own, sizeof own, MPI_BYTE, sets.data(), sizeof own, MPI_BYTE, machine);
  MPI_Comm_free(&machine);
  const auto sharing =
      std::count_if(sets.begin(), sets.end(), [&](const cpu_set_t& set) { return CPU_EQUAL(&set, &own); });
  return std::max(1, CPU_COUNT(&own) / static_cast<int>(sharing));
}

}  // namespace

Launch start() {
  const int announced = size_of_environment();
  if (announced == 0) return {};
  int offered = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &offered);
  Launch launch;
  MPI_Comm_rank(MPI_COMM_WORLD, &launch.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &launch.size);
  if (launch.size == 1 && announced > 1)
    throw Error("carom: one of " + std::to_string(announced) +
                " processes finds no other one: start them by the mpirun of this carom's MPI, or by srun --mpi=pmix");
  if (launch.size > 1 && offered < MPI_THREAD_SERIALIZED)
    throw Error("carom: this MPI can't be called by more than one thread");
  if (launch.size > 1) launch.threads = share_of_cores();
  return launch;
}

void send(int to, Kind kind, const std::string& text) {
  constexpr std::size_t most = std::numeric_limits<int>::max();
  if (text.size() > most)
    throw Error("carom: a rank has " + std::to_string(text.size()) + " bytes of counts for rank " + std::to_string(to) +
                ", and an MPI message holds up to " + std::to_string(most) + ": take more ranks");
  MPI_Send(text.data(), static_cast<int>(text.size()), MPI_CHAR, to, static_cast<int>(kind), MPI_COMM_WORLD);
}

std::optional<Message> receive() {
  int is_there = 0;
  MPI_Status status;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &is_there, &status);
  if (is_there == 0) return std::nullopt;
  int size = 0;
  MPI_Get_count(&status, MPI_CHAR, &size);
  Message message{status.MPI_SOURCE, static_cast<Kind>(status.MPI_TAG),
                  std::string(static_cast<std::size_t>(size), ' ')};
  MPI_Recv(message.text.data(), size, MPI_CHAR, message.from, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return message;
}

void end() {
  int is_started = 0;
  MPI_Initialized(&is_started);
  if (is_started != 0) MPI_Finalize();
}

}  // namespace carom::apps::transport
