#include "c/call.hpp"

#include <carom/solver.hpp>
#include <cstdio>
#include <exception>
#include <new>

namespace carom::c {
namespace {

// Allocates nothing: memory may have run out.
thread_local char message[1024] = "";

carom_error code_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::busy:
      return CAROM_ERROR_BUSY;
    case ErrorKind::not_available:
      return CAROM_ERROR_NOT_AVAILABLE;
    case ErrorKind::scheduler:
      return CAROM_ERROR_SCHEDULER;
    case ErrorKind::argument:
    case ErrorKind::moved_from:
      break;
  }
  return CAROM_ERROR_ARGUMENT;
}

carom_error keep(carom_error code, const char* text) {
  std::snprintf(message, sizeof message, "%s", text);
  return code;
}

}  // namespace

carom_error failed() noexcept {
  try {
    throw;
  } catch (const Error& error) {
    return keep(code_of(error.kind()), error.what());
  } catch (const std::bad_alloc&) {
    return keep(CAROM_ERROR_OUT_OF_MEMORY, "carom: out of memory");
  } catch (const std::exception& error) {
    return keep(CAROM_ERROR_UNKNOWN, error.what());
  } catch (...) {
    return keep(CAROM_ERROR_UNKNOWN, "carom: an exception of another kind");
  }
}

}  // namespace carom::c

const char* carom_error_message() {
  return carom::c::message;
}

const char* carom_version() {
  return carom::version().data();
}
