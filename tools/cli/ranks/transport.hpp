// All that carom needs of MPI: texts from process to process. mpi_transport.cpp has it, no_transport.cpp stands in its
// place in a build without MPI.
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
  int threads = 0;  ///< this process' part of the cores that it shares; 0: all of them are its own
};

/// Starts MPI where mpirun or srun has started this process, which their environment tells; else it is alone. Throws
/// Error if it should have companions and finds none.
Launch start();

/// Calls come from one thread at a time.
void send(int to, Kind kind, const std::string& text);
/// A message that has arrived.
std::optional<Message> receive();

/// Waits for all other processes.
void end();

/// The rank that the environment tells, and the number of ranks, before or without start().
int rank_of_environment();
int size_of_environment();

/// The machine's name, for messages.
std::string machine();

}  // namespace carom::apps::transport
