// Interruptions that leave a run the time for a last moment.
#pragma once

#include <atomic>
#include <csignal>
#include <cstdlib>

namespace carom::apps {

/// The signal that has come since take_interruptions(); 0 before.
inline std::atomic<int> interrupted{0};

extern "C" inline void note_interruption(int signal) {
  interrupted = signal;
}

/// From now on a signal is noted, but for one that is ignored already, as under nohup.
inline void take_interruptions() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    if (std::signal(signal, note_interruption) == SIG_IGN) std::signal(signal, SIG_IGN);
}

/// Ends the process as the signal would have done.
[[noreturn]] inline void end_as_interrupted() {
  std::signal(interrupted, SIG_DFL);
  std::raise(interrupted);
  std::abort();
}

}  // namespace carom::apps
