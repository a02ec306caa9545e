// Sends texts from process to process by MPI (mpi_transport.cpp). A build without MPI has no_transport.cpp instead.
#pragma once

#include <optional>
#include <string>

namespace carom::apps::transport {

enum class Kind : int { text, failure, stop, end };

struct Message {
  int from = 0;
  Kind kind{};
  std::string text;
};

/// The place of this process in its launch.
struct Launch {
  int rank = 0, size = 1;
  int threads = 0;  ///< this process's share of the cores; 0: it has all cores
};

/// Starts MPI if the environment shows that mpirun or srun has started this process. Throws Error if there should be
/// other processes and MPI finds none.
Launch start();

/// Calls come from one thread at a time.
void send(int to, Kind kind, const std::string& text);
/// A message that has arrived.
std::optional<Message> receive();

/// Waits for all other processes.
void end();

/// The rank and the number of ranks in the environment. They need no start().
int rank_of_environment();
int size_of_environment();

/// The machine's name, for messages.
std::string machine();

}  // namespace carom::apps::transport
