#include <carom/error.hpp>
#include <cstring>

namespace carom {
namespace {

/// Copies a text with its terminating zero. A text that does not fit is cut before an incomplete UTF-8 character and
/// ends with "...".
template <std::size_t room>
void copy(std::string_view text, char (&to)[room]) {
  constexpr std::string_view end = "...";
  std::size_t length = text.size();
  if (length >= room) {
    length = room - 1 - end.size();
    while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0u) == 0x80u) --length;
    std::memcpy(to + length, end.data(), end.size());
    to[length + end.size()] = '\0';
  } else {
    to[length] = '\0';
  }
  if (length > 0) std::memcpy(to, text.data(), length);
}

}  // namespace

Error::Error(std::string_view text, const ErrorDetails& details) noexcept : kind_(details.kind), row_(details.row) {
  copy(text, text_);
  copy(details.column, column_);
  copy(details.option, option_);
}

// Here, so that all libraries of a process have one type of the exception.
Error::~Error() = default;

std::string_view to_string(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::argument:
      return "argument";
    case ErrorKind::busy:
      return "busy";
    case ErrorKind::not_available:
      return "not_available";
    case ErrorKind::out_of_memory:
      return "out_of_memory";
    case ErrorKind::scheduler:
      return "scheduler";
    case ErrorKind::moved_from:
      return "moved_from";
  }
  return "unknown";
}

}  // namespace carom
