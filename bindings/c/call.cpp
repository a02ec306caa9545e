#include "call.hpp"

#include <carom/solver.hpp>
#include <cstdint>
#include <exception>
#include <new>

namespace carom::c {
namespace {

// Without constructors and destructors: memory may have run out.
struct LastError {
  carom_error code;
  std::int64_t row;
  char message[Error::max_text + 1], column[Error::max_name + 1], option[Error::max_name + 1];
};
thread_local LastError last = {CAROM_OK, -1, "", "", ""};

template <std::size_t room>
void copy(std::string_view text, char (&to)[room]) {
  to[text.copy(to, room - 1)] = '\0';
}

carom_error keep(const Error& error, carom_error code) {
  last.code = code;
  last.row = error.row() ? static_cast<std::int64_t>(*error.row()) : -1;
  copy(error.what(), last.message);
  copy(error.column(), last.column);
  copy(error.option(), last.option);
  return code;
}

}  // namespace

carom_error failed() noexcept {
  static_assert(static_cast<int>(ErrorKind::argument) == CAROM_ERROR_ARGUMENT &&
                static_cast<int>(ErrorKind::busy) == CAROM_ERROR_BUSY &&
                static_cast<int>(ErrorKind::not_available) == CAROM_ERROR_NOT_AVAILABLE &&
                static_cast<int>(ErrorKind::out_of_memory) == CAROM_ERROR_OUT_OF_MEMORY &&
                static_cast<int>(ErrorKind::scheduler) == CAROM_ERROR_SCHEDULER &&
                static_cast<int>(ErrorKind::moved_from) == CAROM_ERROR_MOVED_FROM);
  try {
    throw;
  } catch (const Error& error) {
    return keep(error, static_cast<carom_error>(error.kind()));
  } catch (const std::bad_alloc&) {
    return keep(Error("carom: out of memory"), CAROM_ERROR_OUT_OF_MEMORY);
  } catch (const std::exception& error) {
    return keep(Error(error.what()), CAROM_ERROR_UNKNOWN);
  } catch (...) {
    return keep(Error("carom: an exception of another kind"), CAROM_ERROR_UNKNOWN);
  }
}

}  // namespace carom::c

carom_error carom_error_kind() {
  return carom::c::last.code;
}
const char* carom_error_message() {
  return carom::c::last.message;
}
const char* carom_error_column() {
  return carom::c::last.column;
}
std::int64_t carom_error_row() {
  return carom::c::last.row;
}
const char* carom_error_option() {
  return carom::c::last.option;
}

const char* carom_version() {
  return carom::version().data();
}
