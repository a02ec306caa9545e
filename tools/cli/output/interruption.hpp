// Signals that end a process. Runs remove unfinished files, or finish their blocks, before they end.
#pragma once

#include <atomic>
#include <csignal>
#include <cstdlib>

namespace carom::apps {

/// True if the default action of the signal ends the process and a handler can replace it.
inline bool ends_process(int signal) {
  switch (signal) {
    case SIGKILL:
    case SIGSTOP:
    case SIGTSTP:
    case SIGTTIN:
    case SIGTTOU:
    case SIGCONT:
    case SIGCHLD:
    case SIGURG:
    case SIGWINCH:
#ifdef SIGINFO
    case SIGINFO:
#endif
      return false;
    default:
      return true;
  }
}

/// True if the process must end at once: after a fault of its own, or for a core dump.
inline bool is_crash(int signal) {
  switch (signal) {
    case SIGQUIT:
    case SIGILL:
    case SIGTRAP:
    case SIGABRT:
    case SIGBUS:
    case SIGFPE:
    case SIGSEGV:
    case SIGSYS:
    case SIGPIPE:
      return true;
    default:
      return false;
  }
}

/// The number of the last signal.
inline int last_signal() {
#ifdef SIGRTMAX
  return SIGRTMAX;
#else
  return NSIG - 1;
#endif
}

/// Installs a handler for a signal that has its default action. An ignored signal, as under nohup, stays ignored.
/// Handlers of MPI and of sanitizers stay in place.
inline void handle(int signal, void (*handler)(int)) {
  struct sigaction old {};
  if (sigaction(signal, nullptr, &old) != 0 || old.sa_handler != SIG_DFL) return;
  struct sigaction own {};
  own.sa_handler = handler;
  own.sa_flags = SA_RESTART;
  sigemptyset(&own.sa_mask);
  sigaction(signal, &own, nullptr);
}

/// The signal that has come since take_interruptions(); 0 before.
inline std::atomic<int> interrupted{0};

extern "C" inline void note_interruption(int signal) {
  interrupted = signal;
}

/// From now on notes the signals by which terminals and batch systems ask a process to end.
inline void take_interruptions() {
  for (int signal = 1; signal <= last_signal(); ++signal)
    if (ends_process(signal) && !is_crash(signal)) handle(signal, note_interruption);
}

/// Ends the process as the signal would have done.
[[noreturn]] inline void end_as_interrupted() {
  std::signal(interrupted, SIG_DFL);
  std::raise(interrupted);
  std::abort();
}

}  // namespace carom::apps
