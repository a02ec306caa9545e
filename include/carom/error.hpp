// Errors of calls: the exception Error, and Expected for callers without exceptions.
#pragma once

#include <carom/export.hpp>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

namespace carom {

/// Category of an Error. It shows whether to correct the call, to retry it later or on another machine, or to give up.
/// Numbers keep their meaning in later versions; they are the numbers of carom_error in C.
enum class ErrorKind : std::uint8_t {
  argument = 1,       ///< columns of different lengths, a missing column, an option out of range
  busy = 2,           ///< the solver serves another call
  not_available = 3,  ///< this build or this CPU lacks the ISA
  out_of_memory = 4,  ///< memory ran out; the solver remains usable
  scheduler = 6,      ///< Scheduler::parallel_for failed; all results are written (see Scheduler)
  moved_from = 7,     ///< the object has been moved from
};

/// Returns the name of the enumerator; "unknown" for any other number.
CAROM_EXPORT std::string_view to_string(ErrorKind kind);

/// The parts of an Error besides its text.
struct ErrorDetails {
  ErrorKind kind = ErrorKind::argument;  ///< category
  std::string_view column = {};          ///< see Error::column
  std::optional<std::size_t> row = {};   ///< see Error::row
  std::string_view option = {};          ///< see Error::option
};

/// Exception of all calls. Unless the kind is `scheduler`, nothing has been written to results
/// (of the reference: see reference.hpp). The text and the names
/// are in the object: to build or to copy an Error allocates nothing and does not throw.
class CAROM_EXPORT Error : public std::exception {
 public:
  /// [bytes] Maximum length of the text and of each name. Longer ones are cut and end with "...".
  static constexpr std::size_t max_text = 511, max_name = 63;

  /// `text` is the text of what().
  explicit Error(std::string_view text, const ErrorDetails& details = {}) noexcept;
  Error(const Error&) noexcept = default;             ///< copies the text
  Error& operator=(const Error&) noexcept = default;  ///< as the copy constructor
  ~Error() override;

  /// Returns the text: "carom: the column a.velocity.x has 3 elements, but friction has 4".
  const char* what() const noexcept override { return text_; }
  /// Returns the category of the error.
  ErrorKind kind() const noexcept { return kind_; }
  /// Returns the name of the column as the text has it: "a.velocity.x", "contacts.friction". Of two lengths that
  /// differ it is the second column, in the order of the struct. Empty if the error is not about one column.
  std::string_view column() const noexcept { return column_; }
  /// Returns the index of the element of column(), or of the contact, joint row or island. Empty for wrong lengths.
  std::optional<std::size_t> row() const noexcept { return row_; }
  /// Returns the name of the option as the text has it: "steps", "max_restitution", "ncp.tolerance". Only options of a
  /// method have a prefix. Empty if the error is not about one option.
  std::string_view option() const noexcept { return option_; }

 private:
  ErrorKind kind_;
  std::optional<std::size_t> row_;
  char column_[max_name + 1], option_[max_name + 1], text_[max_text + 1];
};

/// The result of a call, or its Error: what Solver::try_solve and the like return.
template <class R>
class [[nodiscard]] Expected {
 public:
  using value_type = R;  ///< type of the result

  Expected(R value) noexcept : state_(std::move(value)) {}  ///< a result  NOLINT(google-explicit-constructor)
  Expected(const Error& error) noexcept : state_(error) {}  ///< an error  NOLINT(google-explicit-constructor)

  /// Returns true if there is a result.
  bool has_value() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept { return has_value(); }  ///< same as has_value

  /// Returns the result. Without one the program ends by std::terminate: call has_value first.
  const R& value() const noexcept { return has_value() ? *std::get_if<0>(&state_) : fail<R>(); }
  R& value() noexcept { return has_value() ? *std::get_if<0>(&state_) : fail<R>(); }  ///< same
  const R& operator*() const noexcept { return value(); }                             ///< same as value
  R& operator*() noexcept { return value(); }                                         ///< same as value
  const R* operator->() const noexcept { return &value(); }                           ///< same as value
  R* operator->() noexcept { return &value(); }                                       ///< same as value

  /// Returns the error. If there is a result instead, the program ends by std::terminate: call has_value first.
  const Error& error() const noexcept { return has_value() ? fail<const Error>() : *std::get_if<1>(&state_); }

 private:
  template <class V>
  [[noreturn]] static V& fail() noexcept {
    std::terminate();
  }

  std::variant<R, Error> state_;
};

}  // namespace carom
